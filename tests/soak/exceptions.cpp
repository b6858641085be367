// Exceptions out of each construct: the right one arrives, and all that was begun has ended by then.
#include <atomic>
#include <exception>
#include <vector>

#include "operations.hpp"

namespace soak {

namespace {

struct thrown {
  std::uint64_t number;
};

/// Calls f, which must throw, and returns the number of what it threw.
template <class F>
std::uint64_t number_of(F f) {
  try {
    f();
  } catch (const thrown& t) {
    return t.number;
  }
  fail("nothing was thrown");
}

/// Counts those that execute a callable, so that none does when its construct has been left.
class inside {
 public:
  explicit inside(std::atomic<int>& count) : count_(count) { count_.fetch_add(1); }
  inside(const inside&) = delete;
  ~inside() { count_.fetch_sub(1); }

 private:
  std::atomic<int>& count_;
};

std::uint64_t out_of_forks(std::uint64_t n, std::atomic<int>& count) {
  return number_of([&] {
    leat::fork_join([&] { const inside here(count); },
                    [&] {
                      const inside here(count);
                      throw thrown{n};
                    },
                    [&] {
                      const inside here(count);
                      throw thrown{n + 1};
                    });
  });
}

std::uint64_t out_of_a_group(std::uint64_t n, std::atomic<int>& count) {
  leat::task_group group;
  for (int i = 0; i < 50; ++i) {
    group.spawn([&count, i, n] {
      const inside here(count);
      if (i == 20) throw thrown{n};
    });
  }
  return number_of([&] { group.wait(); });
}

std::uint64_t out_of_a_future(std::uint64_t n) {
  auto one = leat::async([n]() -> std::uint64_t { throw thrown{n}; });
  const auto both = leat::async([n]() -> std::uint64_t { throw thrown{n}; }).share();
  expect(number_of([&] { both.get(); }), n, "what a shared future throws first");
  expect(number_of([&] { both.get(); }), n, "what a shared future throws again");
  return number_of([&] { static_cast<void>(one.get()); });
}

std::uint64_t out_of_a_loop(std::uint64_t n, std::atomic<int>& count) {
  return number_of([&] {
    leat::parallel_for(0, 10'000, [&](int i) {
      const inside here(count);
      if (i == 7'777) throw thrown{n};
    });
  });
}

std::uint64_t out_of_a_sort(std::uint64_t n) {
  std::vector<std::uint64_t> all(2'000);
  for (std::uint64_t i = 0; i < all.size(); ++i) all[i] = draws(i).next();
  std::uint64_t sum = 0;
  for (const std::uint64_t x : all) sum += x;
  std::atomic<int> left{1'000};
  const std::uint64_t number = number_of([&] {
    leat::parallel_sort(all, [&](std::uint64_t a, std::uint64_t b) {
      if (left.fetch_sub(1, std::memory_order_relaxed) <= 0) throw thrown{n};
      return a < b;
    });
  });
  for (const std::uint64_t x : all) sum -= x;
  expect(sum, 0, "what a sort that was left by an exception has lost");
  return number;
}

}  // namespace

void exceptions(scene& s) {
  const std::uint64_t n = s.numbers.next() / 2;
  std::atomic<int> count{0};
  std::uint64_t found = n;
  switch (s.numbers.below(5)) {
    case 0: found = out_of_forks(n, count); break;
    case 1: found = out_of_a_group(n, count); break;
    case 2: found = out_of_a_future(n); break;
    case 3: found = out_of_a_loop(n, count); break;
    default: found = out_of_a_sort(n);
  }
  expect(found, n, "the exception that came out of a construct");
  expect(static_cast<std::uint64_t>(count.load()), 0, "those that still execute what an exception has left");
  s.book.parts(kind::exception, 1);
}

}  // namespace soak
