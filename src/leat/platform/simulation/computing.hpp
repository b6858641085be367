// Which units compute: their siblings are slow meanwhile, and the memory has all of them to serve.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "leat/platform/simulation/machine.hpp"

namespace leat::inline LEAT_ABI::platform {

/// Costs O(1), and O(siblings) to ask about these. Thread safety: none; a world runs on one thread of the host.
class computing_units {
 public:
  explicit computing_units(const machine& m) : machine_(m), slows_(m.has_slow_siblings()) {}

  /// None computes.
  void clear() {
    computes_.assign(computes_.size(), {});
    count_ = 0;
  }
  void begin(std::uint32_t unit, work_kind kind) {
    ++count_;
    if (unit >= computes_.size()) computes_.resize(unit + 1);
    ++computes_[unit].all;
    ++computes_[unit].of[static_cast<std::size_t>(kind)];
  }
  void end(std::uint32_t unit, work_kind kind) {
    --count_;
    --computes_[unit].all;
    --computes_[unit].of[static_cast<std::size_t>(kind)];
  }

  std::uint32_t count() const noexcept { return count_; }

  /// By what factor work of that kind takes longer on this unit, because of its siblings: the one that is most in the way decides.
  double slowdown(std::uint32_t unit, work_kind kind) const noexcept {
    if (!slows_ || machine_.levels.empty()) return 1;
    const std::uint32_t siblings = machine_.levels.back().children;
    const std::uint32_t first = unit / siblings * siblings;
    double most = 1;
    for (std::uint32_t u = first; u < first + siblings && u < computes_.size(); ++u) {
      if (u == unit || computes_[u].all == 0) continue;
      for (std::size_t k = 0; k < work_kinds; ++k) {
        if (computes_[u].of[k] != 0) most = std::max(most, machine_.slowdown_beside(kind, static_cast<work_kind>(k)));
      }
    }
    return most;
  }

 private:
  // Fibres that compute on a unit.
  struct computing {
    std::uint32_t all = 0;
    std::array<std::uint32_t, work_kinds> of{};  ///< by the kind of their work
  };

  const machine& machine_;
  const bool slows_;
  std::vector<computing> computes_;  // by the unit
  std::uint32_t count_ = 0;
};

}  // namespace leat::inline LEAT_ABI::platform
