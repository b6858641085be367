// leat::channel between user-level threads, which leave their workers while they wait.
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "carried.hpp"
#include "leat/task/channel.hpp"

namespace {

using leat::task::ends;
using leat_test::carrying_shapes;
using leat_test::engine;
using leat_test::machine_of;
using leat_test::on_each_shape;
using leat_test::reps;
using leat_test::shape;

template <class T, ends Senders = ends::many, ends Receivers = ends::many>
using channel = leat::task::channel<engine::platform, T, Senders, Receivers>;
using on = leat_test::carried<engine>;

// A pipeline of more threads than workers: each step waits for the one before.
TEST(threads_channel, make_a_pipeline) {
  on_each_shape<engine>(carrying_shapes(), [](engine& e, const shape& s) {
    constexpr std::size_t steps = 5;
    const int messages = reps(200);
    using link = channel<int, ends::one, ends::one>;
    std::vector<std::unique_ptr<link>> links;
    for (std::size_t i = 0; i <= steps; ++i) links.push_back(std::make_unique<link>(2));
    int sum = 0;
    on::run(e, machine_of(s.workers), [&] {
      std::vector<on::thread> all;
      for (std::size_t i = 0; i < steps; ++i) {
        all.emplace_back([&, i] {
          for (const int m : *links[i]) links[i + 1]->send(m + 1);
          links[i + 1]->close();
        });
      }
      on::thread source([&] {
        for (int i = 0; i < messages; ++i) links[0]->send(0);
        links[0]->close();
      });
      for (const int m : *links[steps]) sum += m;
      source.join();
      for (auto& t : all) t.join();
    });
    EXPECT_EQ(sum, messages * static_cast<int>(steps));
  });
}

// A thread that has a group in hand cannot leave: its worker blocks, and another one compensates.
TEST(threads_channel, stay_on_their_workers_while_those_are_known) {
  on_each_shape<engine>(carrying_shapes(), [](engine& e, const shape& s) {
    channel<int> there(1), back(1);
    int got = 0;
    on::run(e, machine_of(s.workers), [&] {
      on::thread answering([&] {
        for (const int m : there) back.send(m + 1);
      });
      engine::task_group known;
      for (int i = 0; i < 10; ++i) {
        there.send(std::move(got));
        got = *back.receive();
      }
      there.close();
      known.wait();
      answering.join();
    });
    EXPECT_EQ(got, 10);
  });
}

}  // namespace
