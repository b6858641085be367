// The machine that this process runs on.
#include <algorithm>

#include "leat/topology/cpus.hpp"
#include "leat/topology/machine.hpp"

namespace leat::topology {

machine machine::of_host() {
  std::vector<unsigned> cpus = read_cpus().allowed;
  cpus.resize(std::min<std::size_t>(cpus.size(), units_max));
  machine m = flat(static_cast<std::uint32_t>(cpus.size()));
  m.cpus_ = std::move(cpus);
  m.from_ = source::host;
  return m;
}

}  // namespace leat::topology
