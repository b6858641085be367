#include "leat/default_runtime.hpp"

#if defined(LEAT_ON_SYSTEM_THREADS)

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>

#include "leat/callers.hpp"
#include "leat/entry/callers.hpp"
#include "leat/platform/abort.hpp"
#include "leat/task/errors.hpp"

namespace leat::inline LEAT_ABI {

namespace {

// What the process has: one default runtime, or the options for it. constinit, as static constructors may need it, and never
// destroyed. A forked child begins anew, and keeps what was its parent's for the sake of threads that it does not have.
constinit callers::word<callers*> made{nullptr};
constinit callers::word<callers*> of_parent{nullptr};
constinit callers::word<std::uint32_t> making{0};  // 1: a thread has the options, or makes the runtime
constinit const options* configured = nullptr;  // under `making`

// In the child, whose only thread is the one that has forked.
void begin_anew() {
  if (callers* const before = made.exchange(nullptr, platform::relaxed)) of_parent.store(before, platform::relaxed);
  making.store(0, platform::relaxed);
  callers::forget_visit();
}

// While it lives, the calling thread alone makes the default runtime. Forks are told first: a child finds the word as it is.
class only_maker {
 public:
  only_maker() {
    callers::platform::on_fork(begin_anew);
    while (making.exchange(1, platform::acquire) != 0) callers::platform::wait(making, 1);  // pairs with the destructor
  }
  only_maker(const only_maker&) = delete;
  only_maker& operator=(const only_maker&) = delete;
  ~only_maker() {
    making.store(0, platform::release);  // pairs with the constructor
    callers::platform::wake_all(making);
  }
};

callers& make() {
  const only_maker alone;
  if (callers* const there = made.load(platform::relaxed)) return *there;  // relaxed: only_maker acquires
  auto all = std::make_unique<callers>(configured != nullptr ? *configured : options{});
  made.store(all.get(), platform::release);  // pairs with the_callers
  return *all.release();
}

callers& the_callers() {
  callers* const there = made.load(platform::acquire);  // pairs with make
  return there != nullptr ? *there : make();
}

}  // namespace

const runtime& default_runtime() { return the_callers().runtime(); }

void configure_default(const options& o) {
  static_cast<void>(o.resolved());  // refuses them now
  auto kept = std::make_unique<const options>(o);  // the environment says the rest when the runtime is made
  const only_maker alone;
  if (made.load(platform::relaxed) != nullptr)  // relaxed: only_maker acquires
    throw std::logic_error("leat::configure_default: the default runtime exists already");
  delete std::exchange(configured, kept.release());
}

namespace entry {

scheduler::worker<platform::chosen>& enter_default(const char* what) {
  if (platform::chosen::own<handshake::left_workers>().count != 0) task::throw_not_a_worker(what);
  return the_callers().enter();
}

scheduler::channel_scheduler<platform::chosen>& default_scheduler(const char* what) {
  if (what != nullptr && platform::chosen::own<handshake::left_workers>().count != 0) task::throw_not_a_worker(what);
  return the_callers().scheduler();
}

bool stay_in_default() noexcept { return callers::stay(); }

void leave_default(const scheduler::worker<platform::chosen>& me) noexcept {
  if (scheduler::worker<platform::chosen>::current() == &me) return callers::leave();
  if (me.home.forked()) return;
  platform::abort_with(
      "leat: a task_group that a thread has made outside of a run was destroyed by another thread, or inside "
      "leat::blocking or a call "
      "of a team\n");
}

}  // namespace entry

}  // namespace leat::inline LEAT_ABI

#else

#include <stdexcept>

#include "leat/entry/callers.hpp"

namespace leat::inline LEAT_ABI {

const runtime& default_runtime() {
  throw std::logic_error("leat::default_runtime: a simulated program has none; make a leat::runtime in its world");
}

void configure_default(const options&) { static_cast<void>(default_runtime()); }

namespace entry {

scheduler::channel_scheduler<platform::chosen>& default_scheduler(const char*) {
  throw std::logic_error("leat::submit: a simulated program has no default runtime; make a leat::runtime in its world");
}

}  // namespace entry

}  // namespace leat::inline LEAT_ABI

#endif
