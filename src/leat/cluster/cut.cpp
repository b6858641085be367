#include "leat/cluster/cut.hpp"

#include <utility>

#include "leat/cluster/packing.hpp"
#include "leat/cluster/tree.hpp"

namespace leat::inline LEAT_ABI::ranks {

namespace {

// It begins cuts, and writes the file.
constexpr rank_id keeper_rank = 0;

}  // namespace

cut::cut(mail& post, rank_id self, rank_id ranks)
    : post_(post), self_(self), children_(children_of(self, ranks)), parts_(self == keeper_rank ? ranks : 0) {}

// The parts of the cut before stay where they are, as memory to be used again: told_by_ says which are of this cut.
void cut::begin() {
  begin_here();
  told_by_.assign(parts_.size(), false);
  parts_missing_ = static_cast<rank_id>(parts_.size());
}

// Ranks count cuts alike: each hears of every one, in order (TRANSPORT-1), as it comes from one parent only.
void cut::begin_here() {
  begun_ = true;
  holds_ = false;
  told_.reset();
  ++serial_;
  // At once, not only when this rank holds: the ranks beneath need not wait until it has done something.
  send_down(mail_kind::hold);
}

// A rank holds once it has done something since the cut before, and then until this one is over.
bool cut::holds() noexcept {
  if (!begun_ || holds_) return begun_;
  holds_ = std::exchange(moved_, false);
  return holds_;
}

void cut::hear(const letter& l) {
  const bool keeps = self_ == keeper_rank;
  // Rank 0 alone gets parts, and alone is never told to hold or to go on.
  if (keeps != (l.kind == mail_kind::part)) refuse_letter(l, "is for another rank");
  if (l.kind == mail_kind::hold) return begin_here();
  if (l.kind == mail_kind::go_on) return end();
  std::span<const std::byte> rest(l.body);
  // A rank that has not yet heard that a cut is over tells of what comes meanwhile. Such a part is of an older cut, or
  // of none.
  if (packing<std::uint32_t>::unpack(rest) != serial_ || !begun_) return;
  part& p = parts_[l.from];
  p.moved = packing<moved_tasks>::unpack(rest);
  // The length of the result stands before it, and the tasks are all that is left.
  const auto result_bytes = static_cast<std::size_t>(packing<std::uint64_t>::unpack(rest));
  if (result_bytes > rest.size()) refuse_letter(l, "is shorter than the result in it");
  const auto result = rest.first(result_bytes);
  const auto tasks = rest.subspan(result_bytes);
  p.result.assign(result.begin(), result.end());
  p.tasks.assign(tasks.begin(), tasks.end());
  // A rank that takes work while it holds tells again, and the newer part replaces the older one (SNAPSHOT-2).
  if (!told_by_[l.from]) --parts_missing_;
  told_by_[l.from] = true;
}

// What it has said is kept, to compare with what it has then: owes_part.
void cut::send_part(const moved_tasks& now, std::span<const std::byte> result, std::span<const std::byte> tasks) {
  told_ = now;
  // As `hear` takes it apart. The result has no length of its own, so that stands before it.
  std::vector<std::byte> body;
  packing<std::uint32_t>::pack(serial_, body);
  packing<moved_tasks>::pack(now, body);
  packing<std::uint64_t>::pack(result.size(), body);
  body.insert(body.end(), result.begin(), result.end());
  body.insert(body.end(), tasks.begin(), tasks.end());
  post_.send(keeper_rank, mail_kind::part, body);
}

// A rank that holds gives nothing, so its `given` is final, and its `taken` may only be too low. The sums are equal,
// then, only when every part is the last one of its rank and nothing is on its way (SNAPSHOT-3). O(ranks).
bool cut::complete() const noexcept {
  if (self_ != keeper_rank || !begun_ || parts_missing_ != 0) return false;
  moved_tasks all;
  for (const part& p : parts_) {
    all.given += p.moved.given;
    all.taken += p.moved.taken;
  }
  return all.given == all.taken;
}

void cut::end() {
  begun_ = false;
  send_down(mail_kind::go_on);
}

void cut::send_down(mail_kind kind) {
  for (const rank_id child : children_) post_.send(child, kind);
}

}  // namespace leat::inline LEAT_ABI::ranks
