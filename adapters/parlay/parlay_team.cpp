#include "leat_parlay.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "leat/fork_join.hpp"
#include "leat/options.hpp"
#include "leat/platform/chosen.hpp"
#include "leat/team.hpp"

namespace leat::inline LEAT_ABI::adapters {

namespace {

options options_for(std::size_t workers, const char* scheduler) {
  options o;
  o.workers = workers;
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
constexpr std::chrono::nanoseconds worthwhile{1000};

// 1, 2, 4 ... of them, until that many took long enough to be worth a fork. Returns where the rest begins.
template <class F>
std::size_t call_for_a_while(std::size_t start, std::size_t end, F each) {
  using clock = std::chrono::steady_clock;
  for (std::size_t many = 1; start < end; many *= 2) {
    const std::size_t stop = start + std::min(many, end - start);
    const clock::time_point began = clock::now();
    each(start, stop);
    start = stop;
    if (clock::now() - began >= worthwhile) break;
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

// Parlay passes the team of a thread also when that is gone, to destructors that are called still later: here and in fork
// it is not touched unless it is the current one.
parlay_team::worker_id_type parlay_team::worker_id() const noexcept { return here_ == this ? team_->caller() : 0; }

bool parlay_team::has_caller() const noexcept { return team_->has_caller(); }

void parlay_team::fork(job left, job right) {
  if (here_ != this || !is_inside(this)) [[unlikely]]
    return enter(left, right);
  leat::fork_join([left] { left.call(left.callable); },
                  [right, this] {
                    here_ = this,
                    inside = {this, current_worker()};  // the thread may not have worked for this team before
                    right.call(right.callable);
                  });
}

void parlay_team::enter(job left, job right) {
  if (here_ == this && team_->admits_caller()) {
    struct restore {
      const place before = std::exchange(inside, {});
      ~restore() { inside = before; }
    } const after;
    return team_->call([&] {
      inside = {this, current_worker()};
      fork(left, right);
    });
  }
  // In a forked child, inside leat::blocking, on a strange thread or as a worker of something else.
  left.call(left.callable);
  right.call(right.callable);
}

void parlay_team::loop(std::size_t start, std::size_t end, iterations each, std::size_t granularity,
                       std::size_t parts_per_worker) {
  if (granularity == 0) {
    const std::size_t share = (end - start) / (parts_per_worker * num_threads);
    const std::size_t begun = start;
    start = call_for_a_while(start, end,
                             [each](std::size_t first, std::size_t last) { each.call(each.callable, first, last); });
    granularity = std::max(start - begun, share);
  }
  halve(start, end, each, granularity);
}

void parlay_team::halve(std::size_t start, std::size_t end, iterations each, std::size_t granularity) {
  if (end - start <= granularity) return each.call(each.callable, start, end);
  const std::size_t middle = start + (end - start) / 2;
  par_do([&] { halve(start, middle, each, granularity); }, [&] { halve(middle, end, each, granularity); });
}

std::size_t checked_parlay_threads(std::size_t threads) {
  if (threads >= 1 && threads <= workers_max) return threads;
  throw std::invalid_argument("leat: " + std::to_string(threads) +
                              " threads for Parlay: must be a whole number between 1 and " +
                              std::to_string(workers_max));
}

std::size_t parlay_num_threads() {
  const char* const text = std::getenv("PARLAY_NUM_THREADS");
  if (text == nullptr || *text == '\0') return *options().resolved().workers;
  const std::string value(text);
  std::size_t threads = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), threads);
  if (error != std::errc() || end != value.data() + value.size() || threads < 1 || threads > workers_max) {
    throw std::invalid_argument("leat: PARLAY_NUM_THREADS = '" + value + "': must be a whole number between 1 and " +
                                std::to_string(workers_max));
  }
  return threads;
}

}  // namespace leat::inline LEAT_ABI::adapters
