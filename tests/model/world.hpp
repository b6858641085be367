// The steps of the explored world: what one worker, the manager or the outside does at a time, without threads.
//
// The decisions are those of src/leat/protocol, called as they are. What is modelled is how the scheduler carries them
// out. One step makes one access to what others may change at the same time; what is the worker's own goes with it.
//
//   step        the parts of the worker                                      what others may see or change
//   run         the body of a task: spawn() and its is_poll_due(), the calls of    limit_
//               barrier() and work_until(), the end of the task              (and the future's result)
//   next        next(): pop, pop_without_poll, a late answer, service()'s         limit_ (answers_, requests_)
//               acknowledge and its first try_receive
//   receive     receive_all(): try_receive, hold() up to its decision        requests_, the thief's ownership_
//   pool        donor::give(): read_pool(); rearm()                          pool_ (limit_)
//   offer       make_offer(): tell(offer)                                    the manager's inbox
//   carry       post::send(): closed(), valid_again; or, for the             another's requests_, thief's ownership_
//               manager, send_to_manager(): post
//   send        send(): try_send, open if that failed; send_to_manager():    another's requests_, thief's ownership_;
//               tell(request). Our own request: in the step before           or the inbox
//   raise       send(): signal after the send                                another's limit_
//   update      serve(): tell(update)                                        the inbox
//   answer      serve(): lend, answer_to                                     another's answers_
//   close       await(): close() and its first open(); run_ = nullptr        requests_
//   ask         requester::send(): roots_wait(), begin                              roots_
//   wait        await(): parker_.wait, try_receive; accept() and its take    answers_, the future's result
//     or        bring_to_pool(): the ownership; then carry                   ownership_
//   reopen      reopen(): requests_.reopen                                   requests_
//   reopened    reopen(): read_pool(), rearm()                               pool_ (limit_)
//   ready       work_until(): while (!ready())                               the future's result
//   recall      work_until(): tell(recall)                                   the inbox
//
//   manager     combining_manager.hpp
//   message     handle(): keep, the transition, publish()'s stores           the inbox, ownership_, pool_, roots_
//   delivery    one signal(), or deliver() of one action; a hand in two steps   limit_, answers_; as carry and send
//
// Steps that the table joins could be taken apart without reaching anything else: the first part of each commutes with
// whatever others do in between. Not modelled: rule DEQUE-3 and the memory of tasks (tests of the deque), deques that
// are full, PARKER-1 and PARKER-2 (a worker in `wait` goes on as soon as it may), ACTOR-1 and ACTOR-2 (the manager goes
// on as long as its inbox holds a message), stale values of pool_ and roots_ (ACTOR-3), the serials of requests (a
// message knows whether it is valid), and that offer() gives the manager some time to answer (it may be in vain).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "leat/protocol/manager.hpp"
#include "leat/protocol/thief.hpp"
#include "leat/protocol/victims.hpp"
#include "model/client.hpp"
#include "model/state.hpp"

namespace leat::model {

/// What a step found out besides the new state.
struct outcome {
  std::string violation;  ///< what must not happen; empty: all is well
  bool describe = false;  ///< whether to fill `text`
  std::string text;  ///< the step in words
};

class world {
 public:
  explicit world(client c);

  const client& run_by() const { return client_; }
  state initial();

  /// Those who take steps: the workers, then the manager, then the outside.
  unsigned actors() const { return client_.workers + 2; }

  /// One step of `actor`; where it may go several ways, `choice` says which. False if it cannot take that step now.
  bool step(state& s, unsigned actor, unsigned choice, outcome& out);

  /// What must hold in every state; says what does not, else empty.
  std::string violation(const state& s) const;

  /// What must hold where nobody can take a step.
  std::string violation_at_end(const state& s) const;

  std::string describe(const state& s) const;

 private:
  struct transition {
    std::uint16_t manager = 0;
    std::vector<std::uint16_t> deliveries;
    std::vector<std::uint8_t> gone;  // thieves whose requests are no longer pooled
    packed_request came = 0;  // the request that was pooled, as it is kept
    std::size_t waiting = 0;
  };

  // -- worker_steps.cpp
  bool worker_step(state& s, unsigned w, unsigned choice, outcome& out);
  void run_step(state& s, unsigned w, outcome& out);
  void next_step(state& s, unsigned w, outcome& out);
  void ready_step(state& s, unsigned w);
  void receive_step(state& s, unsigned w, outcome& out);
  void pool_step(state& s, unsigned w, outcome& out);
  void carry_step(state& s, unsigned w, outcome& out);
  void send_step(state& s, unsigned w, outcome& out);
  void answer_step(state& s, unsigned w, outcome& out);
  void refused(state& s, unsigned w);
  void carried(state& s, unsigned w, outcome& out);
  void start(state& s, unsigned w, task_id task, outcome& out);
  void end(state& s, unsigned w, outcome& out);
  void leave_wait(state& s, unsigned w);
  void hold(state& s, unsigned w, packed_request p, protocol::decision d);
  bool awaits_done(const state& s, unsigned w) const;
  void tell(state& s, std::uint16_t message, outcome& out) const;
  void raise(state& s, unsigned to) const { s.worker[to].raised = 1; }

  // -- thief_steps.cpp
  bool ask_step(state& s, unsigned w, unsigned choice);
  void wait_step(state& s, unsigned w, outcome& out);
  bool take_back_step(state& s, unsigned w, outcome& out);
  bool spin_step(state& s, unsigned w);
  void drain(state& s, unsigned w);
  void accept(state& s, unsigned w);

  // -- manager_steps.cpp
  bool manager_step(state& s, unsigned choice, outcome& out);
  bool outside_step(state& s, unsigned choice, outcome& out);
  void handle(state& s, std::uint16_t message, outcome& out);
  void deliver(state& s, std::uint16_t what, outcome& out);
  void refused_hand(state& s, packed_request about, outcome& out);
  bool accepts(const state& s, unsigned to) const;
  void put_answer(state& s, packed_request about, answer_slot a, outcome& out) const;
  const transition& manager_transition(std::uint16_t from, std::uint16_t message);
  std::uint16_t number_of(const protocol::manager& m);
  std::uint8_t number_of(const protocol::victims& v);

  // -- checks.cpp
  std::string lost_lifeline(const state& s) const;
  std::string miscounted_request(const state& s, unsigned thief) const;
  bool all_done(const state& s, run_number run, task_id except) const;

  const client client_;
  std::vector<std::vector<protocol::victims>> fresh_;  // by thief and choice: together they draw in every order
  std::vector<protocol::victims> victims_;  // by number
  std::vector<protocol::manager> managers_;  // by number
  std::map<std::vector<std::uint64_t>, std::vector<std::uint16_t>> managers_like_;
  std::unordered_map<std::uint32_t, transition> transitions_;
  std::vector<std::uint16_t> tasks_of_;  // by run, as bits
};

}  // namespace leat::model
