// Work from outside: the injector and the count of its drains in every schedule, and runtimes that end while two threads submit,
// in drawn ones. What is accepted is executed once; no wake-up is lost. Rules SUBMIT: docs/internals/submit.md.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client_parts.hpp"
#include "every_schedule.hpp"
#include "leat/handshake/injector.hpp"
#include "leat/platform/simulated.hpp"
#include "leat/task/gather.hpp"

namespace {

using leat::platform::acq_rel;
using leat::platform::relaxed;
using leat::platform::simulated;
using leat_test::expect_here;
using leat_test::fail_here;
using leat_test::in_every_schedule;
using leat_test::shape;
using leat_test::client::engine;
using word = simulated::atomic<std::uint32_t>;

// The injector alone. A thread that is to start a drain is one.
struct submitted {
  using injector = leat::handshake::injector<simulated>;

  struct item : injector::link {
    std::uint32_t accepted = 0;
    word taken{0};
  };

  explicit submitted(std::uint32_t drains_max) : most(drains_max) {}

  void submit(item& i) {
    i.accepted = all.put(i) ? 1 : 0;
    start();
  }
  void start() {
    if (!drains.begin(most)) return;
    drain();
  }
  void drain() {
    std::array<injector::link*, 1> some;
    leat::handshake::drain(
        all, drains, most, [&] { return all.has_some() && all.take(some) != 0; },
        [&] { static_cast<item*>(some[0])->taken.fetch_add(1, relaxed); }, [] { return false; }, [&] { start(); });
  }
  void expect_all(std::vector<item*> items) {
    for (const item* i : items)
      expect_here(i->taken.load(relaxed) == i->accepted, "client: what was accepted is taken once");
    expect_here(!all.has_some(), "client: nothing is left");
  }

  injector all;
  leat::handshake::drain_count<simulated> drains;
  const std::uint32_t most;
};

TEST(every_schedule, of_submissions_by_two_threads) {
  for (const std::uint32_t most : {1u, 2u}) {
    in_every_schedule([most] {
      submitted s(most);
      submitted::item a, b, c;
      simulated::thread other([&] { s.submit(a); });
      s.submit(b);
      s.submit(c);
      other.join();
      s.expect_all({&a, &b, &c});
    });
  }
}

TEST(every_schedule, of_a_submission_and_the_end) {
  in_every_schedule([] {
    submitted s(1);
    submitted::item a, b;
    simulated::thread other([&] {
      s.submit(a);
      s.submit(b);
    });
    s.all.close();
    s.start();
    expect_here(s.all.closed(), "client: it is closed");
    other.join();
    expect_here(a.accepted >= b.accepted, "client: none is accepted after one was refused");
    s.expect_all({&a, &b});
  });
}

// -- whole runtimes

void expect(bool holds, const char* what) {
  if (!holds) leat::platform::simulation::current()->fail(std::string("client: ") + what);
}

template <class F>
void in_worlds(std::uint32_t seeds, F world) {
  for (std::uint32_t seed = 0; seed < seeds; ++seed) {
    leat::platform::at_random drawn(seed, 1u << seed % 6);
    leat::platform::simulation::settings settings;
    settings.steps_max = 20'000'000;
    const auto end = leat::platform::simulation(settings, drawn).run([&] { world(seed); });
    ASSERT_TRUE(end.ok()) << "seed " << seed << ": " << end.failure;
  }
}

shape shape_with(std::uint32_t workers, std::uint32_t seed) {
  shape s{workers, seed % 2 == 0 ? std::size_t{1} : std::size_t{64}, seed % 3 * 20'000};
  using leat::protocol::published;
  if (seed % 5 == 4) s.published = seed % 2 == 0 ? published::prell : published::work_stealing;
  else s.published = published::none;
  return s;
}

template <class F>
auto submit(engine& e, F f) {
  return leat::task::submit<simulated>(e.worker_at(0).home, std::move(f));
}

// A task keeps the runtime until both have been refused.
TEST(submissions, are_executed_though_the_runtime_ends_meanwhile) {
  in_worlds(400, [](std::uint32_t seed) {
    std::array<word, 2> accepted{}, executed{};
    word refused{0};
    std::array<simulated::thread, 2> threads;
    {
      engine e(shape_with(1 + seed % 3, seed));
      static_cast<void>(submit(e, [&] {
        for (std::uint32_t n = 0; (n = refused.load(leat::platform::acquire)) != 2;) simulated::wait(refused, n);
      }));
      for (std::size_t t = 0; t < 2; ++t) {
        threads[t] = simulated::thread([&, t] {
          try {
            for (std::uint32_t i = 0; i < 1000; ++i) {
              static_cast<void>(submit(e, [&, t] { executed[t].fetch_add(1, relaxed); }));
              accepted[t].fetch_add(1, relaxed);
              if (i == 3) simulated::sleep_ns(200'000);  // the end has begun by now, or soon
            }
          } catch (const leat::closed_runtime&) {
          }
          refused.fetch_add(1, acq_rel);
          simulated::wake_all(refused);
        });
      }
    }
    for (auto& t : threads) t.join();
    for (std::size_t t = 0; t < 2; ++t)
      expect(accepted[t].load(relaxed) == executed[t].load(relaxed), "what is accepted is executed once");
  });
}

// The end may wait for nothing after that: the runtime's owner asks next whether anything is under way.
TEST(submissions, are_done_when_the_injector_has_been_closed) {
  in_worlds(100, [](std::uint32_t seed) {
    engine e(shape_with(1 + seed % 3, seed));
    auto& home = e.worker_at(0).home;
    word executed{0};
    for (std::uint32_t i = 0; i < 3; ++i) {
      static_cast<void>(submit(e, [&] {
        simulated::sleep_ns(30'000);
        executed.fetch_add(1, relaxed);
      }));
    }
    expect(home.submitted().close(), "there is no other run");
    expect(executed.load(relaxed) == 3, "all were executed");
    expect(!home.under_way(), "no run is left");
  });
}

TEST(submissions, wake_a_pool_that_sleeps) {
  in_worlds(300, [](std::uint32_t seed) {
    engine e(shape_with(1 + seed % 2, seed));
    for (std::uint32_t i = 0; i < 3; ++i) {
      simulated::sleep_ns(seed % 7 * 30'000);
      simulated::thread other([&] { expect(submit(e, [i] { return i; }).get() == i, "the result"); });
      expect(submit(e, [] { return 9; }).get() == 9, "the result");
      other.join();
    }
  });
}

TEST(submissions, go_beside_runs_that_wait_for_them) {
  in_worlds(300, [](std::uint32_t seed) {
    engine e(shape_with(1 + seed % 3, seed));
    auto shared = submit(e, [] { return 5; }).share();
    simulated::thread other([&] { expect(shared.get() == 5, "the result outside"); });
    auto then = shared.then([](int i) { return i + 1; });
    const int got = e.run([&] {
      auto f = engine::async([&] { return shared.get(); });
      return f.get();
    });
    expect(got == 5, "the result in a run");
    auto all = leat::task::gather_these<simulated, false>(std::move(then), shared);
    auto sum = all.then([](auto both) { return std::get<0>(both).get() + std::get<1>(both).get(); });
    if (seed % 2 == 0) expect(sum.get() == 11, "the sum");
    else expect(e.run([&] { return sum.get(); }) == 11, "the sum in a run");
    other.join();
  });
}

// The only worker is in a run, and waits for what it alone can execute (FUTURE-7, FUTURE-9).
TEST(submissions, are_executed_by_the_only_worker) {
  in_worlds(100, [](std::uint32_t seed) {
    shape s = shape_with(1, seed);
    s.published = leat::protocol::published::none;
    engine e(s);
    const int got = e.run([&] {
      std::optional<leat::task::future<simulated, int>> f;
      simulated::thread other([&] { f = submit(e, [] { return 5; }); });
      other.join();
      return f->get() + engine::async([] { return 1; }).then([](int i) { return i + 1; }).get();
    });
    expect(got == 7, "both results");
  });
}

}  // namespace
