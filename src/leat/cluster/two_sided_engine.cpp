#include "leat/cluster/two_sided_engine.hpp"

#include <span>
#include <utility>

#include "leat/cluster/packing.hpp"
#include "leat/cluster/tree.hpp"

namespace leat::inline LEAT_ABI::ranks {

two_sided_engine::two_sided_engine(transport& by, mail& post, rank_counters& counters, victim_plan plan)
    : post_(post),
      counters_(counters),
      self_(by.rank()),
      ranks_(by.ranks()),
      plan_(std::move(plan)),
      others_(self_, ranks_, plan_),
      token_(self_, ranks_) {}

// A run that failed may leave a request out, and the token anywhere.
void two_sided_engine::begin() {
  asked_ = ended_ = in_round_ = false;
  token_ = token_tour(self_, ranks_);
}

// All kinds are named, so that a compiler warns of one that is forgotten here.
void two_sided_engine::deliver(const letter& l, work& mine) {
  switch (l.kind) {
    case mail_kind::request: return hear_request(l, mine);
    case mail_kind::work: return hear_work(l, mine);
    case mail_kind::refusal: return hear_refusal(l);
    case mail_kind::token: return hear_token(l);
    case mail_kind::end: return end();
    case mail_kind::pool:
    case mail_kind::hand:
    case mail_kind::served:
    case mail_kind::partial:
    case mail_kind::total:
    case mail_kind::failed:
    case mail_kind::hold:
    case mail_kind::part:
    case mail_kind::go_on:
    case mail_kind::bound: return;  // not of this engine
  }
}

// TWOSIDED-2. Should packing throw, the run fails.
void two_sided_engine::hear_request(const letter& l, work& mine) {
  if (!l.body.empty() || l.from == self_) refuse_letter(l, "is no request of this engine");
  batch_.clear();
  const std::size_t given = mine.give(batch_);
  if (given == 0) return post_.send(l.from, mail_kind::refusal);
  token_.gave();
  counters_[rank_event::tasks_given] += given;
  counters_[rank_event::bytes_given] += batch_.size();
  post_.send(l.from, mail_kind::work, batch_);
}

// Work that was not asked for could come to a rank that the token has passed (TWOSIDED-4).
void two_sided_engine::hear_work(const letter& l, work& mine) {
  if (!asked_ || l.from != victim_) refuse_letter(l, "is no answer to a request");
  asked_ = false;
  others_.gave();
  in_round_ = false;
  ++counters_[rank_event::answers_work];
  ++counters_[steal_from(plan_.node_of, self_, victim_)];
  counters_[rank_event::tasks_taken] += mine.take(l.body);
}

void two_sided_engine::hear_refusal(const letter& l) {
  if (!asked_ || l.from != victim_) refuse_letter(l, "is no answer to a request");
  asked_ = false;
  ++counters_[rank_event::answers_busy];
}

void two_sided_engine::hear_token(const letter& l) {
  std::span<const std::byte> bytes(l.body);
  const rank_id before = (self_ + ranks_ - 1) % ranks_;
  if (bytes.size() != sizeof(colour) || l.from != before || token_.here()) refuse_letter(l, "cannot come here");
  const auto c = packing<colour>::unpack(bytes);
  if (c != colour::white && c != colour::black) refuse_letter(l, "is of a colour that there is not");
  token_.take(c);
}

// TWOSIDED-1, TWOSIDED-3. The token first: a rank that asks again and again would else keep it for long.
void two_sided_engine::seek() {
  if (asked_ || ended_) return;
  if (token_.here()) pass_token();
  if (ended_ || ranks_ == 1) return;
  auto next = in_round_ ? others_.next() : others_.first();
  if (!next) next = others_.first();
  in_round_ = true;
  victim_ = *next;
  asked_ = true;
  ++counters_[rank_event::requests];
  post_.send(victim_, mail_kind::request);
}

void two_sided_engine::pass_token() {
  const token_tour::move next = token_.pass();
  if (next.what == token_tour::move::act::end) return end();
  std::vector<std::byte> body;
  packing<colour>::pack(next.as, body);
  post_.send(next.to, mail_kind::token, body);
}

// TWOSIDED-5: down a tree, so that no rank tells all.
void two_sided_engine::end() {
  if (std::exchange(ended_, true)) return;
  for (const rank_id child : children_of(self_, ranks_)) post_.send(child, mail_kind::end);
}

}  // namespace leat::inline LEAT_ABI::ranks
