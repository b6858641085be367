// Call sites: threads that reach a line at the same time get the same one.
#include <gtest/gtest.h>

#include <barrier>
#include <cstdint>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "profiled/measuring.hpp"

namespace {

using sites = leat::strands::sites<leat_test::profiled>;

constexpr std::uint32_t first_line = 1'000'000, lines = 400;

TEST(sites, are_the_same_for_all_threads) {
  constexpr int many = 4;
  std::vector<const void*> found[many];
  std::barrier together(many);
  std::vector<std::thread> threads;
  for (int t = 0; t < many; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint32_t i = 0; i < lines; ++i) {
        together.arrive_and_wait();
        found[t].push_back(sites::at({"a file of sites_test", first_line + i}));
      }
    });
  }
  for (std::thread& t : threads) t.join();
  for (int t = 1; t < many; ++t) EXPECT_EQ(found[t], found[0]);
  std::set<std::uint32_t> numbers;
  std::uint32_t seen = 0;
  for (const auto* s = sites::all(); s != nullptr; s = s->next) {
    EXPECT_TRUE(numbers.insert(s->number).second) << s->number << " is the number of two";
    seen += s->line >= first_line && s->line < first_line + lines;
  }
  EXPECT_EQ(seen, lines);
}

// The code of a call site may be unloaded, and its name with it.
TEST(sites, keep_their_names) {
  std::string name = "a file that goes";
  const auto* const s = sites::at({name.c_str(), first_line + lines});
  name.assign(name.size(), 'x');
  EXPECT_EQ(s->file, "a file that goes");
}

}  // namespace
