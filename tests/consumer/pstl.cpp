// What a user of the standard library's parallel algorithms has: a program that includes nothing of leat.

#include <algorithm>
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
  // leat's workers call the function, and not the thread that waits for them.
  const std::thread::id here = std::this_thread::get_id();
  const bool elsewhere = std::all_of(std::execution::par_unseq, numbers.begin(), numbers.end(),
                                     [here](int) { return std::this_thread::get_id() != here; });
  std::printf("std::execution::par on leat: %lld\n", sum);
  const bool sorted = std::is_sorted(numbers.begin(), numbers.end());
  return sorted && elsewhere && sum == 19'999'900'000 ? 0 : 1;
}
