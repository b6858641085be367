// Where the calling code runs on the machine, as programs ask for it.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "leat/thread/carrier.hpp"

namespace leat::inline LEAT_ABI::threads {

/// See leat::location.
class location {
 public:
  location(const topology::machine& m, topology::unit_id unit, topology::domain_id area) noexcept
      : machine_(&m), unit_(unit), area_(area) {}

  const topology::machine& machine() const noexcept { return *machine_; }
  topology::unit_id unit() const noexcept { return unit_; }
  topology::domain_id area() const noexcept { return area_; }
  const std::string& level() const noexcept { return (*machine_)[area_].kind; }

  /// From the leaf up, so of several domains of one kind the smallest answers.
  topology::domain_id domain_of(std::string_view level) const {
    for (topology::domain_id d = machine_->leaf(unit_);; d = (*machine_)[d].parent) {
      if ((*machine_)[d].kind == level) return d;
      if (d == topology::root_domain) break;
    }
    throw std::invalid_argument("leat::location::domain_of: unit " + std::to_string(unit_) + " is in no \"" +
                                std::string(level) + "\"");
  }

 private:
  const topology::machine* machine_;
  topology::unit_id unit_;
  topology::domain_id area_;
};

/// A thread's area may change as soon as it is read: acquire only makes the bubble's burst or widening visible.
/// Out of line, as the caller's frame must keep no address of a thread-local word across a switch.
template <class P>
[[gnu::noinline]] std::optional<location> where() noexcept {
  const carrier<P>* const c = carrier<P>::here();
  if (c == nullptr) return std::nullopt;
  const bubbles::green_thread<P>* const s = c->current();
  const topology::domain_id area =
      s == nullptr ? topology::root_domain : s->area.load(platform::acquire);  // pairs with burst and widen
  return location(c->home().machine(), c->unit(), area);
}

}  // namespace leat::inline LEAT_ABI::threads
