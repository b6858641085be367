#include "leat/platform/chosen.hpp"

#if defined(LEAT_ON_SYSTEM_THREADS)

#include "leat/callers.hpp"

#include "leat/describing.hpp"
#include "leat/protocol/published.hpp"

namespace leat::inline LEAT_ABI {

namespace {

std::uint32_t places_for(const options& o) {
  return protocol::published_of(*o.scheduler) == protocol::published::none ? callers::callers_max : 1;
}

}  // namespace

// One that fails stays as it is, and its threads sleep: each primary would have to be destroyed on a thread of its own.
callers::callers(const options& o) : runtime_(new leat::runtime(o, places_for(o.resolved()))) {
  list_as_default(scheduler());
  platform::stay_loaded();  // its threads never end
  try {
    make_places();
  } catch (...) {
    for (auto& p : places_) static_cast<void>(p.release());
    static_cast<void>(runtime_.release());
    throw;
  }
}

void callers::make_places() {
  const std::uint32_t number = scheduler().config().primaries;
  places_.reserve(number);
  for (std::uint32_t i = 0; i != number; ++i) places_.push_back(std::make_unique<place>(scheduler(), i, *this));
  scheduler().submitted().begin_drains_by(drain, this);
}

scheduler::worker<callers::platform>& callers::enter() {
  inside& here = platform::own<inside>();
  if (!here.interruptible && scheduler().watch().on()) {
    platform::allow_interrupts();
    here.interruptible = true;
  }
  here.at = &take(here.last);
  here.calls = 1;
  here.at->worker.be_for_caller();
  here.at->worker.forget_failure();
  here.at->visit.emplace(here.at->worker);
  return *scheduler::worker<platform>::current();
}

bool callers::stay() noexcept {
  inside& here = platform::own<inside>();
  if (here.calls == 0 || !here.at->worker.has_caller()) return false;
  ++here.calls;
  return true;
}

void callers::leave() noexcept {
  inside& here = platform::own<inside>();
  if (here.calls == 0 || --here.calls != 0) return;  // 0: a child that was forked inside
  place& mine = *here.at;
  callers& all = mine.of;
  mine.visit.reset();
  mine.taken.store(0, leat::platform::seq_cst);  // pairs with take
  if (all.waiting_.load(leat::platform::seq_cst) == 0) return;  // pairs with take
  all.left_.fetch_add(1, leat::platform::seq_cst);
  platform::wake_one(all.left_);
}

void callers::drain(void* all) {
  auto& me = static_cast<callers*>(all)->enter();
  me.home.submitted().drain(me);
  leave();
}

// The thread's last place, if it is free, has its worker's memory in this CPU's cache.
callers::place& callers::take(std::uint32_t first) {
  const auto number = static_cast<std::uint32_t>(places_.size());
  const auto take_free = [&]() -> place* {
    for (std::uint32_t i = 0; i != number; ++i) {
      const std::uint32_t at = (first + i) % number;
      word<std::uint32_t>& taken = places_[at]->taken;
      // relaxed: a hint. seq_cst: pairs with leave.
      if (taken.load(leat::platform::relaxed) != 0 || taken.exchange(1, leat::platform::seq_cst) != 0) continue;
      platform::own<inside>().last = at;
      return places_[at].get();
    }
    return nullptr;
  };
  if (place* const free = take_free()) return *free;
  waiting_.fetch_add(1, leat::platform::seq_cst);  // pairs with leave: it sees this thread, or this thread a free place
  for (;;) {
    const std::uint32_t left = left_.load(leat::platform::seq_cst);
    if (place* const free = take_free()) {
      waiting_.fetch_sub(1, leat::platform::seq_cst);
      return *free;
    }
    platform::wait(left_, left);
  }
}

}  // namespace leat::inline LEAT_ABI

#endif
