#include "interposed/faults.hpp"

#include <dlfcn.h>
#include <time.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>

// Of the linker.
extern "C" const char __executable_start, etext;

namespace leat_test::interposed {

namespace {

std::atomic<const kind*> now{nullptr};
std::atomic<std::int64_t> left{-1};
std::atomic<std::uint32_t> per_million{0};
std::atomic<std::uint64_t> draws{0};
std::atomic<std::uint64_t> happened{0};
std::array<std::atomic<std::uint64_t>, static_cast<std::size_t>(call::count)> made{};

constinit thread_local int spares = 0;

std::uint64_t draw() noexcept {
  // splitmix64: any number of threads, and signal handlers, draw from one sequence.
  constexpr std::uint64_t step = 0x9e3779b97f4a7c15;
  std::uint64_t z = draws.fetch_add(step) + step;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

void be_late() noexcept {
  constexpr std::uint64_t late_ns_max = 300'000;
  const int saved = errno;
  const timespec time{0, static_cast<long>(drawn_below(late_ns_max))};
  clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nullptr);  // none of those that stand in
  errno = saved;
}

}  // namespace

armed::armed(const kind& k, const schedule& s) noexcept {
  happened = 0;
  draws = s.seed;
  per_million = s.per_million;
  left = s.at;
  now = &k;
}

armed::~armed() {
  now = nullptr;
  end_leaps();
}

std::uint64_t armed::met() noexcept { return happened; }

spared::spared() noexcept { ++spares; }
spared::~spared() { --spares; }

std::uint64_t calls(call c) noexcept { return made[static_cast<std::size_t>(c)]; }

std::uint64_t drawn_below(std::uint64_t n) noexcept { return draw() % n; }

const kind* meets(call c) noexcept {
  if (spares != 0) return nullptr;
  made[static_cast<std::size_t>(c)].fetch_add(1, std::memory_order_relaxed);
  const kind* const k = now.load();
  if (k == nullptr || k->what != c) return nullptr;
  constexpr std::uint64_t million = 1'000'000;
  const std::uint32_t share = per_million;
  if (share != 0 ? drawn_below(million) >= share : left.load() < 0 || left.fetch_sub(1) != 0) return nullptr;
  happened.fetch_add(1);
  if (k->how != way::late) return k;
  be_late();
  return nullptr;
}

bool is_of_sanitizer(const void* returns_to) noexcept {
  if (returns_to >= &__executable_start && returns_to < &etext) return false;
  const spared from_malloc_of_it;
  Dl_info found{};
  return dladdr(returns_to, &found) != 0 && std::strstr(found.dli_fname, "libclang_rt") != nullptr;
}

bool refuses(call c) noexcept {
  const kind* const k = meets(c);
  if (k == nullptr) return false;
  errno = k->error;
  return true;
}

void* real(const char* name) noexcept {
  const spared from_malloc_of_it;
  void* const found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) std::abort();
  return found;
}

}  // namespace leat_test::interposed
