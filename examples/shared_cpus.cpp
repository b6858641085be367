// Two libraries that have a runtime each, and do not know of each other: together they keep as many workers busy as there are CPUs.
#include <leat/leat.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <numeric>
#include <thread>
#include <vector>

namespace {

// What a program's configuration would say of each.
leat::options options_of(const char* name) {
  leat::options o;
  o.thread_name = name;
  o.share_cpus = true;
  return o;
}

std::uint64_t checksum(leat::runtime& rt) {
  return rt.run([] {
    return leat::parallel_reduce(
        0, 1'000'000, std::uint64_t{0}, [](int i) { return static_cast<std::uint64_t>(i) % 1009; }, std::plus<>());
  });
}

bool sorts(leat::runtime& rt) {
  std::vector<int> v(300'000);
  std::iota(v.rbegin(), v.rend(), 0);
  rt.run([&] { leat::parallel_sort(v.begin(), v.end()); });
  return std::is_sorted(v.begin(), v.end());
}

}  // namespace

int main() {
  leat::runtime codec(options_of("codec"));
  leat::runtime index(options_of("index"));
  bool sorted = true;
  std::thread other([&] {
    for (int i = 0; i < 10; ++i) sorted = sorts(index) && sorted;
  });
  std::uint64_t sum = 0;
  for (int i = 0; i < 10; ++i) sum = checksum(codec);
  other.join();
  std::printf("sum %llu\n", static_cast<unsigned long long>(sum));
  std::uint64_t expected = 0;
  for (std::uint64_t i = 0; i < 1'000'000; ++i) expected += i % 1009;
  return sorted && sum == expected ? 0 : 1;
}
