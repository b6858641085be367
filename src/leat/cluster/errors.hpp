// What leat::cluster throws.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "leat/platform/abi.hpp"
#include "leat/platform/shared.hpp"

namespace leat::inline LEAT_ABI {

/// A run ended because a task, or what combines results, threw on another rank. what() names the rank and the cause.
class LEAT_SHARED rank_failed : public std::runtime_error {
 public:
  rank_failed(std::uint32_t rank, const std::string& cause)
      : std::runtime_error("leat::cluster: rank " + std::to_string(rank) + " failed: " + cause), rank_(rank) {}

  /// The rank on which it began. If several failed at once, ranks may name different ones.
  std::uint32_t rank() const noexcept { return rank_; }

 private:
  std::uint32_t rank_;
};

}  // namespace leat::inline LEAT_ABI
