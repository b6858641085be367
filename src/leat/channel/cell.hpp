// Room for messages: one (cell), or many whose memory is not touched before they are used (room).
#pragma once

#include <cstddef>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include "leat/platform/object.hpp"

namespace leat::inline LEAT_ABI::channels {

/// Room for one message, which is there or not; the channel that uses the cell knows (rules SPSC-3, MPSC-3, MPMC-2,
/// ONESHOT-1 of docs/internals/channels.md). Thread safety: none of its own. Only the cell's owner of the moment may
/// call anything.
template <class T>
class cell {
  static_assert(std::is_nothrow_move_constructible_v<T> && std::is_nothrow_destructible_v<T>,
                "a message that throws while it moves would be lost, or leave a cell that nobody can give back");

 public:
  void put(T&& message) noexcept { ::new (static_cast<void*>(bytes_)) T(std::move(message)); }

  T& message() noexcept { return *std::launder(reinterpret_cast<T*>(bytes_)); }

  void drop() noexcept { message().~T(); }

  std::optional<T> take() noexcept {
    std::optional<T> taken(std::move(message()));
    drop();
    return taken;
  }

  /// Undoes put(message): the message goes back to where it came from.
  void give_back(T& origin) noexcept {
    if constexpr (std::is_nothrow_move_assignable_v<T>) {
      origin = std::move(message());
    } else {
      origin.~T();
      ::new (static_cast<void*>(platform::address_of(origin))) T(std::move(message()));
    }
    drop();
  }

 private:
  alignas(T) std::byte bytes_[sizeof(T)];
};

/// Memory for `size` cells (of any kind), neither touched nor constructed here. Its user constructs and destroys them.
template <class Cell>
class room {
 public:
  explicit room(std::size_t size)
      : cells_(static_cast<Cell*>(::operator new(size * sizeof(Cell), std::align_val_t{alignof(Cell)}))), size_(size) {}
  ~room() { ::operator delete(cells_, std::align_val_t{alignof(Cell)}); }
  room(const room&) = delete;
  room& operator=(const room&) = delete;

  Cell& operator[](std::size_t i) const noexcept { return cells_[i]; }
  std::size_t size() const noexcept { return size_; }

 private:
  Cell* const cells_;
  const std::size_t size_;
};

/// Returns `capacity`, in messages, if it is between 1 and `capacity_max`; throws std::invalid_argument that names the
/// channel and the value if not.
std::size_t checked_capacity(const char* channel, std::size_t capacity, std::size_t capacity_max);

}  // namespace leat::inline LEAT_ABI::channels
