// How tasks and results become bytes that another rank understands.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI {

/// Says how a T travels between ranks. A trivially copyable type travels as it is, and must hold no pointers; for any
/// other, specialise this with the same two functions. What they append and take off must be the same bytes, for a
/// task at least one. All ranks must be the same program on machines of one kind.
template <class T>
struct packing {
  static_assert(std::is_trivially_copyable_v<T>,
                "leat::packing: what crosses ranks must be trivially copyable, or leat::packing<T> specialised for it");

  /// Appends the value to `out`, its padding bytes included.
  static void pack(const T& value, std::vector<std::byte>& out) {
    const std::size_t end = out.size();
    out.resize(end + sizeof(T));
    std::memcpy(out.data() + end, &value, sizeof(T));
  }

  /// Takes the value that `in` begins with off its front. By way of an array, as the bytes may lie
  /// at any address, and a T need have no default constructor.
  /// \throws std::length_error  `in` is too short for that
  static T unpack(std::span<const std::byte>& in) {
    std::array<std::byte, sizeof(T)> bytes;
    if (in.size() < sizeof(T)) {
      throw std::length_error("leat::packing: " + std::to_string(in.size()) + " bytes for a value of " +
                              std::to_string(sizeof(T)));
    }
    std::memcpy(bytes.data(), in.data(), sizeof(T));
    in = in.subspan(sizeof(T));
    return std::bit_cast<T>(bytes);
  }
};

namespace ranks {

/// Appends a task to `out`. Tasks travel one behind the other, without lengths or a count: the end of the bytes is the
/// end of the tasks.
/// \throws std::length_error  packing<Task> appends nothing: it would be lost among the others
template <class Task>
void pack_task(const Task& task, std::vector<std::byte>& out) {
  const std::size_t before = out.size();
  packing<Task>::pack(task, out);
  if (out.size() <= before)
    throw std::length_error("leat::packing: pack appends 0 bytes for a task; at least 1 must be");
}

/// What `in` holds: a result, and nothing else.
/// \throws std::length_error  packing<Result> leaves bytes: they are no result of this type
template <class Result>
Result unpack_result(std::span<const std::byte> in) {
  const std::size_t whole = in.size();
  Result result = packing<Result>::unpack(in);
  if (!in.empty()) {
    throw std::length_error("leat::packing: unpack leaves " + std::to_string(in.size()) + " of " +
                            std::to_string(whole) + " bytes of a result");
  }
  return result;
}

/// Takes a task off the front of `in`.
/// \throws std::length_error  packing<Task> takes nothing off it: there would be no end
template <class Task>
Task unpack_task(std::span<const std::byte>& in) {
  const std::size_t before = in.size();
  Task task = packing<Task>::unpack(in);
  if (in.size() >= before) {
    throw std::length_error("leat::packing: unpack takes nothing off " + std::to_string(before) + " bytes for a task");
  }
  return task;
}

}  // namespace ranks

}  // namespace leat::inline LEAT_ABI
