// Which worker watches those that do not poll (src/leat/handshake/watch.hpp, docs/internals/interrupts.md): WORKERS
// sleep for want of work. The outside begins RUNS runs, one after the other, and gives the work of each to some worker,
// which never polls in it, or comes back to sleep. From some time on in the last run, one watches for good.
//
// Left out: the two checks that each sleeper makes for itself, and the clock: who keeps watch goes on at any time.
//
// Guards INTERRUPT-5, INTERRUPT-6.
//
// holds: watched
// found, reversed: watched BUG_LEAVE_UNFENCED -> acceptance cycle
// found, reversed: watched BUG_LEAVE_UNCALLED -> acceptance cycle
// found, reversed: watched BUG_BEGIN_UNFENCED -> acceptance cycle
// found, reversed: watched BUG_BEGIN_UNCALLED RUNS=2 -> acceptance cycle
// found, reversed: watched BUG_DOZE_UNFENCED -> acceptance cycle
// found, reversed: watched BUG_KEEPER_UNCALLED RUNS=2 -> acceptance cycle
// holds, long: watched RUNS=2
// holds, long: watched WORKERS=3

#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef RUNS
#define RUNS 1
#endif
#define THREADS (WORKERS + 1)
#define outside_id WORKERS

#define runs 0
#define keeper 1  // its number + 1
#define nobody 0
#define word(w) (2 + (w))  // of its parker
#define dozes(w) (2 + WORKERS + (w))
#define WORDS (2 + 2 * WORKERS)
#define BUFFERED 3
#include "store_buffers.pml"

#define is_awake 0
#define is_asleep 1

bool in_futex[WORKERS], has_work[WORKERS], watches[WORKERS];

#define watched_by(w) (load(keeper) == (w) + 1)
#define ready has_work[me]
#define needed (ready || (load(runs) && (load(keeper) == nobody || watched_by(me))))

// PARKER-2, from the exchange on. The caller has fenced.
inline notify(w) {
  if
  :: load(word(w)) == is_asleep ->
     if
     :: atomic { visible(me) && load(word(w)) == is_asleep -> memory[word(w)] = is_awake; called = true }
        in_futex[w] = false
     :: atomic { visible(me) && load(word(w)) != is_asleep }
     fi
  :: else
  fi
}

inline call_another() {
  atomic { called = false; next = 0 }
  do
  :: !called && next < WORKERS ->
     if
     :: load(dozes(next)) -> notify(next)
     :: else
     fi;
     next++
  :: called || next == WORKERS -> break
  od;
  atomic { called = false; next = 0 }
}

inline doze() {
  store(me, dozes(me), 1);
  do
  :: store(me, word(me), is_asleep);
#ifndef BUG_DOZE_UNFENCED
     fence(me);  // PARKER-1, INTERRUPT-6
#endif
     if
     :: needed -> break
     :: else
     fi;
     atomic {
       visible(me);
       if
       :: load(word(me)) == is_asleep -> in_futex[me] = true
       :: else
       fi
     }
     !in_futex[me];
     if
     :: needed -> break
     :: else
     fi
  od;
  store(me, word(me), is_awake);
  store(me, dozes(me), 0)
}

inline leave() {
  if
  :: watched_by(me) ->
     store(me, keeper, nobody);
#ifndef BUG_LEAVE_UNFENCED
     fence(me);  // INTERRUPT-6
#endif
#ifndef BUG_LEAVE_UNCALLED
     if
     :: load(runs) -> call_another()
     :: else
     fi
#endif
  :: else
  fi
}

active [WORKERS] proctype worker() {
  byte me = _pid - THREADS;
  byte next;
  bool called;
  do
  :: ready ->
     watches[me] = false;
     leave();
     if
     :: has_work[me] = false
     :: break  // deep in a task, for ever
     fi
  :: !ready ->
     // INTERRUPT-5
     atomic {
       visible(me);
       if
       :: load(keeper) == nobody -> memory[keeper] = me + 1
       :: else
       fi
     }
     if
     :: load(runs) && watched_by(me) ->
        watches[me] = true;
        true  // time passes
     :: else ->
        watches[me] = false;
        doze()
     fi
  od
}

inline give_work(w) {
  has_work[w] = true;
  fence(me);
  notify(w)
}

active proctype outside() {
  byte me = outside_id;
  byte next, run_number, kept;
  bool called;
  do
  :: run_number < RUNS ->
     run_number++;
     store(me, runs, 1);
#ifndef BUG_BEGIN_UNFENCED
     fence(me);  // INTERRUPT-6
#endif
     kept = load(keeper);
     if
#ifndef BUG_KEEPER_UNCALLED
     :: kept != nobody && load(dozes(kept - 1)) -> notify(kept - 1)
#endif
#ifndef BUG_BEGIN_UNCALLED
     :: kept == nobody -> call_another()
#endif
     :: else
     fi;
     kept = nobody;
     if
     :: !has_work[0] -> give_work(0)
#if WORKERS > 2
     :: !has_work[1] -> give_work(1)
#endif
     fi;
     if
     :: run_number < RUNS -> store(me, runs, 0); fence(me)
     :: else
     fi
  :: run_number == RUNS -> break
  od
}

#define somebody_watches (watches[0] || watches[1] || watches[WORKERS - 1])

ltl watched { <> [] somebody_watches }
