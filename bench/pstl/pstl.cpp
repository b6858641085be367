// The algorithms of the standard library in parallel, one after another, each timed. One source, built three ways: on
// leat, on oneTBB, and in GCC's parallel mode, whose algorithms take no policy (LEAT_BENCH_PARALLEL_MODE).
//
// usage: PROGRAM [ELEMENTS [PART OF A NAME]]      prints a line for each algorithm: its name, and milliseconds
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>
#if defined(LEAT_BENCH_PARALLEL_MODE)
#include <parallel/algorithm>
#include <parallel/numeric>
#define PAR
#else
#include <execution>
#define PAR std::execution::par,
#endif

namespace {

using numbers = std::vector<int>;

std::size_t elements = 10'000'000;
std::string_view part_of_name;
volatile long long sink;

// Evenly spread, and the same in each program.
numbers random_numbers(std::size_t n, unsigned seed, unsigned below) {
  numbers v(n);
  std::uint64_t x = seed;
  for (int& i : v) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    i = static_cast<int>((x >> 33) % below);
  }
  return v;
}

// prepare(), then f() timed: once to warm up, and then the best of three, or of as many as a fifth of a second holds.
template <class Prepare, class F>
void time(const char* name, Prepare prepare, F f) {
  if (std::string_view(name).find(part_of_name) == std::string_view::npos) return;
  using clock = std::chrono::steady_clock;
  double best = 1e300;
  double all = 0;
  for (int i = 0; i < 4 || all < 200; ++i) {
    prepare();
    const clock::time_point start = clock::now();
    sink = static_cast<long long>(f());
    const double took = std::chrono::duration<double, std::milli>(clock::now() - start).count();
    if (i == 0) continue;
    best = std::min(best, took);
    all += std::max(took, 1.0);
  }
  std::printf("%s %.3f\n", name, best);
  std::fflush(stdout);
}

template <class F>
void time(const char* name, F f) {
  time(name, [] {}, f);
}

// Objects: whether g++ inlines a call by a pointer to a function is chance.
constexpr auto is_rare = [](int i) { return i == -1; };
constexpr auto is_odd = [](int i) { return i % 2 != 0; };

void time_reading(const numbers& v) {
  [[maybe_unused]] const auto n = static_cast<std::ptrdiff_t>(v.size());
  numbers same = v;
  numbers with_one = v;
  with_one[v.size() * 3 / 4] = -1;
  const numbers pattern{-1, -2, -3};
  time("find", [&] { return std::find(PAR with_one.begin(), with_one.end(), -1) - with_one.begin(); });
  time("find_if", [&] { return std::find_if(PAR with_one.begin(), with_one.end(), is_rare) - with_one.begin(); });
  time("count", [&] { return std::count(PAR v.begin(), v.end(), 7); });
  time("count_if", [&] { return std::count_if(PAR v.begin(), v.end(), is_odd); });
  time("equal", [&] { return std::equal(PAR v.begin(), v.end(), same.begin()); });
  time("mismatch", [&] { return std::mismatch(PAR v.begin(), v.end(), with_one.begin()).first - v.begin(); });
  time("lexicographical_compare",
       [&] { return std::lexicographical_compare(PAR v.begin(), v.end(), same.begin(), same.end()); });
  time("search", [&] { return std::search(PAR v.begin(), v.end(), pattern.begin(), pattern.end()) - v.begin(); });
  time("min_element", [&] { return std::min_element(PAR v.begin(), v.end()) - v.begin(); });
  time("max_element", [&] { return std::max_element(PAR v.begin(), v.end()) - v.begin(); });
  numbers sorted(v.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  time("adjacent_find", [&] { return std::adjacent_find(PAR sorted.begin(), sorted.end()) - sorted.begin(); });
#if defined(LEAT_BENCH_PARALLEL_MODE)
  time("reduce", [&] { return std::accumulate(v.begin(), v.end(), 0LL); });
  time("transform_reduce", [&] { return std::inner_product(v.begin(), v.end(), same.begin(), 0LL); });
#else
  time("reduce", [&] { return std::reduce(PAR v.begin(), v.end(), 0LL); });
  time("transform_reduce", [&] { return std::transform_reduce(PAR v.begin(), v.end(), same.begin(), 0LL); });
  time("any_of", [&] { return std::any_of(PAR with_one.begin(), with_one.end(), is_rare); });
  time("is_sorted", [&] { return std::is_sorted(PAR sorted.begin(), sorted.end()); });
  time("is_partitioned",
       [&] { return std::is_partitioned(PAR sorted.begin(), sorted.end(), [n](int i) { return i < n / 2; }); });
  time("minmax_element", [&] { return std::minmax_element(PAR v.begin(), v.end()).second - v.begin(); });
  time("includes", [&] { return std::includes(PAR sorted.begin(), sorted.end(), sorted.begin(), sorted.end()); });
#endif
}

void time_writing(const numbers& v) {
  numbers out(v.size());
  numbers work;
  const auto fresh = [&] { work = v; };
  const auto add = [](int& i) { i += 3; };
  time("for_each", [&] { return std::for_each(PAR out.begin(), out.end(), add), out[0]; });
  time("transform",
       [&] { return *(std::transform(PAR v.begin(), v.end(), out.begin(), [](int i) { return i * 3; }) - 1); });
  time("generate", [&] { return std::generate(PAR out.begin(), out.end(), [] { return 5; }), out[0]; });
  time("replace_if", fresh, [&] { return std::replace_if(PAR work.begin(), work.end(), is_odd, 0), work[0]; });
  time("adjacent_difference", [&] { return *(std::adjacent_difference(PAR v.begin(), v.end(), out.begin()) - 1); });
  time("partition", fresh, [&] { return std::partition(PAR work.begin(), work.end(), is_odd) - work.begin(); });
  time("unique_copy", [&] { return std::unique_copy(PAR v.begin(), v.end(), out.begin()) - out.begin(); });
#if defined(LEAT_BENCH_PARALLEL_MODE)
  time("inclusive_scan", [&] { return *(std::partial_sum(v.begin(), v.end(), out.begin()) - 1); });
#else
  time("inclusive_scan", [&] { return *(std::inclusive_scan(PAR v.begin(), v.end(), out.begin()) - 1); });
  time("exclusive_scan", [&] { return *(std::exclusive_scan(PAR v.begin(), v.end(), out.begin(), 0) - 1); });
  time("copy", [&] { return *(std::copy(PAR v.begin(), v.end(), out.begin()) - 1); });
  time("fill", [&] { return std::fill(PAR out.begin(), out.end(), 4), out[0]; });
  time("reverse", fresh, [&] { return std::reverse(PAR work.begin(), work.end()), work[0]; });
  time("rotate", fresh, [&] { return std::rotate(PAR work.begin(), work.begin() + 1000, work.end()) - work.begin(); });
  time("copy_if", [&] { return std::copy_if(PAR v.begin(), v.end(), out.begin(), is_odd) - out.begin(); });
  time("remove_if", fresh, [&] { return std::remove_if(PAR work.begin(), work.end(), is_odd) - work.begin(); });
  time("unique", fresh, [&] { return std::unique(PAR work.begin(), work.end()) - work.begin(); });
  time("partition_copy", [&] {
    return std::partition_copy(PAR v.begin(), v.end(), out.begin(), out.rbegin(), is_odd).first - out.begin();
  });
  time("stable_partition", fresh,
       [&] { return std::stable_partition(PAR work.begin(), work.end(), is_odd) - work.begin(); });
#endif
}

void time_ordering(const numbers& v) {
  const auto n = static_cast<std::ptrdiff_t>(v.size());
  numbers work;
  const auto fresh = [&] { work = v; };
  time("sort", fresh, [&] { return std::sort(PAR work.begin(), work.end()), work[0]; });
  time("stable_sort", fresh, [&] { return std::stable_sort(PAR work.begin(), work.end()), work[0]; });
  time("partial_sort", fresh,
       [&] { return std::partial_sort(PAR work.begin(), work.begin() + n / 10, work.end()), work[0]; });
  time("nth_element", fresh,
       [&] { return std::nth_element(PAR work.begin(), work.begin() + n / 2, work.end()), work[0]; });
  numbers a = v;
  numbers b = random_numbers(v.size(), 77, 1u << 30);
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  numbers out(2 * v.size());
  const auto count = [&](auto end) { return end - out.begin(); };
  time("merge", [&] { return count(std::merge(PAR a.begin(), a.end(), b.begin(), b.end(), out.begin())); });
  time("set_union", [&] { return count(std::set_union(PAR a.begin(), a.end(), b.begin(), b.end(), out.begin())); });
  time("set_intersection",
       [&] { return count(std::set_intersection(PAR a.begin(), a.end(), b.begin(), b.end(), out.begin())); });
  time("set_difference",
       [&] { return count(std::set_difference(PAR a.begin(), a.end(), b.begin(), b.end(), out.begin())); });
#if !defined(LEAT_BENCH_PARALLEL_MODE)
  const auto halves = [&] {
    work = v;
    std::copy(a.begin(), a.begin() + n / 2, work.begin());
    std::copy(b.begin() + n / 2, b.end(), work.begin() + n / 2);
  };
  time("inplace_merge", halves,
       [&] { return std::inplace_merge(PAR work.begin(), work.begin() + n / 2, work.end()), work[0]; });
#endif
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) elements = std::strtoull(argv[1], nullptr, 10);
  if (argc > 2) part_of_name = argv[2];
  if (elements < 2000) {
    std::fprintf(stderr, "pstl: %s elements: must be a number, 2000 or more\n", argv[1]);
    return 1;
  }
  const numbers v = random_numbers(elements, 42, 1u << 30);
  time_reading(v);
  time_writing(v);
  time_ordering(v);
}
