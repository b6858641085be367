// The lists of all domains of the machine, and the locks of theirs that are held together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "leat/bubble/list.hpp"
#include "leat/topology/machine.hpp"

namespace leat::inline LEAT_ABI::bubbles {

/// One list for each domain, by the domain's number. The machine stays as it is, so it needs no lock.
///
/// The area of an entity names the list where it belongs. It changes only under the locks of both lists, so
/// the holder of either knows it. A thread that wants the lock of its area reads the area, locks that list,
/// and looks whether the area is still the same (area_lock).
template <class P>
class domain_lists {
 public:
  using domain_id = topology::domain_id;

  explicit domain_lists(topology::machine m)
      : machine_(std::move(m)), lists_(std::make_unique<list<P>[]>(machine_.domains().size())) {}

  const topology::machine& machine() const noexcept { return machine_; }
  list<P>& operator[](domain_id d) const noexcept { return lists_[d]; }

  /// THREAD-1: the best list of a path, from a unit to the root. Without locks: its first entity may be gone when
  /// the lock is held. The heads are read one after the other, so they need not have stood so at any one moment.
  found peek(std::span<const domain_id> path) const noexcept {
    return best_of(path.size(), [&](std::size_t place) { return lists_[path[place]].peek(); });
  }

  /// The smallest domain that has `d` and the unit.
  domain_id around(domain_id d, topology::unit_id u) const noexcept {
    while (!machine_[d].has(u)) d = machine_[d].parent;
    return d;
  }

  /// Holds the lock of the list where an entity belongs. Until it is gone the area stays the same (BUBBLE-4).
  class area_lock {
   public:
    [[gnu::always_inline]] area_lock(const domain_lists& lists, const entity<P>& e) noexcept {
      // It begins anew only where the area has changed between the two loads, as the bubble burst or widened
      // meanwhile. So for a thread outside of bubbles it never does.
      for (;;) {
        area_ = e.area.load(platform::acquire);  // acquire: pairs with the stores of burst and widen
        list_ = &lists[area_];
        list_->lock().lock();
        if (e.area.load(platform::relaxed) == area_) return;  // relaxed: it changes under this lock
        list_->lock().unlock();
      }
    }
    area_lock(const area_lock&) = delete;
    area_lock& operator=(const area_lock&) = delete;
    ~area_lock() { list_->lock().unlock(); }

    domain_id area() const noexcept { return area_; }
    bubbles::list<P>& list() const noexcept { return *list_; }

   private:
    domain_id area_;
    bubbles::list<P>* list_;
  };

  /// Holds the locks of two lists, that nearer to the root first: domains are numbered from the root on,
  /// depth first, so a domain has a higher number than those around it. No other two are held at once, so no
  /// circle of waits arises. The two may be the same list, which is locked once then. (Paper, section 4.)
  class pair_lock {
   public:
    pair_lock(const domain_lists& lists, domain_id a, domain_id b) noexcept
        : first_(lists[std::min(a, b)]), second_(lists[std::max(a, b)]) {
      first_.lock().lock();
      if (&second_ != &first_) second_.lock().lock();
    }
    pair_lock(const pair_lock&) = delete;
    pair_lock& operator=(const pair_lock&) = delete;
    ~pair_lock() {
      if (&second_ != &first_) second_.lock().unlock();
      first_.lock().unlock();
    }

   private:
    list<P>& first_;
    list<P>& second_;
  };

 private:
  const topology::machine machine_;
  const std::unique_ptr<list<P>[]> lists_;
};

}  // namespace leat::inline LEAT_ABI::bubbles
