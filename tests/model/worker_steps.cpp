// The steps of a worker. Table: world.hpp.
#include <stdexcept>

#include "model/world.hpp"

namespace leat::model {

namespace {

const char* name(at phase) {
  static constexpr const char* names[] = {"run",    "next",     "receive", "pool",   "offer", "carry", "send",
                                          "raise",  "update",   "answer",  "close",  "ask",   "wait",  "own update",
                                          "reopen", "reopened", "ready",   "recall", "left"};
  return names[static_cast<unsigned>(phase)];
}

}  // namespace

bool world::worker_step(state& s, unsigned w, unsigned choice, outcome& out) {
  worker_state& me = s.worker[w];
  if (choice != 0 && me.phase != at::ask && me.phase != at::wait) return false;
  if (out.describe) out.text = name(me.phase);
  switch (me.phase) {
    case at::run: run_step(s, w, out); break;
    case at::next: next_step(s, w, out); break;
    case at::receive: receive_step(s, w, out); break;
    case at::pool: pool_step(s, w, out); break;
    case at::offer:
      tell(s, note::pack(note::kind::offer, w, me.run, 0), out);
      me.phase = at::receive;
      break;
    case at::carry: carry_step(s, w, out); break;
    case at::send: send_step(s, w, out); break;
    case at::raise:
      if (client_.planted == plant::raise_first) {
        s.worker[me.hand_to].channel.push_back(me.hand);
        me.hand = 0;
      } else {
        raise(s, me.hand_to);
      }
      me.hand_to = 0;
      carried(s, w, out);
      break;
    case at::update: {
      const std::uint16_t update = note::pack(note::kind::update, thief_of(me.hand), me.run, 0);
      if (client_.planted == plant::two_channels) s.updates.push_back(update);
      else tell(s, update, out);
      me.phase = at::answer;
      break;
    }
    case at::answer: answer_step(s, w, out); break;
    case at::close:
      me.closed = 1;
      if (me.stack.empty()) me.run = 0;
      if (client_.planted == plant::close_without_drain) me.phase = me.outstanding ? at::wait : at::ask;
      else drain(s, w);
      break;
    case at::ask: return ask_step(s, w, choice);
    case at::wait:
      if (choice == 1) return take_back_step(s, w, out);
      if (choice == 2) return spin_step(s, w);
      if (me.slot.what == answer_slot::kind::none && !awaits_done(s, w)) return false;
      wait_step(s, w, out);
      break;
    case at::own_update:
      tell(s, note::pack(note::kind::update, w, me.run, 0), out);
      me.phase = at::reopen;
      break;
    case at::reopen:
      me.offered = 0;
      me.closed = 0;
      me.phase = at::reopened;
      break;
    case at::reopened:
      if (s.pool_size != 0) me.raised = 1;
      me.phase = me.resume;
      me.resume = at::next;
      break;
    case at::ready: ready_step(s, w); break;
    case at::recall:
      tell(s, note::pack(note::kind::recall, w, 0, 0), out);
      leave_wait(s, w);
      break;
    case at::left: return false;
  }
  return true;
}

// -- tasks

void world::start(state& s, unsigned w, task_id task, outcome& out) {
  if (s.started >> task & 1u) out.violation = "a task is executed twice";
  if (s.worker[w].stack.full()) throw std::length_error("model: too many tasks on top of each other");
  s.started = static_cast<std::uint16_t>(s.started | 1u << task);
  s.worker[w].stack.push_back(make_frame(task, 0));
  s.worker[w].phase = at::run;
}

void world::run_step(state& s, unsigned w, outcome& out) {
  worker_state& me = s.worker[w];
  const task_id task = task_of(me.stack.back());
  const unsigned pc = pc_of(me.stack.back());
  if (out.describe) out.text += numbered(" task ", task) + numbered(" at ", pc);
  const auto& operations = client_.tasks[task].operations;
  if (pc == operations.size()) return end(s, w, out);
  switch (operations[pc].what) {
    case operation::kind::spawn: {
      const task_id child = operations[pc].task;
      if (out.describe) out.text += numbered(", spawns ", child);
      if (me.deque.full()) throw std::length_error("model: a deque is too small");
      me.deque.push_back(child);
      s.spawned = static_cast<std::uint16_t>(s.spawned | 1u << child);
      me.stack.items[me.stack.count - 1u] = make_frame(task, pc + 1);
      if (!me.raised) return;
      me.raised = 0;  // service(): acknowledge
      me.pushed = 1;
      return receive_step(s, w, out);
    }
    case operation::kind::wait: return ready_step(s, w);
    case operation::kind::barrier: return next_step(s, w, out);
  }
}

void world::end(state& s, unsigned w, outcome& out) {
  worker_state& me = s.worker[w];
  const task_id task = task_of(me.stack.pop_back());
  s.done = static_cast<std::uint16_t>(s.done | 1u << task);
  if (out.describe) out.text += ", ends";
  // What others may see, that the task is done, is a step of its own.
  if (me.stack.empty()) me.phase = at::next;
  else
    me.phase = client_.tasks[task_of(me.stack.back())].operations[pc_of(me.stack.back())].what == operation::kind::wait
                   ? at::ready
                   : at::next;
  if (!client_.tasks[task].awaited && me.phase == at::next) next_step(s, w, out);
}

bool world::awaits_done(const state& s, unsigned w) const {
  const auto& stack = s.worker[w].stack;
  if (stack.empty()) return false;
  const operation& o = client_.tasks[task_of(stack.back())].operations[pc_of(stack.back())];
  return o.what == operation::kind::wait && (s.done >> o.task & 1u);
}

void world::ready_step(state& s, unsigned w) {
  worker_state& me = s.worker[w];
  const bool unrecalled = client_.planted == plant::not_recalled || client_.planted == plant::not_recalled_spins;
  if (!awaits_done(s, w)) me.phase = at::next;
  else if (me.outstanding && !unrecalled) me.phase = at::recall;
  else leave_wait(s, w);
}

// The end of work_until, after the recall.
void world::leave_wait(state& s, unsigned w) {
  worker_state& me = s.worker[w];
  frame& top = me.stack.items[me.stack.count - 1u];
  top = make_frame(task_of(top), pc_of(top) + 1);
  me.phase = at::run;
  if (!me.closed) return;
  me.phase = at::reopen;
  me.resume = at::run;
}

void world::next_step(state& s, unsigned w, outcome& out) {
  worker_state& me = s.worker[w];
  if (!me.raised && !me.deque.empty()) {
    const task_id task = me.deque.pop_back();
    if (out.describe) out.text += numbered(", pops ", task);
    return start(s, w, task, out);
  }
  if (me.deque.empty() && me.outstanding && me.slot.what != answer_slot::kind::none) accept(s, w);
  me.held = me.deque.empty() ? task_id{0} : me.deque.pop_back();
  if (out.describe) out.text += numbered(", pops ", me.held) + " and polls";
  me.raised = 0;  // service(): acknowledge
  receive_step(s, w, out);
}

// -- as a victim

void world::hold(state& s, unsigned w, packed_request p, protocol::decision d) {
  worker_state& me = s.worker[w];
  me.hand = p;
  using kind = protocol::decision::kind;
  me.hand_to = static_cast<std::uint8_t>(d.what == kind::forward ? d.to : d.what == kind::pool ? workers_max : 0);
  me.phase = d.what != kind::serve ? at::carry : d.update ? at::update : at::answer;
}

void world::receive_step(state& s, unsigned w, outcome& out) {
  worker_state& me = s.worker[w];
  me.phase = at::pool;
  if (me.channel.empty()) return;
  const packed_request p = me.channel.pop_front();
  const protocol::request r = unpack(p, client_.half);
  if (out.describe) out.text += numbered(", receives the request of w", r.thief);
  if (is_valid(p) || client_.planted != plant::late_revoked) me.offered = 0;
  if (!is_valid(p)) {
    me.phase = at::receive;
    return;
  }
  worker_state& thief = s.worker[r.thief];
  auto victims = victims_[thief.victims];
  protocol::verdict v = protocol::on_request({w, me.run, me.deque.size()}, r, victims);
  thief.victims = number_of(victims);
  if (client_.planted == plant::thief_updates && v.what.what == protocol::decision::kind::serve) {
    v.what.update = false;
    v.then.known = r.known;
  }
  me.after = then::poll;
  hold(s, w, pack(v.then), v.what);
}

// The rest of service(), when the channel is empty.
void world::pool_step(state& s, unsigned w, outcome& out) {
  worker_state& me = s.worker[w];
  if (s.pool_size != 0 && !me.deque.empty() && !me.offered) {
    me.offered = 1;
    me.phase = at::offer;
    return;
  }
  if (s.pool_size != 0) me.raised = 1;
  const task_id held = me.held;
  me.held = 0;
  if (me.pushed != 0) {
    me.phase = me.pushed == 1 ? at::run : at::reopen;
    me.pushed = 0;
  } else if (held != 0) {
    start(s, w, held, out);
  } else {
    me.phase = at::close;
  }
}

// The request in hand is about to be sent: its thief may take it back from here on (REQUEST-3).
void world::carry_step(state& s, unsigned w, outcome& out) {
  worker_state& me = s.worker[w];
  if (out.describe) {
    out.text += numbered(" the request of w", thief_of(me.hand)) + " to " +
                (me.hand_to == workers_max ? "the manager" : numbered("w", me.hand_to));
  }
  if (me.hand_to != workers_max && s.worker[me.hand_to].closed) {
    if (out.describe) out.text += ", refused";
    return refused(s, w);
  }
  me.phase = at::send;
  // What nobody can take back is sent in the same step.
  if (thief_of(me.hand) == w || s.taken_back >= client_.take_backs) send_step(s, w, out);
}

void world::send_step(state& s, unsigned w, outcome& out) {
  worker_state& me = s.worker[w];
  if (me.hand_to == workers_max) {
    tell(s, note::pack(note::kind::request, 0, 0, me.hand), out);
  } else if (!accepts(s, me.hand_to)) {
    if (out.describe) out.text += ", refused";
    if (is_valid(me.hand)) return refused(s, w);
  } else {
    me.phase = at::raise;
    if (client_.planted == plant::raise_first) return raise(s, me.hand_to);
    s.worker[me.hand_to].channel.push_back(me.hand);
    me.hand = 0;
    return;
  }
  me.hand = 0;
  me.hand_to = 0;
  carried(s, w, out);
}

void world::refused(state& s, unsigned w) {
  worker_state& me = s.worker[w];
  worker_state& thief = s.worker[thief_of(me.hand)];
  auto victims = victims_[thief.victims];
  const auto d = protocol::pass_on(unpack(me.hand, client_.half), victims, w);
  thief.victims = number_of(victims);
  hold(s, w, me.hand, d);
}

// The request is gone.
void world::carried(state& s, unsigned w, outcome&) {
  worker_state& me = s.worker[w];
  const then after = me.after;
  me.after = then::poll;
  switch (after) {
    case then::poll: me.phase = at::receive; break;
    case then::drain: drain(s, w); break;
    case then::wait: me.phase = at::wait; break;
  }
}

void world::answer_step(state& s, unsigned w, outcome& out) {
  worker_state& me = s.worker[w];
  const protocol::request r = unpack(me.hand, client_.half);
  answer_slot a;
  a.what = answer_slot::kind::tasks;
  a.victim = static_cast<std::uint8_t>(w);
  a.run = me.run;
  const std::size_t count = protocol::batch(r.amount, me.deque.size());
  if (count > a.tasks.items.size()) throw std::length_error("model: a batch is too large");
  for (std::size_t i = 0; i < count; ++i) a.tasks.push_back(me.deque.pop_front());
  if (out.describe) out.text += numbered(": serves w", r.thief) + numbered(" with ", count);
  put_answer(s, me.hand, a, out);
  me.hand = 0;
  carried(s, w, out);
}

void world::tell(state& s, std::uint16_t message, outcome& out) const {
  if (s.inbox.full()) {
    out.violation = "the manager's inbox is full";
    return;
  }
  s.inbox.push_back(message);
}

}  // namespace leat::model
