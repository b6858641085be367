// What memory ran out for.

#pragma once

#include <leat/options.hpp>

#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

namespace leat::cli {

/// Returns f(). Throws std::runtime_error, naming `what` the memory was for, where f throws std::bad_alloc.
template <class F>
decltype(auto) with_memory_for(std::string_view what, F f) {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    throw std::runtime_error("leat: not enough memory for " + std::string(what));
  }
}

/// A Runtime with these options. Throws what its constructor throws, but std::runtime_error for want of memory.
template <class Runtime>
Runtime start(const leat::options& options) {
  return with_memory_for(std::to_string(*options.resolved().workers) + " workers", [&] { return Runtime(options); });
}

}  // namespace leat::cli
