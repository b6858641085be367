// The loads of the domains: how much work has gone down into each, and is not done (BUBBLE-6).
#pragma once

#include <vector>

#include "leat/topology/machine.hpp"

namespace leat::inline LEAT_ABI::bubbles {

/// How far a bubble has gone down. It counts as so much work in each domain beneath `from`, as far as `to`.
struct descent {
  topology::domain_id from = topology::root_domain;
  topology::domain_id to = topology::root_domain;
  double work = 0;
};

/// Under the bubbles' lock. Each descent counts in one machine's loads, and in no domain once it has begun
/// anew at the root. The load of a domain is the sum of `work` over all descents that lead through it or end
/// in it, and that began above it.
class domain_loads {
 public:
  explicit domain_loads(const topology::machine& m) : machine_(m), loads_(m.domains().size()) {}

  double operator[](topology::domain_id d) const noexcept { return loads_[d]; }

  /// One level down, to the child `to`. A bubble that has so much work at its first step down keeps that
  /// amount until it comes back, so that the same is taken away which was added.
  void sink(descent& way, double amount, topology::domain_id to) noexcept {
    if (way.to == way.from) way.work = amount;
    loads_[to] += way.work;
    way.to = to;
  }

  /// It is no deeper than the ancestor `to` any more.
  void rise(descent& way, topology::domain_id to) noexcept {
    while (way.to != way.from && machine_[way.to].depth > machine_[to].depth) {
      loads_[way.to] -= way.work;
      way.to = machine_[way.to].parent;
    }
    // It has come to lie above where it was released: it counts nowhere then, and its next way down begins at `to`.
    if (machine_[way.from].depth > machine_[to].depth) way.from = way.to = to;
  }

  /// It counts nowhere any more, and goes down from `from` the next time.
  void begin_at(descent& way, topology::domain_id from) noexcept {
    rise(way, topology::root_domain);
    way.from = way.to = from;
  }

 private:
  const topology::machine& machine_;
  std::vector<double> loads_;
};

}  // namespace leat::inline LEAT_ABI::bubbles
