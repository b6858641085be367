// A thread with an event loop, as a window or a server has one: it hands requests over, and never waits for a worker. Answers come by
// polling, by a continuation, and when the first of several is there.

#include <leat/leat.hpp>

#include <cstddef>
#include <cstdio>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr int requests = 200;

long steps_to_one(long n) {
  long steps = 0;
  for (; n != 1; ++steps) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
  return steps;
}

struct log {
  std::mutex one;
  std::vector<std::string> lines;
  void add(std::string line) {
    const std::lock_guard<std::mutex> here(one);
    lines.push_back(std::move(line));
  }
};

}  // namespace

int main() {
  leat::runtime rt({.workers = 2});
  log answers;
  std::vector<leat::future<long>> open;
  std::vector<leat::future<void>> written;
  long sum = 0;
  std::size_t rounds = 0;
  for (int sent = 0; sent < requests || !open.empty(); ++rounds) {
    if (sent < requests) {  // an event
      ++sent;
      open.push_back(rt.submit(steps_to_one, 1000 + sent));
      written.push_back(
          rt.submit(steps_to_one, 2000 + sent).then([&answers](long steps) { answers.add(std::to_string(steps)); }));
    }
    for (std::size_t i = 0; i < open.size();) {  // what is ready, in any order
      if (!open[i].is_ready()) {
        ++i;
        continue;
      }
      sum += open[i].get();
      std::swap(open[i], open.back());
      open.pop_back();
    }
  }
  leat::when_all(written).get();
  auto fastest = leat::when_any(rt.submit(steps_to_one, 27), rt.submit(steps_to_one, 97)).get();

  long expected = 0;
  for (int i = 1; i <= requests; ++i) expected += steps_to_one(1000 + i);
  std::printf("%d requests in %zu rounds of the loop, %zu lines; the %s of two was the first\n", requests, rounds,
              answers.lines.size(), fastest.index == 0 ? "first" : "second");
  return sum == expected && answers.lines.size() == requests ? 0 : 1;
}
