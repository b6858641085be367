// Which units compute: their siblings are slow meanwhile, and the memory has all of them to serve.
#pragma once

#include <cstdint>
#include <vector>

#include "leat/platform/simulation/machine.hpp"

namespace leat::platform {

/// Costs O(1), and O(siblings) to ask about these. Thread safety: none; a world runs on one thread of the host.
class computing_units {
 public:
  explicit computing_units(const machine& m) : machine_(m) {}

  /// None computes.
  void clear() {
    computes_.assign(computes_.size(), 0);
    count_ = 0;
  }
  void begin(std::uint32_t unit) {
    ++count_;
    if (unit >= computes_.size()) computes_.resize(unit + 1);
    ++computes_[unit];
  }
  void end(std::uint32_t unit) {
    --count_;
    --computes_[unit];
  }

  std::uint32_t count() const noexcept { return count_; }

  /// By what factor work takes longer on this unit, because of its siblings.
  double slowdown(std::uint32_t unit) const noexcept {
    if (machine_.smt_slowdown == 1 || machine_.levels.empty()) return 1;
    const std::uint32_t siblings = machine_.levels.back().children;
    const std::uint32_t first = unit / siblings * siblings;
    for (std::uint32_t u = first; u < first + siblings && u < computes_.size(); ++u) {
      if (u != unit && computes_[u] != 0) return machine_.smt_slowdown;
    }
    return 1;
  }

 private:
  const machine& machine_;
  std::vector<std::uint32_t> computes_;  // fibres of each unit
  std::uint32_t count_ = 0;
};

}  // namespace leat::platform
