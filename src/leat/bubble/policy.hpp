// Policies: where bubbles go down, burst, and go when units are idle, as objects that a program chooses or writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "leat/bubble/decisions.hpp"
#include "leat/topology/machine.hpp"

namespace leat::inline LEAT_ABI::bubbles {

/// What a policy is told of a bubble.
struct bubble_seen {
  std::uint32_t number = 0;  ///< from 0, in the order in which bubbles are made
  std::int32_t priority = 0;
  affinity members = affinity::data;
  std::size_t threads = 0;  ///< in it, and in the bubbles in it, that have not ended
  double work = 0;  ///< what the program has said; or as much as it has threads
};

/// What a policy is told of the domains around the unit that looks, from the root, at depth 0, to the unit.
struct path_seen {
  std::span<const std::uint32_t> units;  ///< by depth: how many units the domain has; the last one has one
  std::uint32_t released = 0;  ///< the depth of the domain where the bubble was released

  std::uint32_t leaf() const noexcept { return static_cast<std::uint32_t>(units.size() - 1); }
};

/// What a policy is told of a domain into which a bubble may go down.
struct domain_seen {
  topology::domain_id domain = topology::root_domain;
  std::uint32_t units = 1;
  double load = 0;  ///< the work that has gone down into it, and is not done
  std::size_t free = 0;  ///< carriers there that have nothing to do
  bool is_own = false;  ///< it has the unit that looks
};

/// See leat::bubble_policy. What it does not override is the default, `work`.
class policy {
 public:
  policy() = default;
  policy(const policy&) = default;
  policy& operator=(const policy&) = default;
  virtual ~policy() = default;

  /// BUBBLE-2
  virtual std::uint32_t burst_depth(const bubble_seen& b, const path_seen& r) const noexcept {
    return bubbles::burst_depth(b.members, b.threads, r.released, r.leaf(),
                                [&](std::uint32_t d) { return r.units[d]; });
  }
  /// BUBBLE-1
  virtual bool prefers(const bubble_seen& b, const domain_seen& other, const domain_seen& best) const noexcept {
    return other.free != 0 && goes_elsewhere(b.work, best.load, best.units, other.load, other.units);
  }
  /// REGENERATION-1, REGENERATION-2
  virtual regeneration for_idle(const bubble_seen&, const burst_seen& s) const noexcept { return bubbles::for_idle(s); }
};

/// As the paper has it: a unit pulls a bubble down to its own side; a bubble of which no level is known bursts where it was
/// released; an idle unit has bubbles come back and takes them over, and none widens.
class as_published final : public policy {
 public:
  std::uint32_t burst_depth(const bubble_seen&, const path_seen& r) const noexcept override { return r.released; }
  bool prefers(const bubble_seen&, const domain_seen&, const domain_seen&) const noexcept override { return false; }
  regeneration for_idle(const bubble_seen& b, const burst_seen& s) const noexcept override {
    return policy::for_idle(b, s) == regeneration::move ? regeneration::move : regeneration::none;
  }
};

/// By what members are to each other alone: a bubble stays on the side of the unit that looks, unless nothing is free
/// there, however much has gone down into it.
class by_affinity final : public policy {
 public:
  bool prefers(const bubble_seen&, const domain_seen& other, const domain_seen& best) const noexcept override {
    return other.free != 0 && best.free == 0;
  }
};

}  // namespace leat::inline LEAT_ABI::bubbles
