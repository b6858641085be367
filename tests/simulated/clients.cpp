#include "clients.hpp"

namespace leat_test {

namespace {

// splitmix64, of two numbers.
std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  std::uint64_t z = a + (b + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

}  // namespace

std::uint32_t scene::drawn(std::uint64_t key, std::uint32_t end) const {
  return static_cast<std::uint32_t>((mixed(seed, key) >> 32) * end >> 32);
}

const std::vector<program>& programs() {
  static const std::vector<program> all{
      {"forks_plain", client::forks_plain},
      {"forks_context", client::forks_context},
      {"spawns_and_barriers", client::spawns_and_barriers},
      {"groups", client::groups},
      {"groups_in_recursion", client::groups_in_recursion},
      {"groups_cancelled", client::groups_cancelled},
      {"groups_in_forks", client::groups_in_forks},
      {"graphs", client::graphs},
      {"tasks_after", client::tasks_after},
      {"futures", client::futures},
      {"futures_shared", client::futures_shared},
      {"loops", client::loops},
      {"loops_spawned", client::loops_spawned},
      {"two_threads", client::two_threads},
      {"runs_capped", client::runs_capped},
      {"runtimes_come_and_go", client::runtimes_come_and_go},
      {"runtimes_call_each_other", client::runtimes_call_each_other},
      {"blocking", client::blocking},
      {"exceptions", client::exceptions},
      {"teams", client::teams},
      {"places", client::places},
      {"lock_across_waits", client::lock_across_waits},
      {"lock_wanted_by_forks", client::lock_wanted_by_forks},
      {"lifeline", client::lifeline},
      {"long_fork", client::long_fork},
      {"waits_any", client::waits_any},
      {"waits_any_for_another_run", client::waits_any_for_another_run},
  };
  return all;
}

}  // namespace leat_test
