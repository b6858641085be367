// What a user of the standard library's parallel algorithms has: a program that includes nothing of leat.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <execution>
#include <numeric>
#include <thread>
#include <vector>

#if defined(_PSTL_PAR_BACKEND_TBB)
#error "libstdc++ has chosen oneTBB"
#endif

int main() {
  std::vector<int> numbers(200'000);
  std::iota(numbers.rbegin(), numbers.rend(), 0);
  std::sort(std::execution::par, numbers.begin(), numbers.end());
  const long long sum = std::reduce(std::execution::par, numbers.begin(), numbers.end(), 0LL);
  // Workers of leat call the function beside this thread, which waits in it until one of them has.
  const std::thread::id here = std::this_thread::get_id();
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  std::atomic<bool> elsewhere{std::thread::hardware_concurrency() < 2};
  std::for_each(std::execution::par, numbers.begin(), numbers.end(), [&](int) {
    if (std::this_thread::get_id() != here) elsewhere = true;
    while (!elsewhere && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  });
  std::printf("std::execution::par on leat: %lld\n", sum);
  const bool sorted = std::is_sorted(numbers.begin(), numbers.end());
  return sorted && elsewhere && sum == 19'999'900'000 ? 0 : 1;
}
