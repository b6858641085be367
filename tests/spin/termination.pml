// Who works for which run, and when a run is done (docs/internals/protocol.md): updates, registering, recall, barrier, several
// runs, the stop.
//
// Two runs are submitted at any time. What their tasks do is open: the root and each task may spawn, as long as SPAWNS
// tasks of the run are left, and wait for a task of their own, WAITS times in all; each root may have BARRIERS
// barriers. When both runs are finished the runtime stops, and all leave: every other end is invalid.
//
// The way of a request is left out (steal.pml has it): where it is at large, whoever has welcome tasks may serve it,
// and it may be pooled at any time. Nobody needs what others offer: OFFERS of them are enough.
//
// Guards WORKER-2, WORKER-4, WORKER-7, MANAGER-1 to MANAGER-7: "Early termination", "Stale idle claim",
// "Count lost between hand and answer".
//
// holds: safety RUNS=1 WAITS=0
// holds: safety RUNS=1 BARRIERS=0 SPAWNS=0
// holds: safety SPAWNS=0 WAITS=0
// holds: all_leave RUNS=1 WAITS=0 OFFERS=0
// found: safety BUG_THIEF_UPDATES RUNS=1 WAITS=0 BARRIERS=0 -> alive
// found: safety BUG_UPDATE_LAST RUNS=1 WAITS=0 BARRIERS=0 -> invalid end state
// found: safety BUG_TWO_CHANNELS RUNS=1 WAITS=0 BARRIERS=0 -> alive
// found: safety BUG_OFFER_UNCOUNTED RUNS=1 WAITS=0 BARRIERS=0 -> alive
// found: safety BUG_RELEASE_UNCOUNTED RUNS=1 WAITS=0 BARRIERS=2 -> alive
// found: safety BUG_CLAIMS_IDLE RUNS=1 -> alive
// found: safety BUG_ANY_DUMMY RUNS=1 -> alive
// found: safety BUG_NOT_RECALLED RUNS=1 SPAWNS=0 BARRIERS=0 -> invalid end state
// holds, long: safety RUNS=1 BARRIERS=0
// holds, long: safety RUNS=1
// holds, long: safety WAITS=0 BARRIERS=0
// holds, long: safety WORKERS=4 RUNS=1 WAITS=0 OFFERS=0

#ifndef WORKERS
#define WORKERS 3
#endif
#ifndef RUNS
#define RUNS 2
#endif
#ifndef SPAWNS
#define SPAWNS 1
#endif
#ifndef WAITS
#define WAITS 1
#endif
#ifndef BARRIERS
#define BARRIERS 1
#endif
#ifndef OFFERS
#define OFFERS 1
#endif

#define no_run 0
#define nobody WORKERS
#define bit(w) (1 << (w))

mtype = { request, update, offer, recall, submit, stop };  // notes to the manager
mtype = { task, root, dummy };  // answers, and stop
mtype = { idle, working };

chan inbox = [4 * WORKERS + RUNS + 1] of { mtype, byte, byte };  // kind, worker, run
#ifdef BUG_TWO_CHANNELS
chan updates = [2 * WORKERS] of { mtype, byte, byte };
#else
#define updates inbox
#endif
chan answers[WORKERS] = [1] of { mtype, byte, byte };  // kind, of which run, whose awaited task it is

// A request, by thief.
bool at_large[WORKERS];  // between workers, or about to be pooled
mtype status[WORKERS] = idle;
byte known[WORKERS], only[WORKERS];
bool outstanding[WORKERS];

bool opened[WORKERS];  // whose channel is; the others' are closed
bool done[WORKERS];  // what this worker awaits
byte left;

byte alive[RUNS + 1];  // tasks spawned and not done
byte to_spawn[RUNS + 1] = SPAWNS, barriers[RUNS + 1] = BARRIERS;
byte waits = WAITS, offers = OFFERS;
bool finished[RUNS + 1];

// -- the manager. It takes one message at a time (combining_manager.pml).

byte counted[WORKERS];  // under which run
bool pooled[WORKERS], recalled[WORKERS];
byte waiting = 1, submitted;  // the runs from the one to the other have no root yet
bool stopping;

#define root_waits (waiting <= submitted)
#if WORKERS > 3
#define any(condition) (condition(0) || condition(1) || condition(2) || condition(3))
#else
#define any(condition) (condition(0) || condition(1) || condition(2))
#endif
#define works_for_it(w) (counted[w] == before)

// MANAGER-5. The worker left the run `before`, which may be done.
inline leave() {
  if
  :: before != no_run && !any(works_for_it) ->
     w = 0;
     do
     :: w < WORKERS && pooled[w] && only[w] == before && status[w] == idle ->
        assert(alive[before] == 1);  // the root alone: a barrier is released
        pooled[w] = false;
        known[w] = before;
#ifndef BUG_RELEASE_UNCOUNTED
        counted[w] = before;
#endif
        answers[w]!dummy, before, nobody;
        break
     :: w < WORKERS && !(pooled[w] && only[w] == before && status[w] == idle) -> w++
     :: w == WORKERS ->
        assert(alive[before] == 0 && !finished[before]);  // a run is finished
        finished[before] = true;
        break
     od;
     w = 0
  :: else
  fi
}

inline count_under(t, to) {
  before = counted[t];
  counted[t] = to;
  if
  :: before != to -> leave()
  :: before == to
  fi;
  before = no_run
}

// MANAGER-4
inline give_root(t) {
  pooled[t] = false;
  known[t] = waiting;
  count_under(t, waiting);
  answers[t]!root, waiting, nobody;
  waiting++
}

// MANAGER-1
inline pool(t) {
  if
  :: status[t] == working && recalled[t] -> recalled[t] = false; answers[t]!dummy, no_run, nobody
  :: status[t] == working && !recalled[t] -> pooled[t] = true
  :: status[t] == idle ->
     known[t] = no_run;
     recalled[t] = false;
     pooled[t] = true;
     count_under(t, no_run);
     if
     :: pooled[t] && only[t] == no_run && root_waits -> give_root(t)
     :: pooled[t] && only[t] == no_run && !root_waits && stopping -> pooled[t] = false; answers[t]!stop, no_run,
     nobody
     :: else
     fi
  fi
}

#define is_welcome(t) (only[t] == no_run || only[t] == its_run)
#define wants(t) (pooled[t] && t != from && is_welcome(t))

// MANAGER-3
inline hand_over(t) {
  pooled[t] = false;
  if
  :: status[t] == idle ->
     known[t] = its_run;
#ifndef BUG_OFFER_UNCOUNTED
     count_under(t, its_run)
#endif
  :: status[t] != idle
  fi;
  if
  :: opened[from] -> at_large[t] = true
  :: !opened[from] -> pool(t)
  fi
}

inline meet_offer() {
  if
  :: wants(0) -> hand_over(0)
  :: wants(1) -> hand_over(1)
  :: wants(2) -> hand_over(2)
#if WORKERS > 3
  :: wants(3) -> hand_over(3)
#endif
  :: !any(wants)
  fi
}

#define may_begin(t) (pooled[t] && status[t] == idle && only[t] == no_run)

inline begin_run() {
  submitted++;
  if
  :: may_begin(0) -> give_root(0)
  :: may_begin(1) -> give_root(1)
  :: may_begin(2) -> give_root(2)
#if WORKERS > 3
  :: may_begin(3) -> give_root(3)
#endif
  :: !any(may_begin)
  fi
}

// MANAGER-7
inline let_go() {
  stopping = true;
  from = 0;
  do
  :: from < WORKERS && may_begin(from) -> pooled[from] = false; answers[from]!stop, no_run, nobody; from++
  :: from < WORKERS && !may_begin(from) -> from++
  :: from == WORKERS -> break
  od
}

active proctype manager() {
  byte from, its_run, before, w;
end:
  do
  :: atomic { inbox?request, from, _ -> pool(from); from = 0 }
  :: atomic { updates?update, from, its_run -> count_under(from, its_run); from = 0; its_run = 0 }  // MANAGER-2
  :: atomic { inbox?offer, from, its_run -> meet_offer(); from = 0; its_run = 0 }
  :: atomic {
       inbox?recall, from, _;
       if
       :: pooled[from] && status[from] == working -> pooled[from] = false; answers[from]!dummy, no_run, nobody
       :: else -> recalled[from] = true
       fi;
       from = 0
     }
  :: atomic { inbox?submit, _, _ -> begin_run() }
  :: atomic { inbox?stop, _, _ -> let_go(); from = 0 }
  od
}

// -- the way of requests

active proctype carrier() {
end:
  do
  :: atomic { at_large[0] -> at_large[0] = false; inbox!request, 0, no_run }
  :: atomic { at_large[1] -> at_large[1] = false; inbox!request, 1, no_run }
  :: atomic { at_large[2] -> at_large[2] = false; inbox!request, 2, no_run }
#if WORKERS > 3
  :: atomic { at_large[3] -> at_large[3] = false; inbox!request, 3, no_run }
#endif
  od
}

// -- workers

#define has_tasks (plain != 0 || kept != 0)

// One of the worker's tasks: a plain one, or one that somebody awaits.
inline take() {
  if
  :: plain != 0 -> plain--; whose = nobody
  :: kept & 1 -> whose = 0
  :: kept & 2 -> whose = 1
  :: kept & 4 -> whose = 2
#if WORKERS > 3
  :: kept & 8 -> whose = 3
#endif
  fi;
  kept = kept & ~bit(whose)
}

#define may_serve(t) (at_large[t] && t != me && is_welcome(t))

inline tell_of(t) {
  if
  :: !told -> updates!update, t, its_run
  :: told
  fi
}

// WORKER-2
inline serve(t) {
  atomic { has_tasks && may_serve(t) -> at_large[t] = false; told = (known[t] == its_run) }
#if !defined(BUG_THIEF_UPDATES) && !defined(BUG_UPDATE_LAST)
  tell_of(t);
#endif
  atomic {
    take();
#ifndef BUG_THIEF_UPDATES
    known[t] = its_run;
#endif
    assert(outstanding[t] && empty(answers[t]));
    answers[t]!task, its_run, whose;
    whose = 0
#ifndef BUG_UPDATE_LAST
    ;
    told = false
#endif
  }
#ifdef BUG_UPDATE_LAST
  tell_of(t)
#endif
}

// WORKER-6, at a poll
inline share() {
  if
  :: serve(0)
  :: serve(1)
  :: serve(2)
#if WORKERS > 3
  :: serve(3)
#endif
  :: atomic { has_tasks && offers != 0 -> offers--; inbox!offer, me, its_run }
  fi
}

inline accept() {
  atomic {
    answers[me]?what, of_run, whose;
    outstanding[me] = false;
    status[me] = idle;
    only[me] = no_run;
    if
    :: what == task && whose != nobody -> kept = kept | bit(whose)
    :: what == task && whose == nobody -> plain++
    :: else
    fi;
    if
    :: of_run != no_run -> its_run = of_run
    :: of_run == no_run
    fi;
    whose = 0
  }
#ifdef BUG_THIEF_UPDATES
  if
  :: what == task && known[me] != its_run -> updates!update, me, its_run; known[me] = its_run
  :: else
  fi;
#endif
  opened[me] = true
}

// WORKER-5; WORKER-1: a request for tasks of one run goes to the manager at once.
inline ask(claim, wanted) {
  atomic {
    opened[me] = false;
    what = 0;
    of_run = no_run;
    if
    :: !outstanding[me] ->
       outstanding[me] = true;
       status[me] = claim;
       only[me] = wanted;
       if
       :: wanted == no_run -> at_large[me] = true
       :: wanted != no_run -> inbox!request, me, no_run
       fi
    :: outstanding[me]
    fi
  }
}

// What any task may do besides waiting.
inline spawn_some() {
  do
  :: atomic { to_spawn[its_run] != 0 -> to_spawn[its_run]--; alive[its_run]++; plain++ }
  :: share()
  :: break
  od
}

inline end_task(whom) {
  atomic {
    alive[its_run]--;
    if
    :: whom != nobody -> done[whom] = true
    :: whom == nobody
    fi;
    whom = 0
  }
}

inline execute_within_wait() {
  atomic { has_tasks -> take(); above = whose; whose = 0 }
  spawn_some();
  end_task(above)
}

// WORKER-4: the task spawns another and waits for that, inside `wait::any`.
inline wait() {
  atomic { waits != 0 -> waits--; alive[its_run]++; kept = kept | bit(me); done[me] = false }
  spawn_some();
  do
  :: done[me] -> break
  :: !done[me] && has_tasks ->
     execute_within_wait()
  :: !done[me] && !has_tasks ->
#ifdef BUG_CLAIMS_IDLE
     ask(idle, its_run);
#else
     ask(working, its_run);
#endif
     if
     :: nempty(answers[me]) -> accept()
     :: done[me] -> break
     fi
  od;
#ifndef BUG_NOT_RECALLED
  if
  :: outstanding[me] -> inbox!recall, me, no_run
  :: !outstanding[me]
  fi;
#endif
  opened[me] = true
}

// Its own task is taken first, thieves are served from what is left: else two could steal one task from each other for ever.
inline run_tasks() {
  do
  :: atomic { has_tasks -> take(); current = whose; whose = 0 }
     spawn_some();
     if
     :: wait()
     :: true
     fi;
     end_task(current)
  :: !has_tasks -> break
  od
}

inline barrier() {
  atomic { barriers[its_run] != 0 -> barriers[its_run]-- }
  do
  :: run_tasks();
     ask(idle, its_run);
     accept();
     // WORKER-7
     if
#ifdef BUG_ANY_DUMMY
     :: what == dummy -> break
#else
     :: what == dummy && of_run != no_run -> break
#endif
     :: else
     fi
  od;
  assert(alive[its_run] == 1)
}

inline run_root() {
  do
  :: spawn_some();
     if
     :: wait()
     :: barrier()
     :: break
     fi
  od;
  current = nobody;
  end_task(current)
}

active [WORKERS] proctype worker() {
  byte me = _pid - 2;
  byte its_run, plain, kept;
  byte whose, current, above;  // a task at hand, by who awaits it
  bool told;
  mtype what;
  byte of_run;
  do
  :: ask(idle, no_run);
     its_run = no_run;
     accept();
     if
     :: what == stop -> break
     :: what == root -> run_root()
     :: else
     fi;
     run_tasks()
  od;
  left++
}

// -- the outside

active proctype outside() {
  byte its_run = 1;
  do
  :: its_run <= RUNS -> alive[its_run] = 1; inbox!submit, 0, its_run; its_run++
  :: its_run > RUNS -> break
  od;
  finished[1] && finished[RUNS];
  inbox!stop, 0, no_run
}

ltl all_leave { <> (left == WORKERS) }
