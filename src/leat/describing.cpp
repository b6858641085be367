#include "leat/describing.hpp"

#include <exception>
#include <memory>
#include <ostream>
#include <utility>
#include <vector>

#include "leat/describe.hpp"
#include "leat/entry/instances_of_scheduler.hpp"
#include "leat/platform/requests.hpp"
#include "leat/version.hpp"
#include "leat/waiting/picture.hpp"
#include "leat/waiting/report.hpp"
#include "leat/waiting/take_picture.hpp"

namespace leat::inline LEAT_ABI {

#if LEAT_PLATFORM_NUMBER(LEAT_PLATFORM) == 1

namespace {

using machine = platform::chosen;
using engine = scheduler::channel_scheduler<machine>;
template <class T>
using word = machine::atomic<T>;

// Words that packaging/gdb/leat_gdb.py reads by their places, so that a debugger needs no debug information of the library.
// The order is fixed.
struct listed_runtime {
  listed_runtime* next;
  std::uint64_t number;
  const char* kind;
  const char* name;  // of the scheduler
  std::uint64_t workers;  // with the compensating ones that may be started
  const void* const* worker_at;  // for each its worker, or null
  engine* of;
  bool reports;
};

// The thread that sleeps until SIGQUIT comes. While one ends, the next one may have begun: both sleep on the same word.
struct reporter {
  word<std::uint32_t> ended{0};
  // Before the signal's handler is there.
  std::uint32_t seen = platform::requests::changes.load(platform::acquire);  // pairs with the handler
  std::uint32_t told = platform::requests::count.load(platform::relaxed);  // relaxed: `seen` acquires
  machine::thread thread;

  void main() {
    machine::name_thread("leat-report");
    while (ended.load(platform::acquire) == 0) {  // pairs with stop
      machine::wait(platform::requests::changes, seen);
      seen = platform::requests::changes.load(platform::acquire);  // pairs with the handler
      const std::uint32_t asked = platform::requests::count.load(platform::relaxed);  // relaxed: as above
      if (asked != told) tell();
      told = asked;
    }
  }

  static void tell() {
    try {
      waiting::tell_hang(text_of_process());
    } catch (
        const std::exception&) {  // without memory, or if the system refuses the handler of interrupts: nothing is told
    }
  }

  // The word only counts up. If it came back to what it was, a reporter that is about to sleep on that would miss its end.
  void stop() noexcept {
    ended.store(1, platform::release);  // pairs with main
    platform::requests::changes.fetch_add(1, platform::release);  // pairs with main
    machine::wake_all(platform::requests::changes);
    thread.join();
  }
};

// constinit, as static constructors may make runtimes, and never destroyed.
constinit word<std::uint32_t> listing{0};  // 1: a thread has the list
constinit reporter* reports = nullptr;  // under `listing`, as the next ones
constinit std::uint64_t reporting = 0;  // runtimes that report
// In a forked child: what was its parent's. Nothing reads them, but a search for leaks finds there what no thread may free.
constinit word<listed_runtime*> list_of_parent{nullptr};
constinit word<reporter*> reporter_of_parent{nullptr};

}  // namespace

[[gnu::visibility("default")]] constinit listed_runtime* runtimes_for_debuggers = nullptr;

namespace {

// While it lives, the calling thread alone has the list.
class only_lister {
 public:
  only_lister() noexcept {
    while (listing.exchange(1, platform::acquire) != 0) machine::wait(listing, 1);  // pairs with the destructor
  }
  only_lister(const only_lister&) = delete;
  only_lister& operator=(const only_lister&) = delete;
  ~only_lister() {
    listing.store(0, platform::release);  // pairs with the constructor
    machine::wake_all(listing);
  }
};

// In the child, whose only thread is the one that has forked: no runtime has workers.
void begin_anew() {
  // relaxed, all: there is one thread
  if (auto* const all = std::exchange(runtimes_for_debuggers, nullptr)) list_of_parent.store(all, platform::relaxed);
  if (auto* const one = std::exchange(reports, nullptr)) reporter_of_parent.store(one, platform::relaxed);
  reporting = 0;
  listing.store(0, platform::relaxed);
  platform::requests::forget();
}

// Under `listing`.
void begin_to_report() {
  auto made = std::make_unique<reporter>();
  platform::requests::claim();
  try {
    made->thread = machine::thread([r = made.get()] { r->main(); });
    reports = made.release();
  } catch (...) {
    platform::requests::release();
    throw;
  }
}

}  // namespace

void list_runtime(engine& of, const char* kind, const char* name, bool reports_hangs) {
  auto made = std::make_unique<listed_runtime>(
      listed_runtime{nullptr, of.config().number, kind, name, of.all_workers(), of.all().places(), &of, reports_hangs});
  machine::on_fork(begin_anew);  // first: a child finds the list's word as it is
  const only_lister alone;
  if (reports_hangs && reporting == 0) begin_to_report();
  if (reports_hangs) ++reporting;
  made->next = runtimes_for_debuggers;
  runtimes_for_debuggers = made.release();
}

void unlist_runtime(const engine& of) noexcept {
  std::unique_ptr<reporter> last;
  {
    const only_lister alone;
    for (listed_runtime** at = &runtimes_for_debuggers; *at != nullptr; at = &(*at)->next) {
      if ((*at)->of != &of) continue;
      const std::unique_ptr<listed_runtime> found(*at);
      *at = found->next;
      if (found->reports && --reporting == 0) last.reset(std::exchange(reports, nullptr));
      break;
    }
  }
  // Without the lock of the list, as the thread may be about to read the list.
  if (last) platform::requests::release(), last->stop();
}

void list_as_default(const engine& of) noexcept {
  const only_lister alone;
  for (listed_runtime* r = runtimes_for_debuggers; r != nullptr; r = r->next) {
    if (r->of == &of) r->kind = "default";
  }
}

// Source lines are looked up, which takes long, only when the list is free again.
std::string text_of_process() {
  std::vector<waiting::picture> all;
  {
    const only_lister alone;
    for (const listed_runtime* r = runtimes_for_debuggers; r != nullptr; r = r->next) {
      waiting::picture p = waiting::picture_taker<machine, engine>(*r->of).take();
      p.kind = r->kind;
      p.scheduler = r->name;
      all.insert(all.begin(), std::move(p));
    }
  }
  std::string text = "leat " + std::string(version()) + ", process " + std::to_string(machine::process_id()) + ":\n";
  return text + (all.empty() ? "  no runtime\n" : waiting::describe(all));
}

#else

void list_runtime(scheduler::channel_scheduler<platform::chosen>&, const char*, const char*, bool) {}
void unlist_runtime(const scheduler::channel_scheduler<platform::chosen>&) noexcept {}
void list_as_default(const scheduler::channel_scheduler<platform::chosen>&) noexcept {}
std::string text_of_process() { return "leat: a simulated program has no description\n"; }

#endif

void describe(std::ostream& out) { out << text_of_process(); }

}  // namespace leat::inline LEAT_ABI
