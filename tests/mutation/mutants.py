"""The mutants: what is made wrong in the tree, one thing at a time, and which check is to notice.

A mutant is a name, the check that kills it, and its changes: a file, a text that is in there once, and the text that takes its place.
Checks are those of run.py. Some changes are not listed, since they cost nothing but time:
- a closing worker leaves the requests in its channel (WORKER-5), a victim is signalled before the request is sent (DEQUE-2), or a
  worker that begins to block does not call for itself (BLOCKING-2): thieves take their requests back (REQUEST-3), and Spin finds these;
- a leapfrog request is not answered when the awaited work is done (LEAPFROG-5): the next poll answers it;
- the owner of a fork or a group is not woken then (GROUP-3): that poll wakes it, too;
- a worker that sleeps in a wait is on the lookout (ACTOR-3): it sleeps by the clock.
"""

HUNTING = "src/leat/published/hunting_steps.hpp"
TURNS = "src/leat/published/turns.hpp"
LCWS = "src/leat/published/lcws_steps.hpp"
PRELL = "src/leat/published/prell_steps.hpp"
PRELL_END = "src/leat/published/prell_end_steps.hpp"
CENSUS = "src/leat/protocol/census.hpp"
HUNTER = "src/leat/scheduler/hunter_steps.hpp"
REQUESTER = "src/leat/scheduler/requester_steps.hpp"
RESPONDER = "src/leat/scheduler/responder_steps.hpp"
LEAPFROGS = "src/leat/scheduler/leapfrog_steps.hpp"
STACK = "src/leat/work/task_stack.hpp"
WAITER = "src/leat/scheduler/waiter_steps.hpp"
LOOKOUT = "src/leat/handshake/lookout.hpp"
OWNERSHIP = "src/leat/handshake/ownership.hpp"
ADMISSION = "src/leat/handshake/admission.hpp"
BUDGET = "src/leat/handshake/budget.hpp"
MANAGED = "src/leat/post/combining_manager.hpp"
RANK_TASKS = "src/leat/cluster/rank_tasks.hpp"
PATIENCE = "src/leat/task/channel_patience.hpp"
PROXIES = "src/leat/handshake/proxies.hpp"
PARKER = "src/leat/handshake/parker.hpp"
WATCH = "src/leat/handshake/watch.hpp"
WAIT = "src/leat/waiting/wait.hpp"
CIRCLES = "src/leat/waiting/wait_list.hpp"
HANGS = "src/leat/waiting/hang_report.hpp"
GROUP = "src/leat/scheduler/group_steps.hpp"
GROUP_COUNT = "src/leat/handshake/group_count.hpp"
FUTURE = "src/leat/task/future_task.hpp"
MANAGER = "src/leat/protocol/manager.hpp"
THIEF = "src/leat/protocol/thief.hpp"
PRIVATE = "src/leat/deque/private.hpp"
PUBLIC = "src/leat/deque/public_part.hpp"
FORKS = "src/leat/deque/fork_stack.hpp"
SPSC = "src/leat/channel/spsc.hpp"
MAILBOX = "src/leat/channel/mailbox.hpp"
MPSC = "src/leat/channel/mpsc.hpp"
MPMC = "src/leat/channel/mpmc.hpp"
SHOT = "src/leat/channel/one_shot.hpp"
RING = "src/leat/channel/ring.hpp"
LINE = "src/leat/task/channel_line.hpp"
LINE_WAIT = "src/leat/task/channel_wait.hpp"
NODES = "src/leat/task/graph_nodes.hpp"
DEPENDENT = "src/leat/task/dependent.hpp"
INJECTOR = "src/leat/handshake/injector.hpp"
SUBMISSIONS = "src/leat/scheduler/submissions.hpp"
CONTINUATION = "src/leat/task/continuation.hpp"

TELL = "    me_.home.manager().tell({post::note<P>::kind::update, s.thief, {}, mine});\n"
SERVED = "lend(protocol::batch(s.amount, stack.tasks.size()));\n  if (me_.home.post().answer_to(s.thief, a, s)) me_.counts.add_in_poll(event::wakes);\n}"

MUTANTS = [
    # -- the protocol's own races
    ("the thief tells of its work, not its victim (Figure 4.2)", "seeds", [
        (RESPONDER, TELL, ""),
        (REQUESTER, "  me_.hunter.is_known_under(known_);\n",
         "  if (a.lender != nullptr) me_.home.manager().tell({post::note<P>::kind::update, me_.id(), {}, me_.runner.current_run()});\n"
         "  me_.hunter.is_known_under(known_);\n")]),
    ("a worker that waits inside a task says that it is idle (WORKER-4)", "seeds", [
        (WAITER, "await(protocol::status::working, runner.run_id(), over)", "await(protocol::status::idle, runner.run_id(), over)")]),
    ("the update comes after the answer (WORKER-2)", "idles", [
        (RESPONDER, TELL, ""),
        (RESPONDER, SERVED, SERVED.replace(
            "wakes);\n}", "wakes);\n  if (update) me_.home.manager().tell({post::note<P>::kind::update, s.thief, {}, mine});\n}"))]),
    ("the sleeper does not check again before it sleeps (PARKER-1)", "every_deque", [
        (PARKER, "      if (ready()) break;\n      slept = true;", "      slept = true;")]),
    ("the owner takes its newest public task without a check of the head (PUBLIC-3)", "every_deque", [
        (PRIVATE, "    if (!public_.begins_beneath(newest)) {\n", "    if (false) {\n")]),
    ("no update at all (WORKER-2)", "seeds", [(RESPONDER, TELL, "")]),
    ("a request is opened without a check of its ownership (REQUEST-3)", "seeds", [
        (OWNERSHIP, "    return word_.compare_exchange_strong(serial, held, platform::acquire, platform::relaxed);",
         "    word_.store(held, platform::relaxed);\n    return serial != 0;")]),
    ("the combiner counts off all messages that are there (ACTOR-2, MAILBOX-2)", "seeds", [
        (MAILBOX, "count_of(word_.fetch_sub(gone, platform::release)) - gone;",
         "0u * gone;\n    word_.fetch_and(~std::uint64_t{0} << ticket_shift, platform::release);")]),
    ("two combine at once (ACTOR-1)", "seeds", [
        (MANAGED, "    if (inbox_.send(message)) combine();", "    inbox_.send(message);\n    combine();")]),
    ("busy workers are not signalled when a request is pooled (ACTOR-3)", "seeds", [
        (MANAGED, "if (state_.known(worker) != protocol::no_run && !home_.on_lookout(worker)) home_.signal(worker);", "static_cast<void>(worker);")]),
    ("a thief that begins to work while requests are pooled is not signalled (MANAGER-2)", "idles", [
        (MANAGED, "if (m.what == note<P>::kind::update && state_.pooled() != 0) home_.signal(m.worker);", "")]),
    ("a thief whose request is handed over is not counted (MANAGER-3)", "seeds", [
        (MANAGER, "        s.known = run;\n        count_under(s.thief, run, out);\n      }\n      out.push_back({action::kind::hand",
         "        s.known = run;\n      }\n      out.push_back({action::kind::hand")]),
    ("a root released from its barrier is not counted (MANAGER-5)", "seeds", [(MANAGER, "      a.workers = 1;\n", "")]),
    ("an offer is met with a request for tasks of another run (MANAGER-3)", "functions", [
        (MANAGER, "if (s.thief == worker || (s.only != no_run && s.only != run)) continue;", "if (s.thief == worker) continue;")]),
    ("a root is given to a worker that waits in a barrier (MANAGER-4)", "functions", [
        (MANAGER, "      if (pool_[i].status != status::registered_idle || pool_[i].only != no_run) continue;\n      give_root",
         "      if (pool_[i].status != status::registered_idle) continue;\n      give_root")]),
    ("a recall is not remembered (MANAGER-6)", "functions", [(MANAGER, "    recalled_[thief] = true;", "")]),
    ("registering as idle does not forget a recall (MANAGER-6)", "functions", [
        (MANAGER, "      recalled_[s.thief] = false;  // idle", "      // idle")]),
    ("a worker that leaves a wait does not recall its request (WORKER-13)", "seeds", [
        (REQUESTER, "      me_.home.manager().tell({post::note<P>::kind::recall, me_.id()});\n", "")]),
    ("a run ends while one worker is still counted under it (MANAGER-5)", "seeds", [
        (MANAGER, "    if (--a.workers != 0) return;", "    if (--a.workers > 1) return;")]),
    ("tasks of a run go to a thief that wants those of another (WORKER-2)", "functions", [
        (THIEF, "const bool welcome = s.only == no_run || s.only == me.run;", "const bool welcome = true;")]),
    ("no spare compensates for a blocked worker (MANAGER-9)", "functions", [
        (MANAGER, "    if (compensating_ >= blocked_ || dormant_.empty()) return;", "    return;")]),
    ("a worker whose lookout ends keeps its mark (ACTOR-3)", "idles", [(LOOKOUT, "    marks_.clear(id_);\n", "")]),
    ("an offer that has been dealt with counts (WORKER-14)", "seeds", [
        (MANAGED, "        offers_.fetch_sub(1, platform::relaxed);  // relaxed: a hint\n", "")]),
    ("a thread that asks a blocked worker does not call for it (BLOCKING-2)", "idles", [
        (PROXIES, "    if (w.presence.blocked()) call(w);  // BLOCKING-2: notify has fenced\n", "")]),
    ("the call's word is turned back after the poll (BLOCKING-3)", "every_proxy", [
        (PROXIES, "        (*w)->presence.end_call();  // BLOCKING-3\n        (*w)->poll_by_proxy();\n",
         "        (*w)->poll_by_proxy();\n        (*w)->presence.end_call();  // BLOCKING-3\n")]),
    ("two are proxies at once (BLOCKING-4)", "every_proxy", [
        (PROXIES, "while (serving_.exchange(1, platform::acq_rel) == 0)", "for (;;)")]),
    ("a proxy that has served does not read the queue again (BLOCKING-6)", "every_proxy", [
        (PROXIES, "      if (calls_.size() == 0) return;\n    }", "      return;\n    }")]),

    # -- runs with a cap
    ("a victim serves a thief without admitting it (CAP-1)", "capped", [
        (RESPONDER, "if (tasks != 0 && s.only == protocol::no_run && !admits_thief()) tasks = 0;", "")]),
    ("a worker is admitted by two steps (CAP-1)", "capped", [
        (ADMISSION, "if (admitted_.compare_exchange_strong(now, now + 1, platform::acquire, platform::relaxed)) return true;",
         "admitted_.store(now + 1, platform::relaxed);\n      return true;")]),
    ("an idle worker stays admitted until it has tasks again (CAP-3)", "capped", [
        (REQUESTER, "    if (work::run<P>* const r = std::exchange(admitted_to_, nullptr)) r->workers().leave();\n", "")]),
    ("a worker leaves while its request for tasks of the run is out (CAP-3)", "seeds", [
        (REQUESTER, "  if (only == protocol::no_run) {\n    if (work::run<P>* const r", "  {\n    if (work::run<P>* const r")]),
    ("the workers of a full run are not signalled when one has left (CAP-4)", "capped", [
        (MANAGED, "      if (state_.known(static_cast<protocol::worker_id>(w)) == id) home_.signal(static_cast<protocol::worker_id>(w));", "")]),
    ("a full run offers nothing to its own workers that ask (CAP-4)", "capped", [
        (ADMISSION, "return !has_room() && asking_.load(platform::relaxed) == 0;", "return !has_room();")]),
    ("an offer of a full run goes to any thief (CAP-4)", "functions", [
        (MANAGER, "      if (s.only == no_run && !has_room) continue;\n", "")]),

    # -- CPUs that runtimes share
    ("a victim serves a thief without a CPU for it (BUDGET-2)", "budget", [
        (RESPONDER, "  if (me_.home.cpus().admit()) return true;\n", "  return me_.home.cpus().enter(), true;\n")]),
    ("an idle worker stays busy (BUDGET-1)", "budget", [
        (REQUESTER, "    if (std::exchange(is_busy_, false)) me_.home.cpus().leave();  // BUDGET-1\n", "")]),
    ("a worker that leaves calls no starved runtime (BUDGET-4)", "budget", [
        (BUDGET, "      if (of_->starved_.load(platform::relaxed) != 0) notify_starved();\n", "")]),
    ("a runtime that finds no room is not starved (BUDGET-4)", "budget", [
        (BUDGET, "      of_->starved_.fetch_add(1, platform::relaxed);\n", "      is_starved_.store(0, platform::relaxed);\n")]),
    ("no thief takes the place of a worker that blocks (BUDGET-2)", "budget", [
        (BUDGET, "      owed_.fetch_add(1, platform::relaxed);  // relaxed: the block's message to the manager follows\n", ""),
        (BUDGET, "      leave();\n    }\n    void come_back", "    }\n    void come_back"),
        (BUDGET, "      enter();\n      static_cast<void>(take_owed());\n", "")]),

    # -- ranks of several workers
    ("a worker is at work when it has tasks, not before it takes them (SEAT-3)", "every_rank", [
        (RANK_TASKS, "    begin_work(s);\n    if (!stops() && (take_own(s) || take_of_others(s))) return true;\n",
         "    if (!stops() && (take_own(s) || take_of_others(s))) return begin_work(s), true;\n")]),
    ("a worker leaves tasks open while another takes some of them (SEAT-3)", "every_rank", [
        (RANK_TASKS, "      if (s.open.take_all(s.own)) return true;\n      P::yield();\n",
         "      return s.open.take_all(s.own);\n")]),
    ("a rank reads how many workers are at work before it reads how many tasks have landed (SEAT-3)", "every_rank", [
        (RANK_TASKS, "return landed_.size() != 0 || at_work_.load(platform::seq_cst) != 0;",
         "return at_work_.load(platform::seq_cst) != 0 || landed_.size() != 0;")]),
    ("a worker looks whether all stop before it is at work (SEAT-4)", "every_rank", [
        (RANK_TASKS, "    begin_work(s);\n    if (!stops() && (take_own",
         "    if (stops()) return false;\n    begin_work(s);\n    if ((take_own")]),
    ("a rank gives the last task that has landed (SEAT-8)", "functions", [
        (RANK_TASKS, "    if (landed_.size() > 1) landed_.take_half(moving_);", "    landed_.take_half(moving_);")]),
    ("a rank gives all tasks that have landed (SEAT-8)", "functions", [
        (RANK_TASKS, "    if (landed_.size() > 1) landed_.take_half(moving_);", "    if (landed_.size() > 1) landed_.take_all(moving_);")]),
    ("the pace of a channel's end never halves (CHANNEL-7)", "functions", [(PATIENCE, "std::max(now / 2, 1U)", "now")]),
    ("the pace of a channel's end doubles when one message comes at a time (CHANNEL-7)", "functions", [
        (PATIENCE, "found * relaxes_for_one > relaxes", "found * relaxes_for_one >= relaxes")]),

    # -- waits
    ("a leapfrogging waiter gets any task of the run (LEAPFROG-3)", "seeds", [
        (LEAPFROGS, "  if (deque.empty() || deque.oldest_index() < e.tasks_end) return 0;", "  if (deque.empty()) return 0;"),
        (LEAPFROGS, "  if (!descends(oldest, e)) return 0;\n", "")]),
    ("a leapfrogging waiter gets any fork (LEAPFROG-3)", "seeds of lock_wanted_by_forks", [
        (STACK, "s >= tls && s < words_->top", "tls != nullptr && s < words_->top")]),
    ("a request is not sent on along a chain of waits (LEAPFROG-4)", "waits", [
        (THIEF, "  return me.onward ? leapfrog::forward : leapfrog::keep;", "  return leapfrog::keep;")]),
    ("an account's tasks are not taken over before they are lent (GROUP-6)", "seeds", [
        (RESPONDER, "  me_.runner.take_over_account();  // GROUP-6\n  post::answer<P> a{", "  post::answer<P> a{")]),
    ("an account forgets that it has counted in tasks ahead (GROUP-6)", "functions", [
        (GROUP_COUNT, "    counted_in_ += all;", "    counted_in_ += lacking;")]),
    ("an account does not count out what it counted in ahead (GROUP-6)", "seeds", [
        (GROUP_COUNT, "return done + counted_in_ - spawned_;", "return done - std::max<std::int64_t>(spawned_ - counted_in_, 0);")]),
    ("an account counts in no task ahead (GROUP-6)", "functions", [
        (GROUP_COUNT, "lacking + std::min(counted_in_, surplus_max)", "lacking")]),
    ("a future's task is executed by the first worker that comes, and by the second (FUTURE-1)", "seeds", [
        (FUTURE, "        return false;  // FUTURE-1", "        // FUTURE-1")]),
    ("a thief takes what is public in another run (EXPOSURE-1)", "seeds", [
        (HUNTER, "const auto ours = [&] { return victim.exposer.tag().is_of(run_id_); };", "const auto ours = [&] { return !victim.exposer.tag().is_of(protocol::no_run); };"),
        (HUNTER, "    if (&victim == &me_ || !victim.exposer.tag().is_of(run_id_)) continue;", "    if (&victim == &me_) continue;")]),
    ("interrupts are never sent", "seeds", [(WATCH, "w.monitor.overdue(now, after_ns_) && w.monitor.interrupt()", "w.monitor.overdue(now, after_ns_)")]),
    ("a poll sees nothing new in pooled requests (WORKER-6)", "idles", [
        (RESPONDER, "    if (!me_.donor.others_offer()) return false;\n", "")]),
    ("a keeper that goes to work wakes no other one (INTERRUPT-6)", "seeds", [
        (WATCH, "    if (home_.under_way()) call_another(me.id());", "")]),

    # -- published schedulers
    ("an idle thief takes a task before it counts itself (TURNS-2)", "seeds", [
        (HUNTING, "    if (how == as::idle) all_.count_in();\n    if (take_from(victim, stolen)) {\n",
         "    if (take_from(victim, stolen)) {\n      if (how == as::idle) all_.count_in();\n"),
        (HUNTING, "    if (how == as::idle) all_.count_out();\n", "")]),
    ("a processor sleeps although there are news (TURNS-3)", "seeds", [
        (TURNS, "    news_.fetch_add(1, platform::acq_rel);  // pairs with news\n", "")]),
    ("a notice stays when the deque is closed to grow (LCWS-4)", "seeds", [
        (LCWS, "  forget();  // what was made public for a thief is so no more\n", "")]),
    ("a worker that answers a registered thief tells the manager nothing (PRELL-3)", "seeds", [(PRELL_END, "  send(update, *map_.manager(of));\n", "")]),
    ("the manager ends a run while a task is in its channel (PRELL-4)", "seeds of prell", [
        (PRELL_END, "return census_.all_idle() && tasks_.size() == 0;", "return census_.all_idle();")]),
    ("worker 0 answers the dummy's thief and stays registered (PRELL-5)", "seeds of prell", [(PRELL, "    if (s.stays) unregister_root();\n", "")]),
    ("worker 0 leaves a barrier and revokes its request without an update (PRELL-5)", "seeds", [
        (PRELL, "    unregister(s);\n    outstanding_", "    outstanding_")]),
    ("the dummy's thief asks any worker (PRELL-5)", "seeds of prell", [(PRELL, "    s.stays = true;\n", "")]),
    ("a worker that answers an uncounted thief does not count it (PRELL-6)", "seeds", [
        (PRELL_END, "    if (s.thief != id_) all_.count_in();\n", "")]),

    ("a worker tells the manager of its own place of a thief of another one (PRELL-8)", "seeds", [
        (PRELL_END, "  send(update, *map_.manager(of));\n", "  send(update, *manager_);\n")]),
    ("a manager tells the head its sums while its place is not idle (PRELL-9)", "seeds", [
        (CENSUS, "    return all_idle() ? answer() : step::none;\n", "    return answer();\n")]),
    ("the head finds the end when all places have told once (PRELL-9)", "seeds", [
        (CENSUS, "const bool over = updates_before_ == wave_.answered;", "const bool over = true;")]),
    ("the head compares the sums of one wave (PRELL-9)", "functions", [
        (CENSUS, "const bool over = updates_before_ == wave_.answered;", "const bool over = wave_.updates == wave_.answered;")]),
    ("a worker does not count the thieves of other places that it answers (PRELL-9)", "seeds", [
        (PRELL_END, "  if (of != place_) ++answered_;  // PRELL-9\n", "")]),
    ("worker 0 leaves a barrier registered, with several places (PRELL-9)", "seeds", [
        (PRELL_END, "      if (map_.places() > 1) unregister_root();  // PRELL-9\n", "")]),

    # -- deques
    ("a thief takes a public slot by a store (PUBLIC-2)", "every_deque", [
        (PUBLIC, "    return head_.compare_exchange_strong(head, head + 2, platform::acq_rel, platform::relaxed) ? oldest : nullptr;",
         "    head_.store(head + 2, platform::release);\n    return oldest;")]),
    ("an opening begins at a position that was in the head before (PUBLIC-2)", "every_deque", [(PUBLIC, "    ++position_;  // PUBLIC-2\n", "")]),
    ("the public part is closed by a load and a store", "every_deque", [
        (PUBLIC, "head_.exchange(closed, platform::acq_rel) >> 1;", "head_.load(platform::acquire) >> 1;\n    head_.store(closed, platform::release);")]),
    ("the owner takes its last public slot by a store", "every_deque", [
        (PUBLIC, "    if (!head_.compare_exchange_strong(head, closed, platform::acq_rel, platform::relaxed)) return close();\n",
         "    head_.store(closed, platform::release);\n")]),
    ("a slot is public up to and with the end", "every_deque", [
        (PRIVATE, "return word(slot) < word(end) && wanted();", "return word(slot) <= word(end) && wanted();")]),
    ("the owner takes a fork back without a check of the head (PUBLIC-3)", "every_deque", [
        (FORKS, "    if (public_.begins_beneath(s)) {\n", "    {\n")]),
    ("a join's comparison is off by one (FORK-2)", "every_deque", [
        (FORKS, "  slot* give(std::uint32_t thief) noexcept {\n    slot* s = bottom_++;", "  slot* give(std::uint32_t thief) noexcept {\n    slot* s = bottom_;")]),
    ("a pop reads the limit before it claims (DEQUE-4)", "every_deque", [
        (PRIVATE, "    T* newest = top_ - 1;\n    top_ = newest;\n    P::signal_fence();  // DEQUE-4: claimed before limit_ is read\n"
                  "    // relaxed: limit_ only says whether to poll; the poll acquires (DEQUE-2).\n"
                  "    if (word(newest) < limit_.load(platform::relaxed)) [[unlikely]] {\n      top_ = newest + 1;\n      return nullptr;\n    }",
         "    T* newest = top_ - 1;\n    if (word(newest) < limit_.load(platform::relaxed)) return nullptr;\n    P::signal_fence();\n    top_ = newest;")]),
    ("the end of a poll forgets a signal that came meanwhile (DEQUE-2)", "every_deque", [
        (PRIVATE, "    if (unsignalled() == acknowledged_) return;\n    std::uintptr_t expected = acknowledged_;\n"
                  "    // A failure means a new signal, which stays (DEQUE-2). relaxed: the poll that follows it acquires.\n"
                  "    limit_.compare_exchange_strong(expected, unsignalled(), platform::relaxed, platform::relaxed);",
         "    limit_.store(unsignalled(), platform::relaxed);")]),
    ("lent slots are written again before they are given back (DEQUE-3)", "every_deque", [(PRIVATE, "    ++lent_;\n", "")]),

    # -- channels
    ("spsc holds one message too many", "every_channel", [
        (SPSC, "      if (tail - head_seen_ == capacity_) return sent::full;", "      if (tail - head_seen_ == capacity_ + 1) return sent::full;")]),
    ("spsc shows a message before it is there (SPSC-3)", "every_channel", [
        (SPSC, "    at(tail).put(std::move(message));\n    // release: pairs with the acquires in try_receive, drained and size; the cell is the receiver's from here on\n    // (SPSC-3).\n    tail_.store(tail + 1, platform::release);",
         "    tail_.store(tail + 1, platform::release);\n    static_cast<void>(closed_.load(platform::relaxed));\n    at(tail).put(std::move(message));")]),
    ("spsc reads the tail before it reads whether it is closed (SPSC-5)", "every_channel", [
        (SPSC, "    if (closed_.load(platform::acquire) == 0) return false;  // acquire: pairs with the release in close\n",
         "    const auto tail = tail_.load(platform::relaxed);\n    if (closed_.load(platform::acquire) == 0) return false;\n"),
        (SPSC, "    return tail_.load(platform::relaxed) == head_.load(platform::relaxed);", "    return tail == head_.load(platform::relaxed);")]),
    ("mpsc: full after one try of the free stack (MPSC-5)", "every_channel", [(MPSC, "bool all_touched = false;", "bool all_touched = true;")]),
    ("mpsc: no tag counts the returns (MPSC-4)", "every_channel", [
        (MPSC, "returned = ((word >> tag_shift) + 1) << tag_shift | index;", "returned = (word >> tag_shift) << tag_shift | index;")]),
    ("mpsc: collecting opens a closed channel (MPSC-6)", "every_channel", [
        (MPSC, "inbox_.exchange(none | (word & closed_bit), platform::acquire);", "inbox_.exchange(none, platform::acquire);")]),
    ("mpsc: batches are not turned round (MPSC-7)", "every_channel", [
        (MPSC, "    for (std::uint32_t i = index_of(word); i != none;) {", "    first_ = index_of(word);\n    for (std::uint32_t i = none; i != none;) {")]),
    ("mailbox: the receiver leaves by a store (MAILBOX-4)", "every_channel", [
        (MAILBOX, "      if (oldest.stamp.exchange(stamp_of(head_, state::awaited), platform::acq_rel) != full) return std::nullopt;",
         "      oldest.stamp.store(stamp_of(head_, state::awaited), platform::release);\n      return std::nullopt;")]),
    ("mailbox: a place and the part of the receiver are given in two steps (MAILBOX-2)", "every_channel", [
        (MAILBOX, "word_.fetch_add(one_ticket + one_message, platform::acquire);",
         "word_.fetch_add(one_ticket, platform::acquire);\n    word_.fetch_add(one_message, platform::acquire);")]),
    ("mailbox: the sender is not told that its message is awaited (MAILBOX-4)", "every_channel", [
        (MAILBOX, "return found == stamp_of(ticket, state::awaited);", "return static_cast<void>(found), false;")]),
    ("mpmc: a cell is full before its message is there (MPMC-2)", "every_channel", [
        (MPMC, "          s.value.put(std::move(message));\n          // release: pairs with the acquire in try_receive; the message is whole (MPMC-2).\n          s.stamp.store(ticket | full_bit, platform::release);",
         "          s.stamp.store(ticket | full_bit, platform::release);\n          static_cast<void>(head_.load(platform::relaxed));\n          s.value.put(std::move(message));")]),
    ("mpmc: an old ticket counts as full (MPMC-4)", "every_channel", [
        (MPMC, "      } else if ((stamp & ~full_bit) == ticket - lap_) {\n        return sent::full;", "      } else {\n        return sent::full;"),
        (MPMC, "      } else {\n        ticket = tail_.load(platform::acquire);  // ours was old: another sender has used it (MPMC-4)\n      }\n", "      }\n")]),
    ("one_shot: the receiver goes by a store (ONESHOT-3)", "every_channel", [
        (SHOT, "found = word_.exchange(closed_for_good, platform::acq_rel);", "word_.store(closed_for_good, platform::release);")]),
    ("one_shot: a waiter that announces itself too late is not told so (ONESHOT-4)", "every_channel", [
        (SHOT, "return !(found & state_bits) && word_.compare_exchange_strong(found, waiter, platform::acq_rel, platform::acquire);",
         "return !(found & state_bits) && (word_.compare_exchange_strong(found, waiter, platform::acq_rel, platform::acquire), true);")]),

    # -- circles of waits
    ("any execution beneath a wait counts as the awaited one (DEADLOCK-2)", "deadlocks", [
        (WAIT, "      if (e->target_ == target) return true;", "      return target != nullptr;")]),
    ("executions beneath a wait for anything are not searched (DEADLOCK-2)", "deadlocks", [
        (WAIT, "    if (o == nullptr) return false;", "    return false;")]),
    ("the search ends after one circle (DEADLOCK-4)", "deadlocks", [
        (CIRCLES, "  while (!w.is_chosen() && finds_circle(w, steps) && breaks_circle(w, broken)) {", "  if (finds_circle(w, steps) && breaks_circle(w, broken)) {")]),
    ("a chosen wait stays in the future's chain (DEADLOCK-6)", "deadlocks", [
        (CIRCLES, "  if (chosen->about().withdraw != nullptr) chosen->about().withdraw(chosen->about().waiter);\n", "")]),
    ("a worker that executes a task in a wait counts as waiting (DEADLOCK-7)", "deadlocks", [
        (HANGS, "      if (in_task ? !sleeps_for_lock(w) : (listed", "      if ((listed")]),

    # -- graphs and dependent tasks (docs/internals/graphs.md)
    ("a node is begun by each that counts it down (GRAPH-2)", "every_graph", [
        (NODES, "return left_.fetch_sub(1, platform::acq_rel) == 1;", "return left_.fetch_sub(1, platform::acq_rel) <= 2;")]),
    ("a node does not set its count again (GRAPH-3)", "every_graph", [
        (NODES, "    if (before_ > 1) left_.store(before_, platform::relaxed);\n", "")]),
    ("a dependent task does not count the call that makes it (AFTER-1)", "every_graph", [
        (DEPENDENT, "left_(waits + 1) {}", "left_(waits) {}")]),
    ("a link is put into a list that is closed (AFTER-1)", "every_graph", [
        (DEPENDENT, "      if (l.next == closed()) return false;\n", "")]),
    ("a link is read after its task may have begun (AFTER-3)", "every_graph", [
        (DEPENDENT, "      link* const next = l->next;  // first: the link goes with the task that waits\n", ""),
        (DEPENDENT, "      l = next;\n", "      l = l->next;\n")]),

    # -- channels of programs (docs/internals/user_channels.md)
    ("a wait does not check again after it has announced itself (CHANNEL-1)", "every_user_channel", [
        (LINE, "    if (!blocked()) {", "    if (before == UINT32_MAX && !blocked()) {")]),
    ("a send opens a channel that was closed meanwhile (RING-3)", "every_user_channel", [
        (RING, "if (tail_.compare_exchange_strong(tail, tail + step, platform::seq_cst, platform::acquire)) return sent::ok;",
         "tail_.exchange(tail + step, platform::seq_cst);\n    if (&message != nullptr) return sent::ok;")]),
    ("closing tells one wait (CHANNEL-2)", "every_user_channel", [
        (LINE, "tell(UINT32_MAX);", "tell(1);")]),
    ("a wait goes while the thread that told it still needs the worker (CHANNEL-3)", "every_user_channel", [
        (LINE, "done.load(platform::acquire) == 0;", "done.load(platform::acquire) == 2;")]),

    # -- places of the default runtime (entry/primary.hpp)
    ("a thread leaves while others use its words (PRIMARY-4)", "seeds", [
        (STACK, "    while (users_.load(platform::seq_cst) != 0) P::yield();  // pairs with with_words\n", "")]),
    # -- work from outside
    ("a drain leaves after its last read of the injector (SUBMIT-4)", "every_submission", [
        (INJECTOR, "    drains.leave();\n    if (!from.has_some() || !drains.begin(most)) return;\n",
         "    if (from.has_some()) continue;\n    drains.leave();\n    return;\n")]),
    ("a closed injector takes submissions (SUBMIT-1)", "every_submission", [
        (INJECTOR, "      if (top == &closed_) return false;\n", "")]),
    ("what a drain leaves in order is not seen (SUBMIT-4)", "every_submission", [
        (INJECTOR, "    if (oldest_.load(platform::seq_cst) != nullptr) return true;\n", "")]),
    ("closing drops what was put in (SUBMIT-6)", "every_submission", [
        (INJECTOR, "    oldest_.store(oldest, platform::seq_cst);  // pairs with has_some\n", "")]),
    ("the destructor waits for no drain (SUBMIT-6)", "every_submission", [
        (SUBMISSIONS, "      if (left != 0) P::wait(unended_, left);\n      else if (!injector_.has_some()) break;\n", "      if (left != ~0u) break;\n")]),
    ("a drain's run is used while another drain has it (SUBMIT-8)", "every_submission", [
        (SUBMISSIONS, "run_of_[i].taken.load(platform::relaxed) == 0 && run_of_[i].taken.exchange(1, platform::acquire) == 0",
         "run_of_[i].taken.exchange(1, platform::acquire) <= 1")]),
    ("a worker does not begin a submission that it waits for (FUTURE-7)", "every_submission", [
        (FUTURE, "(run_ != record::any_run && me.runner.run_id() != run_)", "me.runner.run_id() != run_")]),
    ("a worker does not begin the source of a continuation that it waits for (FUTURE-9)", "every_submission", [
        (CONTINUATION, "    if (source_ != nullptr) source_->hold();\n    return source_;\n", "    return nullptr;\n")]),
]
