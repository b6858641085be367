// Adaptive quadrature: the integral of a function with a narrow peak, by trapezoids that are halved where they are not
// exact enough.

#pragma once

#include <leat/cluster.hpp>

#include <cstdint>

namespace leat::kernels::quadrature {

/// The integral from 0 to 1 of width / ((x - peak)^2 + width^2).
struct parameters {
  double tolerance = 1e-9;   ///< --tolerance  how far the integral may be from the exact one: tolerance_min to 0.1
  double width = 1e-3;       ///< --width      of the peak, width_min to 1

  static constexpr double peak = 0.3;
  static constexpr double tolerance_min = 1e-11;
  static constexpr double width_min = 1e-3;

  /// Throws std::invalid_argument, naming the option and its value.
  void validate() const;

  /// The integral, which has a closed form.
  [[nodiscard]] double exact() const noexcept;
};

/// What is found of the integral. The area is counted in parts of 2^-60, so that the sum is the same in any order, bit by
/// bit. Less than 4 in all; each interval is rounded once, by half of a part.
struct findings {
  std::int64_t area = 0;
  std::uint64_t intervals = 0;  ///< that were looked at

  [[nodiscard]] double integral() const noexcept;

  friend findings operator+(const findings& a, const findings& b) noexcept {
    return {a.area + b.area, a.intervals + b.intervals};
  }
  friend bool operator==(const findings&, const findings&) = default;
};

/// Times that an interval is halved at most. Narrower ones are taken as they are.
inline constexpr std::uint32_t halvings_max = 48;

[[nodiscard]] findings integrate_serially(const parameters&);

/// The same on all ranks of the cluster, one task per interval, and the same findings, on each. To be called by all ranks
/// together. Throws what cluster::run throws.
/// \param keep  what is to be kept of the run on the way
[[nodiscard]] findings integrate_on_cluster(cluster&, const parameters&, const snapshots& keep = {});

}  // namespace leat::kernels::quadrature
