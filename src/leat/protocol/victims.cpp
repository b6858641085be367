#include "leat/protocol/victims.hpp"

namespace leat::inline LEAT_ABI::protocol {

victims::victims(std::vector<worker_id> others, std::vector<std::uint32_t> level_ends, std::uint64_t seed,
                 std::uint32_t attempts)
    : order_(std::move(others)), level_ends_(std::move(level_ends)), random_(seed), attempts_(attempts) {
  if (level_ends_.empty()) level_ends_.push_back(static_cast<std::uint32_t>(order_.size()));
}

victims victims::flat(worker_id thief, std::uint32_t workers, std::uint64_t seed, std::uint32_t attempts) {
  std::vector<worker_id> others;
  others.reserve(workers);
  for (worker_id id = 0; id < workers; ++id) {
    if (id != thief) others.push_back(id);
  }
  return victims(std::move(others), {}, seed, attempts);
}

}  // namespace leat::inline LEAT_ABI::protocol
