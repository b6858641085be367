// The machine as a tree of domains, down to its processing units. Page: docs/guide/topology.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::topology {

/// A machine has at most so many units, and levels below its root.
inline constexpr std::uint32_t units_max = 1u << 16;
inline constexpr std::uint32_t levels_max = 16;

/// The place of a domain in machine::domains().
/// Good for that machine alone, and for machines that are equal to it.
using domain_id = std::uint32_t;
inline constexpr domain_id root_domain = 0;

/// The place of a processing unit among all, from 0, as one meets them in the tree.
using unit_id = std::uint32_t;

/// A node of the machine tree: the units that it has, and what they share.
struct domain {
  /// hwloc's word in small letters: "machine", "group", "package", "die", "numa", "l5" to "l1", "core", "pu".
  std::string kind;
  std::uint32_t index = 0;  ///< among those of its kind, from 0, as one meets them in the tree
  std::uint32_t depth = 0;  ///< of the root: 0
  domain_id parent = root_domain;  ///< of the root: itself
  std::vector<domain_id> children;  ///< empty: it is one unit
  unit_id first_unit = 0;  ///< its units are this one and those that follow
  std::uint32_t units = 1;  ///< how many, at least one

  // One compare: below first_unit the difference goes round to a large number.
  [[nodiscard]] bool has(unit_id u) const noexcept { return u - first_unit < units; }

  friend bool operator==(const domain&, const domain&) = default;
};

/// The tree. A plain value: copy it, compare it; reading one object from several threads is safe.
class machine {
 public:
  /// Where the tree came from.
  enum class source : std::uint8_t {
    flat,       ///< only the number of units is known
    described,  ///< a description
    host,       ///< this machine: threads can be bound to its units
  };

  /// A level of a machine whose domains of one level all look alike.
  struct level {
    std::string kind;
    std::uint32_t children;  ///< how many of this kind each domain of the level above has

    friend bool operator==(const level&, const level&) = default;
  };

  /// `units` units, all equally far apart.
  /// \throws std::invalid_argument unless 1 <= units <= units_max
  static machine flat(std::uint32_t units, source from = source::flat);

  /// The machine whose root has the first level beneath it, that the second, and so on; the domains of the last are the units.
  /// \throws std::invalid_argument  no level or more than levels_max, no children, more than units_max units; names the level
  static machine regular(std::span<const level> levels, source from = source::described);

  /// From a description in hwloc's words, outermost first: "numa:4 core:4 pu:1" has four NUMA nodes of four cores with a unit
  /// each. It ends with pu; only groups may come more often than once. Upper and lower case are one.
  /// \throws std::invalid_argument  what is not understood or out of range; names the word
  static machine synthetic(std::string_view text);

  /// The machine that this process runs on, as far as it may use it (see read_cpus): from hwloc where leat was built with it,
  /// which heeds its own environment variables, such as HWLOC_XMLFILE and HWLOC_SYNTHETIC; else flat.
  /// Any thread. Costs milliseconds; nothing is kept.
  /// \throws std::invalid_argument  HWLOC_XMLFILE or HWLOC_SYNTHETIC has a value that makes no machine; names it
  /// \throws std::bad_alloc         there is less memory than hwloc takes for this host, before it is asked
  static machine of_host();

  /// Depth first, each before its children and these in order: the root is the first, and all that is in domain d follows it.
  [[nodiscard]] const std::vector<domain>& domains() const noexcept { return domains_; }
  /// `d` is below domains().size(), and below each `u` is below units(): nothing is checked. O(1).
  [[nodiscard]] const domain& operator[](domain_id d) const noexcept { return domains_[d]; }

  [[nodiscard]] std::uint32_t units() const noexcept { return domains_[root_domain].units; }

  /// Levels of domains, the root's among them, on the longest path: at least 2.
  [[nodiscard]] std::uint32_t levels() const noexcept { return levels_; }

  [[nodiscard]] source from() const noexcept { return from_; }

  /// The system's number of the CPU that a unit is. Where units are no CPUs of this host: the unit itself.
  [[nodiscard]] unsigned cpu(unit_id u) const noexcept { return cpus_.empty() ? u : cpus_[u]; }

  /// The domain that is one unit.
  [[nodiscard]] domain_id leaf(unit_id u) const noexcept { return leaves_[u]; }

  /// The domains that have the unit, from the root to the leaf. O(levels).
  [[nodiscard]] std::vector<domain_id> path(unit_id u) const;

  /// The smallest domain that has both units. O(levels).
  [[nodiscard]] domain_id common(unit_id a, unit_id b) const noexcept;

  /// How far two units are apart, 0 for the same: the levels from theirs up to that of common(a, b). O(levels).
  [[nodiscard]] std::uint32_t distance(unit_id a, unit_id b) const noexcept;

  /// The depth at which domains of this kind are; none if there are none. Where a machine has them at several depths, as with
  /// groups, the least.
  [[nodiscard]] std::optional<std::uint32_t> depth_of(std::string_view kind) const noexcept;

  /// By tree, CPUs and source: a description of this host is not equal to the host.
  friend bool operator==(const machine&, const machine&) = default;

 private:
  machine() = default;

  // Adds a domain; the parents come first.
  domain_id add(std::string_view kind, domain_id parent);
  // Adds these levels beneath the parent, depth first.
  void add_levels(domain_id parent, std::span<const level> beneath);
  void add_beneath(domain_id parent, const void* object);  // of hwloc
  // Once all have been added: counts units and kinds.
  void finish();

  // Parents before children; see domains(). Nothing changes after finish().
  std::vector<domain> domains_;
  std::vector<domain_id> leaves_;  // of each unit
  std::vector<unsigned> cpus_;  // of each unit; or empty
  std::uint32_t levels_ = 0;
  source from_ = source::flat;
};

}  // namespace leat::inline LEAT_ABI::topology
