// An entity lies on the lists of domains: a green thread or a bubble. (The paper calls both tasks.)
#pragma once

#include <cstdint>

#include "leat/bubble/decisions.hpp"
#include "leat/platform/order.hpp"
#include "leat/topology/machine.hpp"

namespace leat::inline LEAT_ABI::bubbles {

template <class P>
struct bubble_node;

/// The common part of a green thread and a bubble. It is on one list at most, and in one bubble at most.
template <class P>
struct entity {
  explicit entity(head::kind k, std::int32_t p) noexcept : what(k), priority(p) {}
  entity(const entity&) = delete;
  entity& operator=(const entity&) = delete;

  const head::kind what;

  // Guarded by the lock of the list that the entity is on, or, of a thread, of the list of its area.
  std::int32_t priority;  ///< a bubble's changes under the bubbles' lock, too (BUBBLE-10)
  // The two neighbours are good only while `listed` is true; a removal leaves them as they were.
  bool listed = false;
  entity* before = nullptr;
  entity* after = nullptr;

  // Guarded by the bubbles' lock. While a thread executes, and from the first burst of a bubble to its end, the
  // holder stays the same (BUBBLE-9), so the thread itself reads it without the lock.
  bubble_node<P>* holder = nullptr;  ///< the bubble that it is in
  entity* sibling_before = nullptr;
  entity* sibling_after = nullptr;

  /// The domain on whose list it belongs: where a thread is put when it can go on, where a bubble lies or was
  /// released. A member's changes under the locks of the old list and the new one (BUBBLE-4).
  typename P::template atomic<topology::domain_id> area{topology::root_domain};
};

/// The members of a bubble, in the order in which they came.
/// Under the bubbles' lock. Linked both ways, so that the end of a thread costs O(1), however many siblings it has.
template <class P>
class member_list {
 public:
  bool empty() const noexcept { return first_ == nullptr; }
  entity<P>* first() const noexcept { return first_; }
  void add(entity<P>& e) noexcept {
    e.sibling_before = last_;
    (last_ == nullptr ? first_ : last_->sibling_after) = &e;
    last_ = &e;
  }
  void remove(entity<P>& e) noexcept {
    (e.sibling_before == nullptr ? first_ : e.sibling_before->sibling_after) = e.sibling_after;
    (e.sibling_after == nullptr ? last_ : e.sibling_after->sibling_before) = e.sibling_before;
    e.sibling_before = e.sibling_after = nullptr;
  }

 private:
  entity<P>* first_ = nullptr;
  entity<P>* last_ = nullptr;
};

}  // namespace leat::inline LEAT_ABI::bubbles
