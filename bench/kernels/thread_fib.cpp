#include "kernels/thread_fib.hpp"

#include "kernels/fib.hpp"
#include "kernels/range.hpp"

#include <array>
#include <memory>
#include <stdexcept>
#include <vector>

namespace leat::kernels::thread_fib {

namespace {

using platform_chosen = platform::chosen;

/// Cache lines that one thread writes and others read.
class written {
 public:
  explicit written(std::int64_t lines) : size_(static_cast<std::size_t>(lines)), lines_(new line[size_]) {}

  void write() noexcept {
    for (std::size_t i = 0; i < size_; ++i)
      lines_[i].word.store(i, platform::relaxed);  // relaxed: who reads has joined
  }
  void read() const noexcept {
    for (std::size_t i = 0; i < size_; ++i)
      static_cast<void>(lines_[i].word.load(platform::relaxed));  // relaxed: as above
  }

 private:
  struct alignas(platform::cache_line) line {
    platform_chosen::atomic<std::uint64_t> word{0};
  };
  std::size_t size_;
  std::unique_ptr<line[]> lines_;
};

/// What the levels of the recursion are put on.
struct recursion {
  const parameters& p;
  std::vector<machine_level> levels;

  /// Where the bubbles of a level burst, in the way `placed`: on the deepest level of the machine, above the units, that has no more domains than the
  /// recursion has calls.
  [[nodiscard]] const std::string& burst_level(std::int64_t level) const {
    std::size_t at = 0;
    while (at + 2 < levels.size() && levels[at + 1].domains <= std::uint64_t{1} << level) ++at;
    return levels[at].kind;
  }

  std::uint64_t call(std::int64_t n, std::int64_t level, const written* of_caller, bubble* around) const {
    if (level == p.depth || n < 2) return fib::serial({.n = n});
    written mine(p.lines);
    mine.write();
    if (of_caller != nullptr) of_caller->read();
    std::array<std::uint64_t, 2> found{};
    std::array<std::unique_ptr<written>, 2> theirs;
    const auto half = [&](std::size_t i, bubble* b) {
      return [&, i, b] {
        mine.read();
        found[i] = call(n - 1 - static_cast<std::int64_t>(i), level + 1, &mine, b);
        theirs[i] = std::make_unique<written>(p.lines);
        theirs[i]->write();
      };
    };
    if (p.way == way::simple) {
      thread first(half(0, nullptr)), second(half(1, nullptr));
      first.join();
      second.join();
    } else {
      bubble both(
          bubble_options{.burst_level = p.way == way::placed ? burst_level(level) : "", .stays = p.bubbles_stay});
      both.spawn(half(0, &both));
      both.spawn(half(1, &both));
      if (around == nullptr) both.wake();
      else around->insert(both);
      both.join();
    }
    for (const auto& t : theirs) t->read();
    return found[0] + found[1];
  }
};

}  // namespace

std::string_view name(way w) noexcept {
  constexpr std::array<std::string_view, 3> names{"simple", "bubbles", "placed"};
  return names[static_cast<std::size_t>(w)];
}

void parameters::validate() const {
  check_range("-n", n, 0, n_max);
  check_range("--depth", depth, 0, depth_max);
  check_range("--lines", lines, 0, lines_max);
  if (bubbles_stay && way == way::simple) throw std::invalid_argument("--bubbles-stay: --way simple has no bubbles");
}

std::uint64_t parameters::expected() const noexcept { return fib::number(n); }

serial_outcome serial(const parameters& p) {
  return run_serially([&] { return fib::serial({.n = p.n}); });
}

carried_outcome parallel(runtime& rt, const parameters& p, bubble_trace* trace) {
  return run_carried(rt, trace, [&] { return recursion{p, machine_levels()}.call(p.n, 0, nullptr, nullptr); });
}

}  // namespace leat::kernels::thread_fib
