// Two callers share a runtime: a background job that may have one worker at a time, and work that a user waits for.
#include <leat/leat.hpp>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <thread>
#include <vector>

int main() {
  leat::runtime rt({.workers = 4});

  // One worker at a time: the tasks need no lock, and none of them has to be on one thread.
  long words = 0;
  std::thread background([&] {
    rt.run({.workers_max = 1}, [&] {
      for (int page = 0; page < 1000; ++page) {
        leat::spawn([&words, page] { words += page % 7; });
      }
    });
  });

  std::vector<int> v(200'000);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<int>(i * 7919 % v.size());
  rt.run([&] { leat::parallel_sort(v.begin(), v.end(), std::greater<>()); });

  background.join();
  std::printf("%ld words; %d is the largest number\n", words, v.front());
  return words == 2997 && v.front() == 199'999 && std::is_sorted(v.rbegin(), v.rend()) ? 0 : 1;
}
