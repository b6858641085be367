// How much a thief asks for: one task, half of them, or whichever has served it better of late (thesis 5.1.2).
#pragma once

#include <cstdint>

#include "leat/protocol/request.hpp"

namespace leat::inline LEAT_ABI::protocol {

/// steal_one and steal_half never change; adaptive begins with one task.
enum class strategy : std::uint8_t { steal_one, steal_half, adaptive };

/// Steals after which the adaptive strategy thinks again (thesis, Figures 5.4 and 5.5: 25).
inline constexpr std::uint32_t adaptive_interval = 25;

/// One thief's choice. Told of every steal; pure.
class stealing {
 public:
  /// \param interval  steals after which the adaptive strategy thinks again; not 0
  explicit constexpr stealing(strategy s, std::uint32_t interval = adaptive_interval) noexcept
      : strategy_(s), amount_(s == strategy::steal_half ? amount::half : amount::one), interval_(interval) {}

  /// What the next request should ask for. `vain`: the last steal brought too little to be worth it (see pace.hpp).
  constexpr amount next(bool vain = false) const noexcept {
    return vain && strategy_ == strategy::adaptive ? amount::half : amount_;
  }

  /// A steal succeeded; the thief has executed `executed` tasks so far in its life. After each interval (Figure 5.3):
  /// when no steal brought more than itself, steal-one does not last and half is worth a try; when half brings less
  /// than two tasks a steal, it does not pay.
  constexpr void stole(std::uint64_t executed) noexcept {
    if (strategy_ != strategy::adaptive || ++steals_ < interval_) return;
    const std::uint64_t tasks = executed - executed_before_;
    if (amount_ == amount::one) {
      if (tasks <= steals_) amount_ = amount::half;
    } else {
      if (tasks < 2 * std::uint64_t{steals_}) amount_ = amount::one;
    }
    executed_before_ = executed;
    steals_ = 0;
  }

  friend constexpr bool operator==(const stealing&, const stealing&) = default;

 private:
  strategy strategy_;
  amount amount_;
  std::uint32_t interval_;
  std::uint32_t steals_ = 0;
  std::uint64_t executed_before_ = 0;
};

}  // namespace leat::inline LEAT_ABI::protocol
