// Runtimes, teams and threads of the program, which come and go.
#include <atomic>
#include <thread>
#include <vector>

#include "operations.hpp"

namespace soak {

void runs_across(scene& s) {
  scene there{s.numbers.split(), s.book, s.kinds, s.other, &s.other, s.other, levels_max};
  const auto call = [&] { return there.home.run([&] { return perform_inside(there), std::uint64_t{42}; }); };
  // A blocked worker that began a run of its own runtime would need a spare, and there need not be one.
  const bool at_home = s.local == &s.other;
  const std::uint64_t found = at_home || s.numbers.once_in(2) ? call() : leat::blocking(call);
  expect(found, 42, "the result of a run that a task called");
  s.book.parts(kind::across, 1);
}

void strangers(scene& s) {
  const std::uint64_t threads = s.numbers.between(1, 6);
  std::atomic<std::uint64_t> returned{0};
  std::vector<std::thread> all;
  for (std::uint64_t i = 0; i < threads; ++i) {
    all.emplace_back([&returned, one = s.inner()]() mutable {
      for (std::uint64_t k = one.numbers.between(1, 4); k > 0; --k) {
        returned += one.home.run([&] { return perform_inside(one.inner()), std::uint64_t{1}; });
        if (k > 1) --returned;
      }
      auto late = one.home.run([] { return leat::async([] { return 7; }); });  // carried out of its run
      expect(static_cast<std::uint64_t>(late.get()), 7, "a future that has left its run");
    });
  }
  for (auto& t : all) t.join();
  expect(returned.load(), threads, "the runs of threads that come and go");
  s.book.parts(kind::stranger, threads);
}

void teams(scene& s) {
  leat::team team(drawn_options(s.numbers, 3));
  const std::uint64_t calls = s.numbers.between(1, 20);
  std::uint64_t returned = 0;
  for (std::uint64_t i = 0; i < calls; ++i) {
    returned += team.call([&] {
      scene one = s.inner();
      one.local = &team.runtime();
      return perform_inside(one), std::uint64_t{1};
    });
  }
  expect(returned, calls, "the calls of a team");
  // A barrier in a last call: what a task of an earlier one has spawned and not awaited is done then.
  team.call([] { leat::barrier(); });
  s.book.add(team.runtime().counters());
  s.book.parts(kind::team, calls + 1);
}

void runtimes(scene& s) {
  std::uint64_t runs = 0;
  for (std::uint64_t n = s.numbers.between(1, 5); n > 0; --n) {
    leat::runtime visiting(drawn_options(s.numbers, 4));
    for (std::uint64_t k = s.numbers.below(4); k > 0; --k) {
      scene one{s.numbers.split(), s.book, s.kinds, visiting, &visiting, visiting, 2};
      visiting.run([&] { perform_inside(one); });
      ++runs;
    }
    s.book.add(visiting.counters());
  }
  s.book.parts(kind::runtime, runs);
}

}  // namespace soak
