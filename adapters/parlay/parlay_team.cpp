#include "leat_parlay.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "leat/fork_join.hpp"
#include "leat/options.hpp"
#include "leat/platform/chosen.hpp"
#include "leat/strands/strands.hpp"
#include "leat/team.hpp"

namespace leat::inline LEAT_ABI::adapters {

namespace {

bool is_set(const char* variable) noexcept {
  const char* const text = std::getenv(variable);
  return text != nullptr && *text != '\0';
}

// The number of threads that execute what Parlay divides among `workers`. If both variables are set, LEAT_NUM_WORKERS limits it, so
// that one thread can record the work of many. Otherwise it is `workers`, which the program may have chosen.
std::size_t executing(std::size_t workers) {
  if (!is_set("PARLAY_NUM_THREADS") || !is_set("LEAT_NUM_WORKERS")) return workers;
  return std::min<std::size_t>(workers, *options().resolved().workers);
}

options options_for(std::size_t workers, const char* scheduler) {
  options o;
  o.workers = executing(workers);
  o.spares = 0;  // they would have numbers beyond num_threads
  if (scheduler != nullptr) o.scheduler = scheduler;
  return o;
}

// The team that the calling thread works for, and as which worker. Asked in each fork, so words of the thread: what
// team::has_caller reads shares its cache line with what others write.
struct place {
  const parlay_team* of = nullptr;
  const void* worker = nullptr;
};
thread_local place inside;

const void* current_worker() noexcept { return scheduler::worker<platform::chosen>::current(); }

// Not in leat::blocking, in a child, or as a worker of something else that was entered from there.
bool is_inside(const parlay_team* t) noexcept {
  const void* const worker = current_worker();
  return worker != nullptr && inside.of == t && inside.worker == worker;
}

// A loop that takes less than this is not worth a fork.
constexpr std::uint64_t worthwhile_ns = 1000;

// 1, 2, 4 ... of them, until that many took long enough to be worth a fork. Returns where the rest begins.
template <class F>
std::size_t call_for_a_while(std::size_t start, std::size_t end, F each) {
  using clock = platform::chosen;
  std::uint64_t began_ns = clock::now_ns();
  for (std::size_t many = 1; start < end; many *= 2) {
    const std::size_t stop = start + std::min(many, end - start);
    each(start, stop);
    start = stop;
    if (const std::uint64_t now_ns = clock::now_ns(); now_ns - std::exchange(began_ns, now_ns) >= worthwhile_ns) break;
  }
  return start;
}

}  // namespace

parlay_team::parlay_team(std::size_t num_workers, const char* scheduler)
    : num_threads(static_cast<worker_id_type>(num_workers)),
      team_(std::make_unique<team>(options_for(num_workers, scheduler))),
      before_(here_) {
  here_ = this;
}

parlay_team::~parlay_team() { here_ = before_; }

// A late destructor may pass a team that is already destroyed. So this, fork and loop touch a team only if it is the thread's
// current one.
parlay_team::worker_id_type parlay_team::worker_id() const noexcept { return here_ == this ? team_->caller() : 0; }

bool parlay_team::has_caller() const noexcept { return team_->has_caller(); }

// The calling thread executes what another one has forked: it may not have worked for this team before.
void parlay_team::arrive() noexcept {
  here_ = this;
  inside = {this, current_worker()};
}

// Calls `call` inside the team, which the thread is not. Returns false where it may not enter: in a forked child, inside
// leat::blocking, on a strange thread or as a worker of something else.
template <class Inside>
bool parlay_team::enter(const Inside& call) {
  if (here_ != this || !team_->admits_caller()) return false;
  struct restore {
    const place before = std::exchange(inside, {});
    ~restore() { inside = before; }
  } const after;
  team_->call([&] {
    inside = {this, current_worker()};
    call();
  });
  return true;
}

void parlay_team::fork(job left, job right) {
  const auto both = [left, right, this] {
    leat::fork_join([left] { left.call(left.callable); },
                    [right, this] {
                      arrive();
                      right.call(right.callable);
                    });
  };
  if (here_ == this && is_inside(this)) [[likely]]
    return both();
  if (enter(both)) return;
  left.call(left.callable);
  right.call(right.callable);
}

void parlay_team::loop(std::size_t start, std::size_t end, iterations each, std::size_t granularity,
                       std::size_t parts_per_worker) {
  const auto call_all = [=] { each.call(each.callable, start, end); };
  if (here_ != this) return call_all();  // the team may be gone
  // A program that is measured forks with one thread as it would with several.
  if (num_threads == 1 && !strands::profiles<platform::chosen>) {
    if (is_inside(this) || !enter(call_all)) call_all();
    return;
  }
  if (granularity == 0) {
    const std::size_t share = (end - start) / (parts_per_worker * num_threads);
    const std::size_t begun = start;
    start = call_for_a_while(start, end,
                             [each](std::size_t first, std::size_t last) { each.call(each.callable, first, last); });
    granularity = std::max(start - begun, share);
  }
  if (end - start <= granularity) return each.call(each.callable, start, end);
  if (is_inside(this)) return halve(start, end, each, granularity);
  if (!enter([&] { halve(start, end, each, granularity); })) each.call(each.callable, start, end);
}

// Inside the team.
void parlay_team::halve(std::size_t start, std::size_t end, iterations each, std::size_t granularity) {
  if (end - start <= granularity) return each.call(each.callable, start, end);
  const std::size_t middle = start + (end - start) / 2;
  leat::fork_join([&] { halve(start, middle, each, granularity); },
                  [&] {
                    arrive();
                    halve(middle, end, each, granularity);
                  });
}

std::size_t checked_parlay_threads(std::size_t threads) {
  if (threads >= 1 && threads <= workers_max) return threads;
  throw std::invalid_argument("leat: " + std::to_string(threads) +
                              " threads for Parlay: must be a whole number between 1 and " +
                              std::to_string(workers_max));
}

std::size_t parlay_num_threads() {
  if (!is_set("PARLAY_NUM_THREADS")) return *options().resolved().workers;
  const std::string value(std::getenv("PARLAY_NUM_THREADS"));
  std::size_t threads = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), threads);
  if (error != std::errc() || end != value.data() + value.size() || threads < 1 || threads > workers_max) {
    throw std::invalid_argument("leat: PARLAY_NUM_THREADS = '" + value + "': must be a whole number between 1 and " +
                                std::to_string(workers_max));
  }
  return threads;
}

}  // namespace leat::inline LEAT_ABI::adapters
