// The manager's steps and those of the outside. Table: world.hpp.
#include <algorithm>
#include <stdexcept>

#include "model/world.hpp"

namespace leat::model {

namespace {

const char* name(note::kind k) {
  static constexpr const char* names[] = {"request", "update", "offer", "recall", "submit", "stop"};
  return names[static_cast<unsigned>(k)];
}

std::string in_words(packed_request p) {
  if (!is_valid(p)) return numbered("revoked request of w", thief_of(p));
  const protocol::request s = unpack(p, false);
  static constexpr const char* statuses[] = {"working", "idle", "registered"};
  return numbered("request of w", s.thief) + " (" + statuses[static_cast<unsigned>(s.status)] + ", known " +
         std::to_string(s.known) + numbered(", only ", s.only) + ")";
}

// Victims of `thief` that draw its first victim from each of the others in turn, found by trying seeds.
std::vector<protocol::victims> in_every_order(protocol::worker_id thief, unsigned workers, std::uint32_t attempts) {
  std::vector<protocol::victims> all;
  if (attempts == 0) return {protocol::victims::flat(thief, workers, 0, attempts)};
  std::vector<protocol::worker_id> firsts;
  for (std::uint64_t seed = 0; all.size() + 1 < workers; ++seed) {
    const auto fresh = protocol::victims::flat(thief, workers, seed, attempts);
    auto tried = fresh;
    const auto first = tried.next(thief);
    if (std::find(firsts.begin(), firsts.end(), *first) != firsts.end()) continue;
    firsts.push_back(*first);
    all.push_back(fresh);
  }
  return all;
}

}  // namespace

world::world(client c) : client_(std::move(c)), tasks_of_(client_.roots.size(), 0) {
  if (client_.tasks.size() > tasks_max + 1 || client_.runs() > runs_max || client_.workers > workers_max) {
    throw std::invalid_argument("model: the client is too large");
  }
  for (unsigned t = 1; t < client_.tasks.size(); ++t) {
    tasks_of_[client_.tasks[t].run] = static_cast<std::uint16_t>(tasks_of_[client_.tasks[t].run] | 1u << t);
  }
  victims_.push_back(protocol::victims::flat(0, 1, 0, 1));  // number 0: no request is out
  for (unsigned w = 0; w < client_.workers; ++w) {
    fresh_.push_back(in_every_order(w, client_.workers, client_.attempts));
  }
  managers_.emplace_back(client_.workers);
}

state world::initial() {
  state s;
  outcome ignored;
  for (unsigned w = client_.starting; w < client_.workers; ++w) {
    worker_state& me = s.worker[w];
    me.outstanding = 1;
    me.phase = at::wait;
    protocol::request first;
    first.thief = w;
    first.status = protocol::status::idle;
    me.victims = number_of(fresh_[w].empty() ? victims_[0] : fresh_[w][0]);
    handle(s, note::pack(note::kind::request, 0, 0, pack(first)), ignored);
  }
  for (unsigned w = client_.workers; w < workers_max; ++w) s.worker[w].phase = at::left;
  return s;
}

bool world::step(state& s, unsigned actor, unsigned choice, outcome& out) {
  if (actor < client_.workers) return worker_step(s, actor, choice, out);
  if (actor == client_.workers) return manager_step(s, choice, out);
  return outside_step(s, choice, out);
}

bool world::manager_step(state& s, unsigned choice, outcome& out) {
  if (choice > (client_.planted == plant::two_channels ? 1u : 0u)) return false;
  if (!s.deliver.empty()) {
    if (choice != 0) return false;
    deliver(s, s.deliver.pop_front(), out);
    return true;
  }
  auto& updates = s.updates;
  if (choice == 1 ? updates.empty() : s.inbox.empty()) return false;
  handle(s, choice == 1 ? updates.pop_front() : s.inbox.pop_front(), out);
  return true;
}

bool world::outside_step(state& s, unsigned choice, outcome& out) {
  if (choice < client_.runs()) {
    const unsigned run = choice + 1;
    if (s.submitted >> run & 1u) return false;
    if (!client_.together && s.submitted != s.finished) return false;
    // Runs are submitted in order, except that nothing else would tell them apart.
    if (run > 1 && !(s.submitted >> (run - 1) & 1u)) return false;
    s.submitted = static_cast<std::uint8_t>(s.submitted | 1u << run);
    s.spawned = static_cast<std::uint16_t>(s.spawned | 1u << client_.roots[run]);
    tell(s, note::pack(note::kind::submit, 0, run, 0), out);
    if (out.describe) out.text = numbered("submits run ", run);
    return true;
  }
  if (choice > client_.runs() || !client_.stops || (s.submitted & 1u)) return false;
  for (unsigned run = 1; run <= client_.runs(); ++run) {
    if (!(s.finished >> run & 1u)) return false;
  }
  s.submitted |= 1u;
  tell(s, note::pack(note::kind::stop, 0, 0, 0), out);
  if (out.describe) out.text = "stops the runtime";
  return true;
}

// combining_manager::handle, up to the stores of publish; what publish asks and the actions are delivered step by step.
void world::handle(state& s, std::uint16_t message, outcome& out) {
  const note m(message);
  if (m.what == note::kind::request && !is_valid(m.about)) {
    if (out.describe) out.text += "drops the " + in_words(m.about);
    return;
  }
  const transition& t = manager_transition(s.manager, message);
  const std::size_t before = managers_[s.manager].pooled();
  s.manager = t.manager;
  const protocol::manager& now = managers_[t.manager];
  const std::size_t pooled = now.pooled();
  if (t.came != 0) s.pooled[thief_of(t.came)] = t.came;
  for (const std::uint8_t thief : t.gone) s.pooled[thief] = 0;

  const bool seen = client_.planted == plant::swap_unseen ? pooled > before : m.what == note::kind::request;
  if (seen) {
    for (worker_state& w : s.worker) w.offered = 0;
  }
  s.pool_size = static_cast<std::uint8_t>(pooled);
  s.roots = static_cast<std::uint8_t>(t.waiting);

  if (s.deliver.size() + t.deliveries.size() + client_.workers + 1 > s.deliver.items.size()) {
    throw std::length_error("model: too many deliveries");
  }
  if (before == 0 && pooled != 0 && client_.planted != plant::lost_ask) {
    for (unsigned w = client_.workers; w-- > 0;) {
      if (now.known(w) != protocol::no_run) s.deliver.push_front(delivery::pack(delivery::kind::ask, w, 0, 0));
    }
  }
  for (const std::uint16_t d : t.deliveries) s.deliver.push_back(d);
  if (m.what == note::kind::update && pooled != 0 && client_.planted != plant::update_not_asked) {
    s.deliver.push_back(delivery::pack(delivery::kind::ask, m.worker, 0, 0));
  }
  if (out.describe) {
    out.text += std::string("handles ") + name(m.what);
    if (m.about != 0) out.text += ": " + in_words(m.about);
    if (m.what == note::kind::update) {
      out.text += numbered(": w", m.worker) + numbered(" works for run ", m.run);
    }
    if (m.what == note::kind::offer || m.what == note::kind::recall) out.text += numbered(" of w", m.worker);
    if (m.what == note::kind::submit) out.text += numbered(" of run ", m.run);
    out.text += numbered("; ", pooled) + " pooled";
  }
}

void world::deliver(state& s, std::uint16_t packed, outcome& out) {
  const delivery d(packed);
  const auto run = static_cast<run_number>(d.run);
  switch (d.what) {
    case delivery::kind::ask:
      if (out.describe) out.text = numbered("asks w", d.worker) + " to poll";
      return raise(s, d.worker);
    case delivery::kind::hand:
      if (out.describe) out.text = numbered("hands w", d.worker) + " the " + in_words(d.about);
      if (s.worker[d.worker].closed) return refused_hand(s, d.about, out);
      s.deliver.push_front(delivery::pack(delivery::kind::send, d.worker, 0, d.about));
      if (s.taken_back >= client_.take_backs) deliver(s, s.deliver.pop_front(), out);
      return;
    case delivery::kind::send:
      if (out.describe)
        out.text += (out.text.empty() ? "" : "; ") + std::string("sends w") + std::to_string(d.worker) + " the " +
                    in_words(d.about);
      if (!accepts(s, d.worker)) return refused_hand(s, d.about, out);
      s.worker[d.worker].channel.push_back(d.about);
      return raise(s, d.worker);
    case delivery::kind::root:
      if (out.describe) out.text = numbered("gives w", thief_of(d.about)) + numbered(" the root of run ", run);
      return put_answer(s, d.about, {answer_slot::kind::root, 0, run, 0, {}}, out);
    case delivery::kind::dummy:
      if (out.describe) out.text = numbered("gives w", thief_of(d.about)) + numbered(" a dummy, run ", run);
      if (run != 0 && !all_done(s, run, client_.roots[run])) out.violation = "a barrier is released too early";
      return put_answer(s, d.about, {answer_slot::kind::dummy, 0, run, 0, {}}, out);
    case delivery::kind::stop:
      if (out.describe) out.text = numbered("lets w", thief_of(d.about)) + " leave";
      return put_answer(s, d.about, {answer_slot::kind::stop, 0, 0, 0, {}}, out);
    case delivery::kind::finished:
      if (out.describe) out.text = numbered("finds run ", run) + " finished";
      if (s.finished >> run & 1u) out.violation = "a run is finished twice";
      else if (!all_done(s, run, 0)) out.violation = "a run is finished too early";
      s.finished = static_cast<std::uint8_t>(s.finished | 1u << run);
      return;
  }
}

bool world::accepts(const state& s, unsigned to) const {
  return !s.worker[to].closed && s.worker[to].channel.size() < client_.workers;
}

void world::refused_hand(state& s, packed_request about, outcome& out) {
  if (out.describe) out.text += "; refused; ";
  if (client_.planted == plant::refused_dropped) return;
  handle(s, note::pack(note::kind::request, 0, 0, about), out);
}

// channel_scheduler::answer_to.
void world::put_answer(state& s, packed_request about, answer_slot a, outcome& out) const {
  worker_state& thief = s.worker[thief_of(about)];
  const protocol::request r = unpack(about, client_.half);
  a.known = static_cast<run_number>(r.known);
  using kind = answer_slot::kind;
  const bool waits = thief.phase == at::wait || thief.phase == at::raise;  // raise: its request has been faster
  if (!thief.outstanding) out.violation = "an answer to a worker that has no request";
  else if (thief.slot.what != kind::none) out.violation = "two answers to one request";
  else if (r.status == protocol::status::idle && !waits)
    out.violation = "an idle thief's answer to one that is not idle";
  else if ((a.what == kind::root || a.what == kind::stop) && (!waits || !thief.stack.empty())) {
    out.violation = "a root, or leave to go, for a worker inside a task";
  } else if (r.only != 0 && a.what == kind::tasks && a.run != r.only) {
    out.violation = "tasks of a run that the thief did not ask for";
  }
  thief.slot = a;
}

const world::transition& world::manager_transition(std::uint16_t from, std::uint16_t message) {
  const std::uint32_t key = static_cast<std::uint32_t>(from) << 16 | message;
  if (const auto known = transitions_.find(key); known != transitions_.end()) return known->second;

  protocol::manager m = managers_[from];
  const note n(message);
  std::vector<protocol::action> actions;
  transition t;
  switch (n.what) {
    case note::kind::request: {
      protocol::request s = unpack(n.about, client_.half);
      m.on_request(s, actions);
      if (s.status == protocol::status::idle) {
        s.status = protocol::status::registered_idle;
        s.known = protocol::no_run;
      }
      t.came = pack(s);
      break;
    }
    case note::kind::update: m.on_update(n.worker, n.run, actions); break;
    case note::kind::offer: m.on_offer(n.worker, n.run, actions); break;
    case note::kind::recall: m.on_recall(n.worker, actions); break;
    case note::kind::submit: m.on_submit(n.run, actions); break;
    case note::kind::stop: m.on_stop(actions); break;
  }
  for (std::size_t i = 0; i < actions.size(); ++i) {
    const protocol::action a = actions[i];
    using kind = protocol::action::kind;
    const delivery::kind what = a.what == kind::hand    ? delivery::kind::hand
                                : a.what == kind::root  ? delivery::kind::root
                                : a.what == kind::dummy ? delivery::kind::dummy
                                : a.what == kind::stop  ? delivery::kind::stop
                                                        : delivery::kind::finished;
    const bool about = a.what != kind::finished;
    if (about) t.gone.push_back(static_cast<std::uint8_t>(a.about.thief));
    t.deliveries.push_back(
        delivery::pack(what, a.to, static_cast<unsigned>(a.run), about ? pack(a.about) : packed_request{0}));
    // The planted managers forget to count whom they have just counted.
    const bool release = a.what == kind::dummy && a.run != protocol::no_run;
    const bool uncounted =
        (client_.planted == plant::release_uncounted && release) ||
        (client_.planted == plant::offer_uncounted && a.what == kind::hand && a.about.status == protocol::status::idle);
    if (uncounted) m.on_update(a.about.thief, protocol::no_run, actions);
  }
  t.manager = number_of(m);
  t.waiting = m.waiting();
  return transitions_.emplace(key, std::move(t)).first->second;
}

std::uint16_t world::number_of(const protocol::manager& m) {
  std::vector<std::uint64_t> seen{m.pooled(), m.waiting()};
  for (unsigned w = 0; w < client_.workers; ++w) seen.push_back(m.known(w));
  auto& alike = managers_like_[seen];
  for (const std::uint16_t number : alike) {
    if (managers_[number] == m) return number;
  }
  if (managers_.size() > 0xffff) throw std::length_error("model: too many managers");
  managers_.push_back(m);
  alike.push_back(static_cast<std::uint16_t>(managers_.size() - 1));
  return alike.back();
}

std::uint8_t world::number_of(const protocol::victims& v) {
  for (std::size_t i = 0; i < victims_.size(); ++i) {
    if (victims_[i] == v) return static_cast<std::uint8_t>(i);
  }
  if (victims_.size() > 0xff) throw std::length_error("model: too many victims");
  victims_.push_back(v);
  return static_cast<std::uint8_t>(victims_.size() - 1);
}

}  // namespace leat::model
