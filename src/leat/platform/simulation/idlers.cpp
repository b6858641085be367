#include "leat/platform/simulation/idlers.hpp"

#include <algorithm>

#include "leat/platform/simulation/fibre.hpp"

namespace leat::inline LEAT_ABI::platform {

void idlers::clear() {
  for (bucket& b : waiting_) b.clear();
  ever_ = false;
}

void idlers::add(fibre& f) {
  for (const auto& [line, writes] : f.round) waiting_[line % buckets].emplace_back(line, &f);
}

void idlers::remove(fibre& f) {
  for (const auto& [line, writes] : f.round) {
    bucket& b = waiting_[line % buckets];
    *std::find(b.begin(), b.end(), std::pair<std::uint64_t, fibre*>(line, &f)) = b.back();
    b.pop_back();
  }
}

fibre* idlers::of(std::uint64_t line) const {
  for (const auto& [waited_for, f] : waiting_[line % buckets]) {
    if (waited_for == line) return f;
  }
  return nullptr;
}

}  // namespace leat::inline LEAT_ABI::platform
