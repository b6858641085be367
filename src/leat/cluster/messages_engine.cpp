#include "leat/cluster/messages_engine.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "leat/cluster/packing.hpp"
#include "leat/cluster/tree.hpp"

namespace leat::inline LEAT_ABI::ranks {

namespace {

// It has the manager. Others know it without asking, and the tree of ranks begins there.
constexpr rank_id manager_rank = 0;

// Polls for which a busy rank keeps a request that it has nothing for, before another rank has its turn (MESSAGE-5):
// about 2 ms.
constexpr std::uint32_t keep_polls_max = 64;

std::vector<std::byte> packed(const request& r) {
  std::vector<std::byte> bytes;
  packing<request>::pack(r, bytes);
  return bytes;
}

// TRANSPORT-5. The thief is used as an index from here on.
request request_in(const letter& l, rank_id ranks) {
  std::span<const std::byte> bytes(l.body);
  if (bytes.size() != sizeof(request)) refuse_letter(l, "is not as long as a request");
  const auto r = packing<request>::unpack(bytes);
  if (r.thief >= ranks || r.beyond >= ranks || r.near_left >= ranks) refuse_letter(l, "names a rank that there is not");
  return r;
}

}  // namespace

messages_engine::messages_engine(transport& by, mail& post, rank_counters& counters, std::uint32_t attempts,
                                 victim_plan plan)
    : post_(post),
      counters_(counters),
      self_(by.rank()),
      ranks_(by.ranks()),
      attempts_(attempts),
      plan_(std::move(plan)),
      others_(self_, ranks_, plan_),
      manager_(ranks_) {}

// The serial and the last victim stay: the one tells this rank's requests apart, the other is as good a guess in the
// next run.
void messages_engine::begin() {
  asked_ = spurned_ = ended_ = false;
  kept_.clear();
  manager_ = request_manager(ranks_);
}

// Requests that are kept are served in the order in which they came. Each answer shares anew what is left, so one
// poll may serve several. One that stayed for too long goes back, and another busy rank has its turn.
void messages_engine::poll(work& mine) {
  for (std::size_t i = 0; i < kept_.size();) {
    if (give(kept_[i].what, mine)) {
      tell_served(kept_[i].what);
    } else if (++kept_[i].polls > keep_polls_max) {
      pool(kept_[i].what);
    } else {
      ++i;
      continue;
    }
    kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

// What it keeps goes back first (MESSAGE-5): an idle rank has nothing for it, and while one request is kept anywhere
// the manager does not hold all of them, so the run would never end.
void messages_engine::seek() {
  if (asked_) return;
  for (const kept_request& k : kept_) pool(k.what);
  kept_.clear();
  asked_ = true;
  ++counters_[rank_event::requests];
  // The only place where a request is made: from here on it is moved, until work comes for it.
  request mine{self_, ++serial_, 0};
  const rank_id victim = others_.first().value_or(self_);
  mine.near_left = static_cast<std::uint32_t>(std::min<std::size_t>(others_.near(), attempts_));
  mine.beyond = mine.near_left == 0 ? self_ : others_.first_beyond().value_or(self_);
  const routing first = begin_request(ranks_, attempts_, victim);
  if (first.what == routing::kind::pool) {
    pool(mine);
  } else {
    post_.send(first.to, mail_kind::request, packed(mine));
  }
}

// All kinds are named, so that a compiler warns of one that is forgotten here.
void messages_engine::deliver(const letter& l, work& mine) {
  switch (l.kind) {
    case mail_kind::request: return hear_request(request_in(l, ranks_), mine);
    case mail_kind::hand: return hear_hand(request_in(l, ranks_), mine);
    case mail_kind::work: return hear_work(l, mine);
    case mail_kind::pool: return hear_pooled(l);
    case mail_kind::served: return hear_served(l);
    case mail_kind::end: return hear_end();
    case mail_kind::partial:
    case mail_kind::total:
    case mail_kind::failed:
    case mail_kind::hold:
    case mail_kind::part:
    case mail_kind::go_on:
    case mail_kind::bound:
    case mail_kind::refusal:
    case mail_kind::token: return;  // not of this engine
  }
}

// If this rank has spurned a request, the manager hands it none before there is news. That it has work is news
// (MESSAGE-6).
void messages_engine::hear_work(const letter& l, work& mine) {
  asked_ = false;
  if (std::exchange(spurned_, false)) tell_served({self_, serial_});
  others_.gave(l.from);
  ++counters_[rank_event::answers_work];
  ++counters_[steal_from(plan_.node_of, self_, l.from)];
  counters_[rank_event::tasks_taken] += mine.take(l.body);
}

// A thief has one request (MESSAGE-1). A second one in the pool would be counted towards the end of the run.
void messages_engine::hear_pooled(const letter& l) {
  const request r = request_in(l, ranks_);
  if (self_ != manager_rank || manager_.is_pooled(r.thief)) refuse_letter(l, "cannot be pooled here");
  ++counters_[rank_event::pooled];
  manager_.pool(r, l.from);
  manage();
}

// Late or not, it is only a hint, so nothing is required of the thief's place.
void messages_engine::hear_served(const letter& l) {
  const request r = request_in(l, ranks_);
  if (self_ != manager_rank) refuse_letter(l, "is for the manager");
  manager_.served(r.thief, r.serial);
  manage();
}

// MESSAGE-3. Whether this rank has work does not matter, only whether it has some to spare.
void messages_engine::hear_request(request r, work& mine) {
  if (give(r, mine)) return;
  const routing where = on_request({self_, ranks_, 0, &plan_.node_of}, r, attempts_);
  if (where.what == routing::kind::pool) return pool(r);
  ++counters_[rank_event::forwards];
  post_.send(where.to, mail_kind::request, packed(r));
}

// MESSAGE-5: a handed request is answered, kept or spurned, but never passed on along the ring.
void messages_engine::hear_hand(request r, work& mine) {
  if (!mine.busy()) {
    r.spurned = 1;
    spurned_ = true;
    return pool(r);
  }
  if (give(r, mine)) return tell_served(r);
  ++counters_[rank_event::kept];
  kept_.push_back({r, 0});  // MESSAGE-5: its age is counted in polls, not in hands that come
}

void messages_engine::hear_end() {
  // On rank 0 the manager calls it once: from here on manage() does nothing.
  ended_ = true;
  // Down a tree, so that no rank tells all.
  for (const rank_id child : children_of(self_, ranks_)) post_.send(child, mail_kind::end);
}

// After each message to the manager: it hands out as much as there are ranks that may have work.
void messages_engine::manage() {
  if (ended_) return;  // MESSAGE-6: what is said late changes nothing
  if (manager_.ended()) return hear_end();
  // It ends: each hand takes one request out of the pool.
  while (const auto h = manager_.next_hand()) post_.send(h->to, mail_kind::hand, packed(h->what));
}

// By a message on rank 0, too: the manager has one way in, and is never in the midst of a decision when news comes.
void messages_engine::pool(const request& r) { post_.send(manager_rank, mail_kind::pool, packed(r)); }

// Names a request that this rank gave for, or its own, when that was answered after this rank had spurned one
// (MESSAGE-6).
void messages_engine::tell_served(const request& r) { post_.send(manager_rank, mail_kind::served, packed(r)); }

// The work goes straight to the thief, and the word to the manager another way. Neither needs to come first: the end is
// known by requests, and the thief's own is not at the manager (MESSAGE-6). Returns whether there was any.
bool messages_engine::give(const request& r, work& mine) {
  batch_.clear();
  const std::size_t given = mine.give(batch_);
  if (given == 0) return false;
  counters_[rank_event::tasks_given] += given;
  counters_[rank_event::bytes_given] += batch_.size();
  post_.send(r.thief, mail_kind::work, batch_);
  return true;
}

}  // namespace leat::inline LEAT_ABI::ranks
