#include "kernels/pairs.hpp"

#include "kernels/chain.hpp"
#include "kernels/range.hpp"

#include <array>
#include <memory>
#include <vector>

namespace leat::kernels::pairs {

namespace {

constexpr std::int64_t lines_of_a_piece = 64;
constexpr int rounds_of_a_piece = 4000;

/// What one thread computes, and has found.
class share {
 public:
  explicit share(work_kind kind, std::uint64_t number)
      : kind_(kind), number_(number), visited_(kind == work_kind::memory ? lines_of_a_piece : 1), sum_(number + 1) {}

  void compute(const parameters& p, std::int64_t cycle) {
    for (std::int64_t i = 0; i < p.pieces; ++i) {
      if (kind_ == work_kind::memory) sum_ = visited_.visit(sum_);
      else mix();
      work_ns(varied(p.piece_ns, number_, static_cast<std::uint64_t>(cycle)), 0, kind_);
    }
  }

  [[nodiscard]] std::uint64_t sum() const noexcept { return sum_; }

 private:
  void mix() noexcept {
    for (int i = 0; i < rounds_of_a_piece; ++i) sum_ ^= sum_ << 13, sum_ ^= sum_ >> 7, sum_ ^= sum_ << 17;
  }

  work_kind kind_;
  std::uint64_t number_;
  chain visited_;
  std::uint64_t sum_;
};

/// Pair i has the threads i, which computes, and i + pairs, which visits memory.
class program {
 public:
  explicit program(const parameters& p) : p_(p) {
    for (std::int64_t i = 0; i < 2 * p.pairs; ++i)
      shares_.push_back(
          std::make_unique<share>(i < p.pairs ? work_kind::integer : work_kind::memory, static_cast<std::uint64_t>(i)));
  }

  [[nodiscard]] std::int64_t threads() const noexcept { return 2 * p_.pairs; }
  void compute(std::int64_t thread, std::int64_t cycle) {
    shares_[static_cast<std::size_t>(thread)]->compute(p_, cycle);
  }
  [[nodiscard]] std::uint64_t sum() const {
    std::uint64_t all = 0;
    for (const auto& s : shares_) all = all * 31 + s->sum();
    return all;
  }

 private:
  const parameters& p_;
  std::vector<std::unique_ptr<share>> shares_;
};

}  // namespace

std::string_view name(way w) noexcept {
  constexpr std::array<std::string_view, 2> names{"simple", "bubbles"};
  return names[static_cast<std::size_t>(w)];
}

void parameters::validate() const {
  check_range("--pairs", pairs, 1, pairs_max);
  check_range("--cycles", cycles, 1, cycles_max);
  check_range("--pieces", pieces, 1, pieces_max);
  check_range("--piece-ns", piece_ns, 0, piece_ns_max);
}

serial_outcome serial(const parameters& p) {
  program all(p);
  return run_serially([&] {
    for (std::int64_t k = 0; k < p.cycles; ++k)
      for (std::int64_t i = 0; i < all.threads(); ++i) all.compute(i, k);
    return all.sum();
  });
}

carried_outcome parallel(runtime& rt, const parameters& p, bubble_trace* trace) {
  program all(p);
  return run_carried(rt, trace, [&] {
    thread_barrier barrier(static_cast<std::size_t>(all.threads()));
    const auto thread_of = [&](std::int64_t i) {
      return [&, i] {
        for (std::int64_t k = 0; k < p.cycles; ++k) {
          all.compute(i, k);
          barrier.arrive_and_wait();
        }
      };
    };
    bubble whole(bubble_options{.burst_level = "machine"});
    std::vector<std::unique_ptr<bubble>> parts;
    for (std::int64_t i = 0; i < p.pairs && p.way == way::bubbles; ++i) {
      parts.push_back(std::make_unique<bubble>(bubble_options{.members = affinity::symbiosis}));
      parts.back()->spawn(thread_of(i));
      parts.back()->spawn(thread_of(i + p.pairs));
      whole.insert(*parts.back());
    }
    for (std::int64_t i = 0; i < all.threads() && p.way == way::simple; ++i) whole.spawn(thread_of(i));
    whole.wake();
    whole.join();
    return all.sum();
  });
}

}  // namespace leat::kernels::pairs
