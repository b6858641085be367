// The places in the code that name an order, for tests of tests: what is found if one of them names a weaker one?
#pragma once

#include <atomic>
#include <compare>
#include <cstdint>
#include <set>
#include <source_location>
#include <string>
#include <string_view>

#include "leat/platform/order.hpp"

namespace leat::inline LEAT_ABI::platform {

/// An order that the code names, and where.
struct site {
  std::string file;
  std::uint32_t line = 0;
  std::memory_order order = relaxed;

  friend auto operator<=>(const site&, const site&) = default;
};

/// What a test does with them; for one thread.
/// A test sets `weak` before it explores, and runs all executions with it. File and line are those at which leat's
/// header calls the operation; several orders of one line are weakened together.
struct weakening {
  /// Where another order counts than the code names, and which; nowhere at first.
  static inline site weak{};

  /// The sites that were come by, if they are to be noted.
  static inline std::set<site>* seen = nullptr;

  /// The order that counts where the code names `o`. A fence that is weakened is none.
  static std::memory_order weakened(std::memory_order o, const std::source_location& at) {
    // relaxed cannot be weaker, so it is no site.
    if (seen != nullptr && o != relaxed) seen->insert({at.file_name(), at.line(), o});
    if (at.line() != weak.line || o == relaxed || !std::string_view(at.file_name()).ends_with(weak.file)) return o;
    // Beside the order of a compare-and-swap that of its failure is named.
    return o == acquire && weak.order == release ? relaxed : weak.order;
  }
};

}  // namespace leat::inline LEAT_ABI::platform
