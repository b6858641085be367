// What must hold in every state of the explored world, and what where it comes to an end.
#include <string>

#include "model/world.hpp"

namespace leat::model {

namespace {

std::string worker_name(unsigned w) { return numbered("w", w); }

}  // namespace

// Whether the tasks of `run` that were spawned so far, but `except`, are done.
bool world::all_done(const state& s, run_number run, task_id except) const {
  unsigned open = tasks_of_[run] & s.spawned & ~static_cast<unsigned>(s.done);
  if (except != 0) open &= ~(1u << except);
  return open == 0;
}

std::string world::violation(const state& s) const {
  unsigned pooled = 0;
  for (unsigned w = 0; w < client_.workers; ++w) {
    if (auto wrong = miscounted_request(s, w); !wrong.empty()) return wrong;
    pooled += s.pooled[w] != 0;
    const worker_state& me = s.worker[w];
    if ((me.phase == at::wait || me.phase == at::left) && !me.channel.empty()) {
      return "a request is stuck in the closed channel of " + worker_name(w);
    }
    if (me.closed && !me.deque.empty() && me.phase != at::reopen && me.phase != at::own_update) {
      return worker_name(w) + " is nobody's victim, and has tasks";
    }
  }
  if (pooled != managers_[s.manager].pooled()) return "the manager holds a request that it does not know";
  if (s.deliver.empty() && s.pool_size != pooled) return "the pool's hint is wrong";
  return lost_lifeline(s);
}

// REQUEST-1: one request for each worker, in one place, from the moment that it is sent until it is answered.
std::string world::miscounted_request(const state& s, unsigned thief) const {
  unsigned found = s.pooled[thief] != 0;
  const auto count = [&](packed_request p) { found += p != 0 && is_valid(p) && thief_of(p) == thief; };
  for (const worker_state& w : s.worker) {
    for (const packed_request p : w.channel) count(p);
    count(w.hand);
  }
  for (const std::uint16_t m : s.inbox) count(note(m).about);
  for (const std::uint16_t d : s.deliver) count(delivery(d).about);
  const worker_state& me = s.worker[thief];
  const unsigned wanted = me.outstanding && me.slot.what == answer_slot::kind::none;
  if (found == wanted) return "";
  return worker_name(thief) + " has " + std::to_string(found) + " requests on the way, wanted " +
         std::to_string(wanted);
}

// No worker may wait for a poll that will not come: where no message to the manager and nothing of its own is on the
// way, a worker whose channel holds a request, or that has tasks which a pooled request wants, is about to poll.
std::string world::lost_lifeline(const state& s) const {
  if (!s.inbox.empty() || !s.updates.empty() || !s.deliver.empty()) return "";
  for (unsigned w = 0; w < client_.workers; ++w) {
    const worker_state& me = s.worker[w];
    const bool polls =
        me.phase == at::receive || me.phase == at::pool || me.phase == at::offer || me.phase == at::update ||
        me.phase == at::answer ||
        (me.after == then::poll && (me.phase == at::carry || me.phase == at::send || me.phase == at::raise));
    if (polls || me.closed || me.phase == at::reopened) continue;
    if (!me.channel.empty() && !me.raised) {
      bool about_to_be = false;
      for (unsigned other = 0; other < client_.workers; ++other) {
        about_to_be |= s.worker[other].phase == at::raise && s.worker[other].hand_to == w;
      }
      if (!about_to_be) return "a request lies in the channel of " + worker_name(w) + ", which is not asked to poll";
    }
    if (me.deque.empty() || !me.channel.empty()) continue;
    for (unsigned thief = 0; thief < client_.workers; ++thief) {
      if (thief == w || s.pooled[thief] == 0) continue;
      const protocol::request r = unpack(s.pooled[thief], client_.half);
      if (r.only != protocol::no_run && r.only != me.run) continue;
      if (!me.raised) return worker_name(w) + " has tasks for " + worker_name(thief) + " and is not asked to poll";
      if (me.offered) return worker_name(w) + " has tasks for " + worker_name(thief) + " and will not offer them";
    }
  }
  return "";
}

std::string world::violation_at_end(const state& s) const {
  for (unsigned run = 1; run <= client_.runs(); ++run) {
    if (!(s.finished >> run & 1u)) return numbered("run ", run) + " never ends";
  }
  for (unsigned t = 1; t < client_.tasks.size(); ++t) {
    if (!(s.done >> t & 1u)) return numbered("task ", t) + " is never executed";
  }
  for (unsigned w = 0; w < client_.workers; ++w) {
    const worker_state& me = s.worker[w];
    if (client_.stops && me.phase != at::left) return worker_name(w) + " never leaves";
    if (client_.stops) continue;
    if (me.phase != at::wait || !me.stack.empty()) return worker_name(w) + " ends elsewhere than in its idle wait";
    if (s.pooled[w] == 0 || unpack(s.pooled[w], false).status != protocol::status::registered_idle) {
      return "the request of " + worker_name(w) + " is not in the idle pool";
    }
  }
  return "";
}

std::string world::describe(const state& s) const {
  std::string all;
  for (unsigned w = 0; w < client_.workers; ++w) {
    const worker_state& me = s.worker[w];
    all += all.empty() ? "[" : " ";
    all += worker_name(w) + ":";
    all += me.closed ? 'c' : 'o';
    if (me.raised) all += '!';
    if (me.offered) all += '=';
    all += numbered("r", me.run) + numbered("q", me.deque.size()) + numbered("m", me.channel.size());
    if (me.outstanding) all += me.slot.what == answer_slot::kind::none ? "?" : "@";
  }
  return all + numbered(" pooled ", s.pool_size) + "]";
}

}  // namespace leat::model
