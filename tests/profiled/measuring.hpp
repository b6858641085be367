// A program whose strands take time by a clock of the test's own, and what was measured of it.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <utility>

#include "leat/leat.hpp"
#include "leat/strands/session.hpp"
#include "leat/strands/write_spans.hpp"

namespace leat_test {

using profiled = leat::platform::profiled;
using session = leat::strands::session<profiled>;

/// The time of one thread: it goes on where the program says so, and nowhere else.
inline thread_local std::uint64_t thread_ns = 1;
inline std::uint64_t read_thread_ns() noexcept { return thread_ns; }
/// Code of the program that takes so long.
inline void take(std::uint64_t ns) { thread_ns += ns; }

/// Each call takes 100 ns.
inline unsigned fib(unsigned n) {
  take(100);
  if (n < 2) return n;
  auto [a, b] = leat::fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

struct spans {
  std::uint64_t work = 0, span = 0, burdened = 0, count = 0;
};
struct measured {
  spans whole;
  std::map<std::string, spans> sites;  // by FILE:LINE, without folders
};

inline measured read_spans() {
  measured m;
  std::FILE* const file = std::tmpfile();
  leat::strands::write_spans(file);
  std::rewind(file);
  char kind[8] = {};
  while (std::fscanf(file, "%7s", kind) == 1) {
    char where[4096] = {};
    if (std::string(kind) == "site" && std::fscanf(file, "%4095s", where) != 1) break;
    unsigned long long n[4] = {};
    if (std::fscanf(file, "%llu %llu %llu %llu", n, n + 1, n + 2, n + 3) != 4) break;
    std::string name = where;
    name = name.substr(name.rfind('/') + 1);
    (name.empty() ? m.whole : m.sites[name]) = {n[0], n[1], n[2], n[3]};
  }
  std::fclose(file);
  return m;
}

/// Measures f as the root of a run with so many workers, by that clock; and records it, if there is a file, in about `limit` bytes.
template <class F>
measured measure(std::uint32_t workers, F f, const char* record_to = nullptr, profiled::clock clock = &read_thread_ns,
                 std::uint64_t limit = leat::strands::recorded_size<profiled>::limit_default) {
  profiled::strand_clock = clock;
  EXPECT_TRUE(session::begin(record_to, limit));
  {
    leat::runtime r({.workers = workers});
    r.run(f);
  }
  measured m = read_spans();
  EXPECT_TRUE(session::end());
  session::turn_off();
  return m;
}

}  // namespace leat_test
