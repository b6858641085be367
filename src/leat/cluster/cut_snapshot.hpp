// The snapshot that a cut comes to.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "leat/cluster/cut.hpp"
#include "leat/cluster/packing.hpp"
#include "leat/cluster/snapshot.hpp"

namespace leat::inline LEAT_ABI::ranks {

/// SNAPSHOT-3: of a complete cut, on rank 0. What ranks have found so far is combined here, and in the run once more.
template <class Result, class Combine>
snapshot snapshot_of(const cut& complete, const std::string& name, Combine& combine) {
  const auto result_of = [](const cut::part& p) { return unpack_result<Result>(p.result); };
  Result all = result_of(complete.parts().front());
  for (std::size_t i = 1; i < complete.parts().size(); ++i) {
    all = combine(std::move(all), result_of(complete.parts()[i]));
  }
  snapshot s{name, {}, {}};
  packing<Result>::pack(all, s.result);
  for (const cut::part& p : complete.parts()) s.tasks.insert(s.tasks.end(), p.tasks.begin(), p.tasks.end());
  return s;
}

}  // namespace leat::inline LEAT_ABI::ranks
