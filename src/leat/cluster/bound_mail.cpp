#include "leat/cluster/bound_mail.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

#include "leat/cluster/packing.hpp"
#include "leat/cluster/tree.hpp"

namespace leat::inline LEAT_ABI::ranks {

bound_mail::bound_mail(mail& post, rank_id self, rank_id ranks, shared_bound& bound)
    : post_(post), bound_(bound), neighbours_(children_of(self, ranks)), told_(bound.start()) {
  if (self != 0) neighbours_.push_back(parent_of(self));
  bound_.reset();
}

void bound_mail::hear(const letter& l) {
  if (l.body.size() != sizeof(std::int64_t)) refuse_letter(l, "is not as long as a bound");
  if (std::ranges::find(neighbours_, l.from) == neighbours_.end()) refuse_letter(l, "is no bound of a neighbour");
  std::span<const std::byte> bytes(l.body);
  const auto value = packing<std::int64_t>::unpack(bytes);
  if (bound_.improve(value)) last_heard_ = {l.from, value};
}

// One message for however many improvements since the last poll. What a rank hears and knows already goes no further, so
// each improvement passes each edge of the tree once at most in each direction.
void bound_mail::tell() {
  const std::int64_t now = bound_.read();
  if (!bound_.is_better(now, told_)) return;
  told_ = now;
  std::vector<std::byte> body;
  packing<std::int64_t>::pack(now, body);
  for (const rank_id to : neighbours_) {
    const bool has_it = last_heard_ && last_heard_->from == to && last_heard_->value == now;
    if (!has_it) post_.send(to, mail_kind::bound, body);
  }
}

}  // namespace leat::inline LEAT_ABI::ranks
