// How a worker leaves its place and comes back, and who looks in its stead meanwhile (src/leat/scheduler/absence.hpp,
// attendance.hpp). ASKERS threads ask one worker each time by a message. The worker leaves at any time, stays away
// until all have been looked at or comes back before; a message that nobody looks at leaves it waiting.
//
// An exchange that asks is a store here, as C++ lets what follows it go before it.
//
// Guards BLOCKING-1 to BLOCKING-6, WORKER-8: "Asked, but nobody looks".
//
// holds: safety
// holds: all_seen
// found: safety BUG_ASKER_UNFENCED -> invalid end state
// found: safety BUG_LEAVER_UNCALLED -> invalid end state
// found: safety BUG_CALL_LOWERED_LATE -> invalid end state
// found: safety BUG_BACK_WITHOUT_EXCHANGE -> lookers
// found: safety BUG_RETURN_UNSEEN -> invalid end state

#define ASKERS 2
#define THREADS (ASKERS + 1)
#define worker_id ASKERS

#define mail(asker) (asker)
#define limit ASKERS  // raised: look
#define presence (ASKERS + 1)
#define WORDS (ASKERS + 2)
#define BUFFERED 3
#include "store_buffers.pml"

#define here 0
#define away 1
#define attended 2
#define returning 3

bool called, attending;
chan calls = [1] of { bit };  // room for each worker (BLOCKING-3)
byte lookers;
bool seen[ASKERS];  // whose message

#define all_are_seen (seen[0] && seen[1])

inline look() {
  lookers++;
  assert(lookers == 1);  // BLOCKING-1
  atomic { visible(me) -> memory[limit] = false }
  atomic { seen[0] = seen[0] || load(mail(0)) }
  atomic { seen[1] = seen[1] || load(mail(1)) }
  lookers--
}

// BLOCKING-3
inline call() {
  atomic { visible(me) -> was = called; called = true }
  if
  :: !was -> calls!1
  :: was
  fi
}

// BLOCKING-1, BLOCKING-5: the attendant looks, if the worker is away.
inline look_in_its_stead() {
  if
  :: atomic { visible(me) && load(presence) == away -> memory[presence] = attended }
     look();
#ifdef BUG_RETURN_UNSEEN
     store(me, presence, away)
#else
     if
     :: atomic { visible(me) && load(presence) == attended -> memory[presence] = away }
     :: atomic { visible(me) && load(presence) != attended -> memory[presence] = here }
     fi
#endif
  :: atomic { visible(me) && load(presence) != away }
  fi
}

// BLOCKING-4, BLOCKING-6.
inline attend() {
  do
  :: empty(calls) -> break
  :: nempty(calls) ->
     atomic { visible(me) -> was = attending; attending = true }
     if
     :: was -> break
     :: !was
     fi;
     do
     :: calls?_ ->
#ifndef BUG_CALL_LOWERED_LATE
        atomic { visible(me) -> called = false }
#endif
        look_in_its_stead();
#ifdef BUG_CALL_LOWERED_LATE
        atomic { visible(me) -> called = false }
#endif
     :: empty(calls) -> break
     od;
     atomic { visible(me) -> attending = false }
  od
}

active [ASKERS] proctype asker() {
  byte me = _pid - THREADS;
  bool was;
  store(me, mail(me), true);
  store(me, limit, true);
#ifndef BUG_ASKER_UNFENCED
  fence(me);  // BLOCKING-2
#endif
  if
  :: load(presence) != here -> call()
  :: else
  fi;
  attend()
}

active proctype worker() {
  byte me = worker_id;
  bool was;
  do
  :: load(limit) -> look()
  :: all_are_seen -> break
  :: true ->  // it leaves
     store(me, presence, away);
     fence(me);  // BLOCKING-2
#ifndef BUG_LEAVER_UNCALLED
     call();
#endif
     attend();
     if
     :: true -> all_are_seen  // others see to it
     :: true
     fi;
     // It comes back.
#ifdef BUG_BACK_WITHOUT_EXCHANGE
     store(me, presence, here);
     fence(me);
#else
     atomic { visible(me) -> was = (load(presence) == away); memory[presence] = (was -> here : returning) }
     if
     :: was
     :: !was -> load(presence) == here
     fi;
#endif
     look();
     break
  od;
  // In a task from here on.
  do
  :: all_are_seen -> break
  :: !all_are_seen -> load(limit) || all_are_seen;
     look()
  od
}

ltl all_seen { <> all_are_seen }
