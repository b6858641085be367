// Large pieces of memory are kept between calls of algorithms: the system takes longer to map and clear the pages of a
// new one than an algorithm takes to use it.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>

#include "leat/platform/chosen.hpp"
#include "leat/platform/order.hpp"
#include "leat_pstl_room.hpp"

namespace leat::inline LEAT_ABI::adapters::pstl {

namespace {

/// Smaller pieces are the allocator's: it keeps them itself.
constexpr std::size_t kept_bytes_min = std::size_t{1} << 20;
/// All that is kept, at most.
constexpr std::size_t kept_bytes_max = std::size_t{512} << 20;
/// Pieces that are kept, at most.
constexpr std::size_t kept_max = 4;

// Stands before each piece.
struct alignas(__STDCPP_DEFAULT_NEW_ALIGNMENT__) piece {
  std::size_t bytes;
};

// Each place is empty, or has a piece that no buffer is in.
template <class T>
using atomic = platform::chosen::template atomic<T>;
std::array<atomic<piece*>, kept_max> places{};
// In the places; more while a piece is on its way.
atomic<std::size_t> kept_bytes{0};

void drop(piece* p) noexcept {
  kept_bytes.fetch_sub(p->bytes, platform::relaxed);  // relaxed: a bound, which guards nothing
  ::operator delete(p);
}

// False if another thread has put a piece there meanwhile.
bool put(atomic<piece*>& place, piece* p) noexcept {
  piece* empty = nullptr;
  // release: pairs with the exchanges. relaxed: the next place is tried.
  return place.compare_exchange_strong(empty, p, platform::release, platform::relaxed);
}

piece* take_kept(std::size_t bytes) noexcept {
  for (auto& place : places) {
    // acquire: the piece's size is read next; pairs with put. relaxed: only a hint that there is one.
    if (place.load(platform::relaxed) == nullptr) continue;
    piece* const p = place.exchange(nullptr, platform::acquire);
    if (p == nullptr) continue;
    // A piece much larger than what is wanted would hold memory that is never used.
    if (p->bytes >= bytes && p->bytes / 4 <= bytes) {
      kept_bytes.fetch_sub(p->bytes, platform::relaxed);  // relaxed: a bound, which guards nothing
      return p;
    }
    if (!put(place, p)) drop(p);
  }
  return nullptr;
}

// What was used last is wanted next. So where there is no room for a piece, those in the places make way.
bool keep(piece* p) noexcept {
  const std::size_t bytes = p->bytes;
  if (bytes > kept_bytes_max) return false;
  // relaxed, both: as in drop
  if (kept_bytes.fetch_add(bytes, platform::relaxed) + bytes <= kept_bytes_max) {
    for (auto& place : places) {
      if (put(place, p)) return true;
    }
  }
  for (auto& place : places) {
    // acquire: the piece's size is read next; pairs with put.
    if (piece* const old = place.exchange(nullptr, platform::acquire)) drop(old);
    if (kept_bytes.load(platform::relaxed) <= kept_bytes_max && put(place, p)) return true;
  }
  kept_bytes.fetch_sub(bytes, platform::relaxed);
  return false;
}

}  // namespace

void* take_room(std::size_t bytes) {
  if (bytes >= kept_bytes_min) {
    if (piece* const p = take_kept(bytes)) return p + 1;
  }
  auto* const p = ::new (::operator new(sizeof(piece) + bytes)) piece{bytes};
  return p + 1;
}

void give_room(void* room) noexcept {
  auto* const p = static_cast<piece*>(room) - 1;
  if (p->bytes >= kept_bytes_min && keep(p)) return;
  ::operator delete(p);
}

}  // namespace leat::inline LEAT_ABI::adapters::pstl
