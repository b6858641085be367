// Who attends the manager, and whom it asks to look (src/leat/scheduler/attended_manager.hpp).
//
// SENDERS threads send a request each, which comes to rest, and attend. A worker with a task for each request waits
// beside its tasks: it sleeps, or begins to, and looks when it is asked; each look serves what has been published. All
// that was sent is handled, and all that rests is served, or the end is invalid.
//
// Guards A1-A4: "Message left alone", "Lost lifeline" (of a worker that waits).
//
// holds: safety
// holds: served_all
// found: safety BUG_LOOK_THEN_LEAVE -> invalid end state
// found: safety BUG_LEAVE_BY_STORE -> invalid end state
// found: safety BUG_ATTEND_TWICE -> attendants
// found: safety BUG_ASK_THEN_PUBLISH -> invalid end state
// found: safety BUG_PUBLISH_UNFENCED -> invalid end state
// found: safety BUG_WAIT_UNFENCED -> invalid end state
// found: safety BUG_WAITING_UNASKED -> invalid end state

#define SENDERS 3
#define THREADS (SENDERS + 1)
#define victim SENDERS

#define attended 0
#define pool 1  // how many requests have come to rest
#define waits 2  // the victim waits beside its tasks
#define WORDS 3
#define BUFFERED 3
#include "store_buffers.pml"

chan inbox = [SENDERS] of { bit };
byte attendants, rested, served;
bool raised;  // an exchange sets it, and wakes the victim
bool first_asked;

inline ask() { atomic { visible(me) -> raised = true } }

// What comes to rest first asks all who work; what comes later asks those who wait beside their tasks (A4).
inline handle() {
  rested++;
#ifdef BUG_ASK_THEN_PUBLISH
  ask();
  store(me, pool, rested)
#else
  store(me, pool, rested);  // A3
  if
  :: !first_asked -> first_asked = true; ask()
  :: else ->
#ifndef BUG_PUBLISH_UNFENCED
     fence(me);
#endif
#ifndef BUG_WAITING_UNASKED
     if
     :: load(waits) -> ask()
     :: else
     fi
#else
     skip
#endif
  fi
#endif
}

active [SENDERS] proctype sender() {
  byte me = _pid - THREADS;
  bool was;
  inbox!1;
  do
  ::
#ifdef BUG_ATTEND_TWICE
     was = load(attended);
     atomic { visible(me) -> memory[attended] = 1 }
#else
     atomic { visible(me) -> was = load(attended); memory[attended] = 1 }  // A1
#endif
     if
     :: was -> break
     :: !was
     fi;
     attendants++;
     assert(attendants == 1);
     do
     :: inbox?_ -> handle()
     :: empty(inbox) -> break
     od;
     attendants--;
#ifdef BUG_LEAVE_BY_STORE
     store(me, attended, 0);
#else
     atomic { visible(me) -> memory[attended] = 0 }  // A2
#endif
#ifdef BUG_LOOK_THEN_LEAVE
     break
#else
     if
     :: empty(inbox) -> break
     :: nempty(inbox)
     fi
#endif
  od
}

// A worker that has tasks: it looks once while it works; then it waits, asleep whenever it is not asked.
active proctype worker() {
  byte seen;
  store(victim, waits, 1);
#ifndef BUG_WAIT_UNFENCED
  fence(victim);  // A4
#endif
  do
  :: seen = load(pool);  // the look
     served = seen;
     seen = 0;
     if
     :: served == SENDERS -> break
     :: else -> atomic { raised -> raised = false }
     fi
  od
}

ltl served_all { <> (served == SENDERS) }
