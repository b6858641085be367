// Futures: taken, shared, dropped.
#include <memory>
#include <utility>
#include <vector>

#include "operations.hpp"

namespace soak {

namespace {

/// What a future's task computes from its number: cheap, and not what a default would be.
std::uint64_t mixed(std::uint64_t i) { return draws(i).next(); }

std::uint64_t sum_of_mixed(std::uint64_t n) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < n; ++i) sum += mixed(i);
  return sum;
}

}  // namespace

void futures(scene& s) {
  const std::uint64_t n = s.size(500);
  std::vector<leat::future<std::uint64_t>> all;
  for (std::uint64_t i = 0; i < n; ++i) {
    if (s.numbers.once_in(64)) {
      const scene beside = s.inner();
      all.push_back(leat::async([i, beside] { return perform_inside(beside), mixed(i); }));
    } else if (i % 7 == 0) {  // too large for a recycled block
      all.push_back(leat::async([i, own = std::vector<std::uint64_t>(40, 1)] { return mixed(i) * own[i % 40]; }));
    } else {
      all.push_back(leat::async([](std::uint64_t k) { return mixed(k); }, i));
    }
  }
  std::uint64_t sum = 0;
  const bool newest_first = s.numbers.once_in(2);
  for (std::uint64_t i = 0; i < n; ++i) {
    auto& f = all[newest_first ? n - 1 - i : (i * 7 + 3) % n];
    if (!f.valid()) continue;  // 7 divides n: some are come upon twice
    if (i % 5 == 0) f.wait(s.level == 0 ? leat::wait::any : leat::wait::own);
    sum += f.get();
  }
  for (auto& f : all) {
    if (f.valid()) sum += f.get();
  }
  expect(sum, sum_of_mixed(n), "the results of futures");
  s.book.parts(kind::future, n);
}

void shared_futures(scene& s) {
  const std::uint64_t n = s.size(50);
  std::vector<leat::shared_future<std::vector<std::uint64_t>>> all;
  for (std::uint64_t i = 0; i < n; ++i) {
    all.push_back(leat::async([i] { return std::vector<std::uint64_t>(20, mixed(i)); }).share());
  }
  const auto read = [&all] {
    std::uint64_t sum = 0;
    for (const auto& f : std::vector(all)) sum += f.get()[19];
    return sum;
  };
  auto elsewhere = leat::async(read);
  const auto [here, there] = leat::fork_join(read, read);
  for (const std::uint64_t sum : {here, there, elsewhere.get()}) {
    expect(sum, sum_of_mixed(n), "the results of shared futures");
  }
  s.book.parts(kind::shared, 3 * n);
}

void dropped_futures(scene& s) {
  for (std::uint64_t n = s.size(20); n > 0; --n) {
    s.book.begin(kind::dropped);
    static_cast<void>(leat::async([book = &s.book, n] {
      book->parts(kind::dropped, 1);
      book->end(kind::dropped);
      return std::make_unique<std::uint64_t>(n);
    }));
  }
}

}  // namespace soak
