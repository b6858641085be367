// Which words of a worker other workers write (Prell and Rauber; thesis, 3.1): of the scheduler `prell` none but those of
// channels.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engines.hpp"
#include "leat/platform/simulated.hpp"
#include "leat/published/processors.hpp"

namespace {

using leat::platform::simulated;
using leat::platform::simulation;
using engine = leat_test::engine_on<simulated>;
using worker = leat::scheduler::worker<simulated>;
using prell = leat::published::prell<simulated>;

// The names of private members may be written where a template is instantiated explicitly. So the test sees where the channels
// lie, and the scheduler need not say it.
template <class Member, Member which>
struct shows {
  friend auto member_of(std::type_identity<Member>) { return which; }
};
using requests_member = leat::channels::mpsc<simulated, leat::published::steal_request> prell::*;
using tasks_member = leat::channels::spsc<simulated, leat::published::sent_task> prell::*;
using over_member = leat::channels::spsc<simulated, bool> prell::*;
auto member_of(std::type_identity<requests_member>);
auto member_of(std::type_identity<tasks_member>);
auto member_of(std::type_identity<over_member>);
template struct shows<requests_member, &prell::requests_>;
template struct shows<tasks_member, &prell::tasks_>;
template struct shows<over_member, &prell::over_>;

struct range {
  const std::byte* first = nullptr;
  std::size_t bytes = 0;
  bool has(const void* p) const {
    const auto* const byte = static_cast<const std::byte*>(p);
    return byte >= first && byte < first + bytes;
  }
};

template <class T>
range range_of(const T& object) {
  return {reinterpret_cast<const std::byte*>(&object), sizeof(T)};
}

/// What belongs to a worker: the object with all its parts, and that of the published scheduler. An empty range has no word.
struct owned {
  const worker* owner;
  std::array<range, 2> words{};
  std::array<range, 3> channels{};
};

struct writes {
  std::uint64_t own = 0;
  std::uint64_t of_channels = 0;  ///< by other workers
  std::uint64_t of_others = 0;  ///< words of a worker written by another one, but channels
};

owned words_of(worker& w) {
  owned o{&w, {range_of(w)}, {}};
  if (auto* const p = dynamic_cast<prell*>(w.published)) {
    o.words[1] = range_of(*p);
    o.channels = {range_of(p->*member_of(std::type_identity<requests_member>())),
                  range_of(p->*member_of(std::type_identity<tasks_member>())),
                  range_of(p->*member_of(std::type_identity<over_member>()))};
  }
  return o;
}

long fib(int n) {
  if (n < 2) return n;
  const auto [a, b] = engine::fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

void recurse() { fib(14); }

void produce() {
  for (int phase = 0; phase < 3; ++phase) {
    for (int i = 0; i < 300; ++i) engine::spawn([] { simulated::work_ns(500); });
    engine::barrier();
  }
}

void group() {
  engine::task_group all;
  for (int i = 0; i < 300; ++i) all.spawn([] { simulated::work_ns(500); });
  all.wait();
}

void loop() {
  engine::parallel_for(0, 2000, [](int) { simulated::work_ns(100); });
}

/// Counts the writes of a world in which `program` runs on that many workers.
template <class Program>
writes count(leat_test::shape s, Program program) {
  writes found;
  std::vector<owned> all;  // filled inside, so its memory is reserved outside
  all.reserve(s.workers);
  simulation::settings settings;
  settings.on = leat::platform::machine::even();
  settings.observer = [&](leat::platform::operation what, const void* at) {
    const worker* const writer = worker::current();
    if (what == leat::platform::operation::load || writer == nullptr) return;
    for (const owned& o : all) {
      const auto in = [at](const range& r) { return r.has(at); };
      if (std::ranges::none_of(o.words, in)) continue;
      if (o.owner == writer) ++found.own;
      else if (std::ranges::any_of(o.channels, in)) ++found.of_channels;
      else ++found.of_others;
      return;
    }
  };
  leat::platform::by_time schedule;
  simulation world(settings, schedule);
  const auto outcome = world.run([&] {
    engine e(s);
    for (std::uint32_t w = 0; w < s.workers; ++w) all.push_back(words_of(e.worker_at(w)));
    e.run([&] { program(); });
    all.clear();
  });
  EXPECT_TRUE(outcome.ok()) << outcome.failure;
  return found;
}

void (*const programs[])() = {recurse, produce, group, loop};

TEST(words, of_a_worker_of_prell_are_written_by_itself_but_for_channels) {
  for (const std::uint32_t workers : {2u, 8u, 48u}) {
    for (auto* const program : programs) {
      leat_test::shape s{workers, 8192, 0};
      s.published = leat::protocol::published::prell;
      s.interrupt_after_ns = 0;
      for (const auto& [t, several] : {std::pair(leat::protocol::termination::worker, false),
                                       std::pair(leat::protocol::termination::dedicated, false),
                                       std::pair(leat::protocol::termination::worker, true)}) {
        s.prell.termination = t;
        s.places.clear();
        for (std::uint32_t w = 0; several && w < workers; ++w) s.places.push_back(w % 4);
        const writes found = count(s, program);
        EXPECT_EQ(found.of_others, 0u) << workers << " workers";
        EXPECT_GT(found.of_channels, 0u);
        EXPECT_GT(found.own, 0u);
      }
    }
  }
}

// So the count can differ from zero.
TEST(words, of_workers_of_other_schedulers_are_written_by_thieves) {
  for (const auto published : {leat::protocol::published::none, leat::protocol::published::lcws_user}) {
    leat_test::shape s{8, 8192, 20'000};
    s.published = published;
    EXPECT_GT(count(s, recurse).of_others, 0u);
  }
}

}  // namespace
