// How a steal request finds who has tasks (docs/internals/protocol.md): it is sent, forwarded, taken back, brought to
// the idle pool of the manager, handed out and answered; channels are closed and opened again. One run.
//
// Worker 0 begins with the root, which spawns TASKS tasks and then polls, but executes none of them, until others have.
// So each task must be stolen, from it or from a thief, whose tasks may spawn SPAWNS more. Then the runtime stops, and
// all leave: every other end is invalid. Of the others, the first STARTING begin as thieves; the requests of the rest
// are pooled. With ROOTS_MAY_WAIT a new request may go to the manager at once. With PATIENT no thief takes its request
// back unless told to. With ROOT_STUCK the root never polls again after its last push; all requests must come to rest.
//
// GIVE_UPS offers are given up before they are dealt with: if the combiner were preempted at each, and each thief took
// its request back before the poll, nothing would be stolen for ever.
//
// A step makes one access to what others may change at the same time (as in tests/model/world.hpp).
//
// Guards REQUEST-1 to REQUEST-5, WORKER-1, WORKER-3, WORKER-5, WORKER-6, WORKER-15, MANAGER-1 to MANAGER-3, MANAGER-7,
// DEQUE-2: "Request stuck in a closed channel", "Request sent, victim not asked", "Lost lifeline",
// "Offer in vain, for ever", "Two holders".
//
// holds: safety STARTING=0
// holds: safety PATIENT
// holds: ended WORKERS=2 STARTING=1
// holds: ended PATIENT STARTING=0 GIVE_UPS=0
// holds: pooled_for_good ROOT_STUCK STARTING=0
// found: safety BUG_TWO_HOLDERS -> invalid end state
// found: safety BUG_CLOSE_WITHOUT_DRAIN WORKERS=2 STARTING=1 -> requests
// found: safety BUG_RAISE_FIRST WORKERS=2 PATIENT STARTING=1 -> invalid end state
// found: safety BUG_FIRST_UNASKED STARTING=1 -> invalid end state
// found: safety BUG_UPDATE_UNASKED ROOTS_MAY_WAIT PATIENT SPAWNS=1 GIVE_UPS=0 -> invalid end state
// found: ended BUG_OFFER_WHILE_CLOSED PATIENT STARTING=0 GIVE_UPS=0 -> acceptance cycle
// found: pooled_for_good BUG_NOT_TAKEN_BACK ROOT_STUCK WORKERS=2 STARTING=1 -> acceptance cycle
// found: pooled_for_good BUG_GIVEN_UP_UNTOLD ROOT_STUCK WORKERS=2 STARTING=0 -> acceptance cycle
// found: ended BUG_GIVEN_UP_BY_STORE STARTING=0 -> acceptance cycle
// found: pooled_for_good BUG_FORWARD_UNTOLD ROOT_STUCK SPAWNS=1 -> acceptance cycle
// holds, long: ended STARTING=0
// holds, long: ended PATIENT STARTING=1
// holds, long: safety STARTING=1
// holds, long: safety STARTING=0 TASKS=2
// holds, long: safety STARTING=0 WORKERS=4
// holds, long: pooled_for_good ROOT_STUCK SPAWNS=1 STARTING=0

#ifndef WORKERS
#define WORKERS 3
#endif
#ifndef TASKS
#define TASKS 1
#endif
#ifndef SPAWNS
#define SPAWNS 0
#endif
#ifndef GIVE_UPS
#define GIVE_UPS 1
#endif
#ifndef STARTING
#define STARTING 2
#endif

#define nobody WORKERS
#define manager_id WORKERS  // where a request may go, besides to workers

// A thief's ownership: a serial, or one of these (REQUEST-3).
#define SERIALS 6
#define ownership_held SERIALS
#define ownership_pooled (SERIALS + 1)

mtype = { request, update, offer, stop };  // notes to the manager
mtype = { none, out, met, given_up };  // what became of an offer

// What others see of a worker.
bool opened[WORKERS], raised[WORKERS], forwarded[WORKERS];
byte ownership[WORKERS] = ownership_held;
mtype offered[WORKERS] = none;
byte handed[WORKERS] = nobody;  // whose request met its offer (OFFER-2)
chan requests[WORKERS] = [WORKERS] of { byte, byte };  // thief, serial
chan answers[WORKERS] = [1] of { byte };  // how many tasks; none: leave
chan inbox = [4 * WORKERS] of { mtype, byte, byte };  // of the manager
byte pool_size;  // the pool, as published

// What is a worker's own, or moves with its request.
bool seen[WORKERS];  // it has offered in this epoch
bool known[WORKERS];  // the manager counts it under the run
byte tried[WORKERS];  // victims that its request has visited, as bits
bool outstanding[WORKERS];

// The manager's.
bool pooled[WORKERS], counted[WORKERS];

byte borne[WORKERS];  // serials that messages bear, as bits: the next one is none of these
byte to_spawn = SPAWNS, give_ups = GIVE_UPS, executed, left;

// -- requests

// REQUEST-3
inline post(t) {
  assert(ownership[t] == ownership_held || ownership[t] == ownership_pooled);
  serial = 0;
  do
  :: borne[t] & (1 << serial) -> serial++
  :: else -> break
  od;
  assert(serial < SERIALS);
  borne[t] = borne[t] | (1 << serial);
  ownership[t] = serial
}

// A message is received, or was refused. Who has it holds the request now, or else its thief has taken it back: t is
// nobody then.
inline open(t) {
  borne[t] = borne[t] & ~(1 << serial);
  if
#ifdef BUG_TWO_HOLDERS
  :: true -> ownership[t] = ownership_held
#else
  :: ownership[t] == serial -> ownership[t] = ownership_held
  :: else -> t = nobody
#endif
  fi;
  serial = 0
}

// WORKER-3: the next victim of the request of t, or the manager.
inline draw(t) {
  tried[t] = tried[t] | (1 << me) | (1 << t);
  if
  :: !(tried[t] & 1) -> to = 0
  :: !(tried[t] & 2) -> to = 1
#if WORKERS > 2
  :: !(tried[t] & 4) -> to = 2
#endif
#if WORKERS > 3
  :: !(tried[t] & 8) -> to = 3
#endif
  :: tried[t] == (1 << WORKERS) - 1 -> to = manager_id
  fi;
  tried[t] = tried[t] | ((1 << to) & ((1 << WORKERS) - 1))
}

// What is raised while the channel is closed would be lowered by a poll that finds nothing.
inline raise(w) {
  if
  :: opened[w] -> raised[w] = true
  :: !opened[w]
  fi
}

// The request of t, which this worker holds, goes to `to`, or on. From its posting on t may take it back. t is nobody
// afterwards.
inline hand_on(t) {
  do
  :: atomic { to == manager_id -> post(t); inbox!request, t, serial; serial = 0; to = 0; t = nobody }
     break
  :: atomic { to != manager_id && !opened[to] -> draw(t) }
  :: atomic { to != manager_id && opened[to] ->
       post(t)
#ifdef BUG_RAISE_FIRST
       ;
       raise(to)
#endif
     }
     if
     :: atomic { opened[to] && nfull(requests[to]) -> requests[to]!t, serial; serial = 0 }
        atomic {
#ifndef BUG_RAISE_FIRST
          raise(to);  // DEQUE-2
#endif
          to = 0
#ifndef BUG_FORWARD_UNTOLD
          ;
          if
          :: t != me && outstanding[t] -> forwarded[t] = true
          :: else
          fi
#endif
          ;
          t = nobody
        }
        break
     :: atomic { !opened[to] || full(requests[to]) ->
          open(t);
          if
          :: t != nobody -> draw(t)
          :: t == nobody -> to = 0; break
          fi
        }
     fi
  od
}

// -- a worker as a victim

// WORKER-2, or WORKER-3 without tasks.
inline serve_or_pass_on(t) {
  if
  :: t != nobody && tasks != 0 ->
     if
     :: !known[t] -> inbox!update, t, 0
     :: known[t]
     fi;
     atomic {
       known[t] = true;
       tasks--;
       assert(outstanding[t] && empty(answers[t]));  // REQUEST-1, REQUEST-2
       answers[t]!1;
       t = nobody
     }
  :: t != nobody && tasks == 0 -> hand_on(t)
  :: t == nobody  // the message is dead
  fi
}

inline receive() {
  requests[me]?thief, serial;
  seen[me] = false;
  open(thief);
  if
  :: thief != nobody && tasks == 0 -> draw(thief)
  :: else
  fi
}

// WORKER-6
#define may_offer (pool_size != 0 && tasks != 0 && !seen[me] && offered[me] == none)

inline poll() {
  raised[me] = false;
  do
  :: atomic { nempty(requests[me]) -> receive() }
     serve_or_pass_on(thief)
  :: atomic { empty(requests[me]) && may_offer ->
       seen[me] = true;
       offered[me] = out;
       inbox!offer, me, 0
     }
     if
     :: offered[me] == none
     :: atomic { offered[me] == met ->
          offered[me] = none;
          thief = handed[me];
          handed[me] = nobody;
          seen[me] = false;
          if
          :: tasks == 0 -> draw(thief)
          :: tasks != 0
          fi
        }
        serve_or_pass_on(thief)
#ifdef BUG_GIVEN_UP_BY_STORE
     :: atomic { give_ups != 0 -> give_ups--; offered[me] = given_up; raised[me] = true }
#else
     :: atomic { offered[me] == out && give_ups != 0 -> give_ups--; offered[me] = given_up; raised[me] = true }
#endif
        break
     fi
  :: atomic { empty(requests[me]) && !may_offer ->
       if
       :: pool_size != 0 -> raised[me] = true
       :: pool_size == 0
       fi
     }
     break
  od
}

inline poll_if_asked() {
  if
  :: raised[me] -> poll()
  :: !raised[me]
  fi
}

// -- a worker as a thief

// WORKER-5, WORKER-1: what came before goes on, then the request is sent.
inline close_and_ask() {
  atomic { opened[me] = false; raised[me] = false }
#ifndef BUG_CLOSE_WITHOUT_DRAIN
  do
  :: atomic { nempty(requests[me]) -> receive() }
     serve_or_pass_on(thief)
  :: atomic { empty(requests[me]) ->
#endif
       thief = me;
       tried[me] = 0;
       outstanding[me] = true;
       if
       :: draw(me)
#ifdef ROOTS_MAY_WAIT
       :: to = manager_id
#endif
       fi
#ifndef BUG_CLOSE_WITHOUT_DRAIN
     }
     break
  od
#endif
  ;
  hand_on(thief)
}

// REQUEST-4
inline bring_to_pool() {
  forwarded[me] = false;
  if
  :: ownership[me] == ownership_pooled
  :: ownership[me] == ownership_held  // for longer than it is worth waiting
  :: atomic {
       ownership[me] < SERIALS -> ownership[me] = ownership_held;
       thief = me;
       post(thief);
       inbox!request, me, serial;
       serial = 0;
       thief = nobody
     }
  fi
}

inline await(came) {
#ifdef PATIENT
  nempty(answers[me]) || forwarded[me];
#endif
  assert(empty(requests[me]));
  do
  :: nempty(answers[me]) -> break
  :: empty(answers[me]) ->
#ifndef BUG_NOT_TAKEN_BACK
     bring_to_pool();
#endif
     nempty(answers[me]) || forwarded[me]
  od;
  atomic { answers[me]?came; outstanding[me] = false; forwarded[me] = false; tried[me] = 0 }
}

inline reopen() {
  atomic { seen[me] = false; opened[me] = true }
  atomic {
    if
    :: pool_size != 0 -> raised[me] = true
    :: pool_size == 0
    fi
  }
}

inline accept(came) {
#ifdef BUG_OFFER_WHILE_CLOSED
  tasks = tasks + came;
  poll();
  reopen()
#else
  reopen();
  tasks = tasks + came
#endif
}

// Polls, until all tasks have been begun.
#define all_executed (executed == TASKS + SPAWNS - to_spawn)

inline poll_until_all_executed() {
  do
  :: all_executed -> break
  :: !all_executed && raised[me] -> poll()
  od
}

// A task that spawns polls as the root does, or ends.
inline execute() {
  executed++;
  if
  :: atomic { to_spawn != 0 -> to_spawn--; tasks++ }
     poll_if_asked();
     if
     :: poll_until_all_executed()
     :: true
     fi
  :: true
  fi
}

inline run_tasks() {
  do
  :: tasks != 0 ->
     tasks--;
     poll_if_asked();
     execute()
  :: tasks == 0 ->
     poll();
     if
     :: tasks == 0 -> break
     :: else
     fi
  od
}

inline run_root() {
  do
  :: pushed < TASKS ->
     pushed++;
     tasks++;
     poll_if_asked()
  :: pushed == TASKS -> break
  od;
#ifndef ROOT_STUCK
  poll_until_all_executed();
  inbox!stop, 0, 0
#endif
}

active [WORKERS] proctype worker() {
  byte me = _pid;
  byte tasks, pushed, thief = nobody, serial, to, came;
  counted[0];  // the manager has set up the world
  if
  :: me == 0 ->
     reopen();
     run_root()
  :: me != 0
  fi;
#ifdef ROOT_STUCK
  me != 0;
#endif
  if
  :: me > STARTING -> goto waiting
  :: me <= STARTING
  fi;
  do
  :: close_and_ask();
waiting:
     await(came);
     if
     :: came == 0 -> break
     :: came != 0
     fi;
     accept(came);
     run_tasks()
  od;
  left++
}

// -- the manager

// MANAGER-1. That the pool is published before others are asked: pool.pml.
inline pool(t) {
  ownership[t] = ownership_pooled;
  known[t] = false;
  counted[t] = false;
  pooled[t] = true;
  pool_size++;
  w = 0;
  do
  :: w < WORKERS ->
     seen[w] = false;  // a new epoch
     if
#ifndef BUG_FIRST_UNASKED
     :: pool_size == 1 && counted[w] -> raise(w)
#endif
     :: else
     fi;
     w++
  :: w == WORKERS -> w = 0; break
  od;
  t = nobody
}

// MANAGER-3: the request of t goes to `to`, who has offered.
inline choose(t) {
  pooled[t] = false;
  pool_size--;
  known[t] = true;
  counted[t] = true;
  if
  :: offered[to] == out -> handed[to] = t; offered[to] = met; to = nobody  // OFFER-2
  :: offered[to] != out && opened[to] -> thief = t; post(thief)
  :: offered[to] != out && !opened[to] -> thief = t; pool(thief)
  fi
}

inline deal_with_offer() {
  atomic {
    inbox?offer, to, _;
    if
    :: pooled[0] && to != 0 -> choose(0)
    :: pooled[1] && to != 1 -> choose(1)
#if WORKERS > 2
    :: pooled[2] && to != 2 -> choose(2)
#endif
#if WORKERS > 3
    :: pooled[3] && to != 3 -> choose(3)
#endif
    :: pool_size == pooled[to]
    fi
  }
  if
  :: atomic { thief != nobody && opened[to] && nfull(requests[to]) -> requests[to]!thief, serial; serial = 0 }
     raise(to)
  :: atomic { thief != nobody && (!opened[to] || full(requests[to])) ->
       open(thief);
       if
       :: thief != nobody -> pool(thief)
       :: thief == nobody
       fi
     }
  :: thief == nobody
  fi;
  atomic {
#ifndef BUG_GIVEN_UP_UNTOLD
    if
    :: to != nobody && offered[to] == given_up && thief != nobody -> forwarded[thief] = true
    :: else
    fi;
#endif
    if
    :: to != nobody -> offered[to] = none
    :: to == nobody  // the word is the worker's again
    fi;
    thief = nobody;
    to = 0
  }
}

active proctype manager() {
  byte thief = nobody, serial, to, w;
  bool stopping;
  atomic {
    counted[0] = true;
    w = STARTING + 1;
    do
    :: w < WORKERS ->
       pooled[w] = true;
       pool_size++;
       ownership[w] = ownership_pooled;
       outstanding[w] = true;
       w++
    :: w == WORKERS -> w = 0; break
    od
  }
end:
  do
  :: atomic {
       inbox?request, thief, serial;
       open(thief);
       if
       :: thief == nobody
       :: thief != nobody && stopping -> answers[thief]!0; thief = nobody
       :: thief != nobody && !stopping -> pool(thief)
       fi
     }
  :: atomic {
       inbox?update, thief, _;
       counted[thief] = true;
#ifndef BUG_UPDATE_UNASKED
       if
       :: pool_size != 0 -> raised[thief] = true  // MANAGER-2
       :: pool_size == 0
       fi;
#endif
       thief = nobody
     }
  :: deal_with_offer()
  :: atomic {
       inbox?stop, _, _;
       stopping = true;
       do
       :: to < WORKERS && pooled[to] -> pooled[to] = false; pool_size--; answers[to]!0; to++
       :: to < WORKERS && !pooled[to] -> to++
       :: to == WORKERS -> to = 0; break
       od
     }
  od
}

ltl ended { <> (left == WORKERS) }
ltl pooled_for_good { <> [] (ownership[1] == ownership_pooled && ownership[WORKERS - 1] == ownership_pooled) }
