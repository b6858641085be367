// One rank of a cluster, with its engine and its run, on a platform where nobody waits.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "fuzz/expect.hpp"
#include "leat/cluster/messages_engine.hpp"
#include "leat/cluster/rank_run.hpp"
#include "leat/cluster/rma_engine.hpp"
#include "leat/cluster/two_sided_engine.hpp"
#include "leat/platform/chosen.hpp"

namespace leat_fuzz {

/// The machine's platform, but that a rank which yields goes on at once, and that each look at the clock takes a millisecond: so
/// a run depends on its input alone.
struct hurried : leat::platform::chosen {
  static void yield() noexcept {}
  static std::uint64_t now_ns() noexcept { return clock_ns += 1'000'000; }
  static inline std::uint64_t clock_ns = 0;
};

/// A rank that counts: results are numbers, and are added. Expand is called as cluster::run calls it. Thread safety: none.
template <class Task, class Expand>
class hurried_rank {
 public:
  using run_type = leat::ranks::rank_run<hurried, Task, std::uint64_t, const Expand, const std::plus<>>;

  hurried_rank(std::unique_ptr<leat::ranks::transport> by, std::string_view engine, std::uint32_t attempts,
               Expand expand, const leat::snapshots& keep = {})
      : by_(std::move(by)), post_(*by_), expand_(std::move(expand)) {
    hurried::clock_ns = 0;
    if (engine == "rma") engine_ = std::make_unique<leat::ranks::rma_engine>(*by_, post_, counters_, true);
    else if (engine == "two-sided") engine_ = std::make_unique<leat::ranks::two_sided_engine>(*by_, post_, counters_);
    else engine_ = std::make_unique<leat::ranks::messages_engine>(*by_, post_, counters_, attempts);
    post_.begin(1);
    engine_->begin();
    run_.emplace(leat::ranks::rank_parts{by_->rank(), by_->ranks(), post_, *engine_, counters_, 0, keep},
                 std::uint64_t{0}, expand_, combine_);
  }

  run_type& run() { return *run_; }

  /// The result of a run that is over; nothing where it failed, and why.
  std::optional<std::uint64_t> result(std::string& why) {
    try {
      return run_->take_result();
    } catch (const std::exception& e) {
      why = e.what();
      expect(!why.empty(), "a run fails without a word");
      return std::nullopt;
    }
  }

 private:
  std::unique_ptr<leat::ranks::transport> by_;
  leat::rank_counters counters_;
  leat::ranks::mail post_;
  std::unique_ptr<leat::ranks::engine> engine_;
  Expand expand_;
  std::plus<> combine_;
  std::optional<run_type> run_;
};

}  // namespace leat_fuzz
