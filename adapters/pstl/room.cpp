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

piece* take_kept(std::size_t bytes) noexcept {
  for (auto& place : places) {
    // acquire: the piece's size is read next; pairs with keep. relaxed: only a hint that there is one.
    if (place.load(platform::relaxed) == nullptr) continue;
    piece* const p = place.exchange(nullptr, platform::acquire);
    if (p == nullptr) continue;
    kept_bytes.fetch_sub(p->bytes, platform::relaxed);  // relaxed: a bound, which guards nothing
    // A piece much larger than what is wanted would hold memory that is never used.
    if (p->bytes >= bytes && p->bytes / 4 <= bytes) return p;
    give_room(p + 1);
  }
  return nullptr;
}

bool keep(piece* p) noexcept {
  // relaxed: a bound, which guards nothing.
  if (kept_bytes.fetch_add(p->bytes, platform::relaxed) + p->bytes <= kept_bytes_max) {
    for (auto& place : places) {
      piece* empty = nullptr;
      // release: pairs with take_kept; relaxed: the next place is tried.
      if (place.compare_exchange_strong(empty, p, platform::release, platform::relaxed)) return true;
    }
  }
  kept_bytes.fetch_sub(p->bytes, platform::relaxed);  // relaxed: as above
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
