// Messages between ranks, damaged or made up. The first byte says which: of one rank that hears what the rest of the input holds,
// or of some ranks that damage each other's messages as it says.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster_world.hpp"
#include "fuzz/damaging_transport.hpp"
#include "fuzz/expect.hpp"
#include "fuzz/hurried_rank.hpp"
#include "fuzz/script.hpp"
#include "fuzz/scripted_transport.hpp"

namespace {

using leat::ranks::rank_id;
using leat_fuzz::expect;
using leat_fuzz::script;
using leat_test::twig;

constexpr std::uint64_t root_seed = 7;

std::uint64_t expanded(const twig& t, const std::function<void(twig)>& emit) {
  // A damaged task may claim to be anywhere in its tree.
  constexpr std::uint32_t depth_max = 9;
  if (t.depth <= depth_max) leat_test::grow(t, emit);
  return 1;
}

using rank = leat_fuzz::hurried_rank<twig, decltype(&expanded)>;

void hear_anything(script& s, std::string_view engine) {
  constexpr rank_id ranks_max = 5;
  const rank_id ranks = s.byte() % ranks_max + 1;
  const rank_id self = s.byte() % ranks;
  const std::uint32_t attempts = s.byte() % 4;
  rank one(std::make_unique<leat_fuzz::scripted_transport>(self, ranks, s), engine, attempts, &expanded);
  if (s.byte() % 2 == 0) one.run().add_root({root_seed, 6});
  bool over = false;
  while (!over && !s.ended()) over = one.run().step();
  std::string why;
  if (over) static_cast<void>(one.result(why));
}

void damage_some(script& s, std::string_view engine) {
  constexpr std::uint32_t steps_max = 1000;  // an undamaged run takes a few hundred
  const rank_id ranks = s.byte() % 3 + 1;
  const std::uint32_t attempts = s.byte() % 4;
  const std::uint8_t seed = s.byte();
  leat::ranks::local_world world(ranks, {seed, 0});
  std::uint32_t damaged = 0;
  std::vector<std::unique_ptr<rank>> all;
  for (rank_id r = 0; r < ranks; ++r) {
    all.push_back(std::make_unique<rank>(std::make_unique<leat_fuzz::damaging_transport>(world.end_of(r), s, damaged),
                                         engine, attempts, &expanded));
  }
  const twig root{seed, 6};
  all.front()->run().add_root(root);
  std::vector<bool> over(ranks, false);
  rank_id left = ranks;
  for (std::uint32_t step = 0; left != 0 && step != steps_max; ++step) {
    const rank_id r = step % ranks;
    if (over[r] || !all[r]->run().step()) continue;
    over[r] = true;
    --left;
  }
  expect(damaged != 0 || left == 0, "a run without damage does not end");
  for (rank_id r = 0; r < ranks; ++r) {
    if (!over[r]) continue;
    std::string why;
    const auto result = all[r]->result(why);
    expect(damaged != 0 || result == leat_test::count_twigs(root), "a run without damage has a wrong result");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  script s(std::as_bytes(std::span(data, size)));
  const std::uint8_t how = s.byte();
  const std::string_view engine = (how & 4) != 0 ? "two-sided" : (how & 2) != 0 ? "rma" : "messages";
  if ((how & 1) == 0) hear_anything(s, engine);
  else damage_some(s, engine);
  return 0;
}
