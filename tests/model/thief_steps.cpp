// The steps of a worker as a thief. Table: world.hpp.
#include <optional>

#include "model/world.hpp"

namespace leat::model {

// bring_to_pool(), at any time during the wait: the message that bears the valid serial is stale from here on.
bool world::take_back_step(state& s, unsigned w, outcome& out) {
  worker_state& me = s.worker[w];
  if (s.taken_back >= client_.take_backs || !me.outstanding || me.slot.what != answer_slot::kind::none) return false;
  packed_request taken = 0;
  const auto take = [&](packed_request& p) {
    if (p == 0 || thief_of(p) != w || !is_valid(p)) return;
    taken = p;
    if (client_.planted != plant::two_holders) p = stale(w);
  };
  for (worker_state& other : s.worker) {
    for (packed_request& p : other.channel.items) take(p);
    if (other.phase == at::send) take(other.hand);
  }
  const auto take_within = [&](std::uint16_t& m) {
    auto about = static_cast<packed_request>(m);
    take(about);
    m = static_cast<std::uint16_t>((m & 0xff00u) | about);
  };
  for (std::uint16_t& m : s.inbox.items) take_within(m);
  for (std::uint16_t& d : s.deliver.items) {
    if (delivery(d).what == delivery::kind::send) take_within(d);
  }
  if (taken == 0) return false;
  if (out.describe) out.text = "takes its request back";
  ++s.taken_back;
  me.hand = taken;
  me.hand_to = workers_max;
  me.after = then::wait;
  me.phase = at::carry;
  return true;
}

// Planted only: a worker that waits for an answer that will not come moves without getting anywhere.
bool world::spin_step(state& s, unsigned w) {
  const packed_request mine = s.pooled[w];
  const bool forgotten =
      s.worker[w].stack.empty() && mine != 0 && unpack(mine, false).status == protocol::status::working;
  if (client_.planted != plant::not_recalled_spins || !forgotten) return false;
  s.worker[w].raised ^= 1u;
  return true;
}

// Nobody sends to a closed channel, so receiving from it is not a step of its own. Opening what is received goes with it:
// it is as if a thief that takes its request back afterwards had been too late.
void world::drain(state& s, unsigned w) {
  worker_state& me = s.worker[w];
  while (!me.channel.empty()) {
    const packed_request p = me.channel.pop_front();
    if (!is_valid(p)) continue;
    worker_state& thief = s.worker[thief_of(p)];
    auto victims = victims_[thief.victims];
    const auto d = protocol::pass_on(unpack(p, client_.half), victims, w);
    thief.victims = number_of(victims);
    me.after = then::drain;
    return hold(s, w, p, d);
  }
  me.phase = me.outstanding ? at::wait : at::ask;
}

bool world::ask_step(state& s, unsigned w, unsigned choice) {
  worker_state& me = s.worker[w];
  const bool waits = !me.stack.empty();
  const bool in_barrier = waits && client_.tasks[task_of(me.stack.back())].operations[pc_of(me.stack.back())].what ==
                                       operation::kind::barrier;
  // A request for tasks of one run draws no victim, and with one other worker there is one order.
  if (choice != 0 && (waits || choice >= fresh_[w].size())) return false;
  protocol::request r;
  r.thief = w;
  const bool idle = !waits || in_barrier || client_.planted == plant::claims_idle;
  r.status = idle ? protocol::status::idle : protocol::status::working;
  r.amount = client_.half ? protocol::amount::half : protocol::amount::one;
  r.known = me.known;
  r.only = waits ? me.run : protocol::no_run;
  me.outstanding = 1;
  auto victims = fresh_[w].empty() ? victims_[0] : fresh_[w][choice];
  const auto last = client_.last_victim && me.last_victim != workers_max
                        ? std::optional<protocol::worker_id>(me.last_victim)
                        : std::nullopt;
  const auto d = protocol::begin(r, victims, last, s.roots != 0);
  me.victims = number_of(victims);
  me.after = then::wait;
  hold(s, w, pack(r), d);
  return true;
}

// accept(), up to its reopen.
void world::accept(state& s, unsigned w) {
  worker_state& me = s.worker[w];
  const answer_slot a = me.slot;
  me.slot = answer_slot{};
  me.outstanding = 0;
  me.victims = 0;
  me.known = a.known;
  if (a.run != 0) me.run = a.run;
  if (a.what != answer_slot::kind::tasks) return;
  if (client_.last_victim) me.last_victim = a.victim;
  for (const task_id t : a.tasks) me.deque.push_back(t);
}

void world::wait_step(state& s, unsigned w, outcome& out) {
  worker_state& me = s.worker[w];
  if (me.slot.what == answer_slot::kind::none) return ready_step(s, w);  // ready() became true first
  const answer_slot a = me.slot;
  accept(s, w);
  if (a.what == answer_slot::kind::stop) {
    me.phase = at::left;
    return;
  }
  me.phase = at::reopen;
  if (a.what == answer_slot::kind::tasks && client_.planted == plant::closed_poll) {
    me.offered = 0;
    me.pushed = 2;
    me.phase = at::pool;
  }
  if (a.what == answer_slot::kind::tasks && client_.planted == plant::thief_updates && a.known != a.run) {
    me.known = a.run;
    me.phase = at::own_update;
  }
  me.resume = at::next;
  if (me.stack.empty()) {
    if (a.what != answer_slot::kind::root) return;
    const at phase = me.phase;
    start(s, w, client_.roots[a.run], out);
    me.phase = phase;
    me.resume = at::run;
    return;
  }
  frame& top = me.stack.items[me.stack.count - 1u];
  const bool in_barrier = client_.tasks[task_of(top)].operations[pc_of(top)].what == operation::kind::barrier;
  if (!in_barrier) {
    me.resume = at::ready;
  } else if (a.what == answer_slot::kind::dummy && a.run != 0) {
    top = make_frame(task_of(top), pc_of(top) + 1);
    me.resume = at::run;
  }
}

}  // namespace leat::model
