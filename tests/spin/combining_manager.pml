// Which thread combines for the manager, and which workers it signals (src/leat/post/combining_manager.hpp).
//
// SENDERS threads send a request each, which is pooled, and combine. A worker with a task for each request has been on
// the lookout, and ends that; it works, until it is asked or not, and then waits beside its tasks: it sleeps, or begins
// to, and polls when it is asked; each poll serves what has been published. All that was sent is handled, and all that
// is pooled is served, or the end is invalid.
//
// Guards ACTOR-1 to ACTOR-4, and MAILBOX-1, MAILBOX-2 and MAILBOX-4 of the inbox: "Message left alone",
// "Lost lifeline".
//
// holds: safety
// holds: served_all
// found: safety BUG_CHECK_THEN_LEAVE -> invalid end state
// found: safety BUG_LEAVE_BY_STORE -> invalid end state
// found: safety BUG_COMBINE_TWICE -> combiners
// found: safety BUG_ASK_THEN_PUBLISH -> invalid end state
// found: safety BUG_PUBLISH_UNFENCED -> invalid end state
// found: safety BUG_WAIT_UNFENCED -> invalid end state
// found: safety BUG_WAITING_UNASKED -> invalid end state
// found: safety BUG_LOOKOUT_UNFENCED -> invalid end state
// found: safety BUG_LOOKOUT_UNENDED -> invalid end state

#define SENDERS 3
#define THREADS (SENDERS + 1)
#define victim SENDERS

#define pool 0  // how many requests have been pooled
#define waits 1  // the victim waits beside its tasks
#define lookout 2  // 0: the victim polls by itself; 1: it wants to be asked
#define WORDS 3
#define BUFFERED 3
#include "store_buffers.pml"

// The inbox, a mailbox with room for all: its word, which only read-modify-writes change, the state of each place, and
// what is the receiver's.
byte tickets, count;
#define empty_place 0
#define awaited 1
#define full 2
byte place[SENDERS];
byte oldest, known, received;
byte combiners, pooled, served;
bool raised;  // an exchange sets it, and wakes the victim
bool first_asked;

inline ask() {
  if
  :: load(lookout) == 0  // ACTOR-3
  :: else -> atomic { visible(me) -> raised = true }
  fi
}

// What is pooled first asks all who work and are not on the lookout; what comes later asks them when some wait beside
// their tasks (ACTOR-4).
inline handle() {
  pooled++;
#ifdef BUG_ASK_THEN_PUBLISH
  ask();
  store(me, pool, pooled)
#else
  store(me, pool, pooled);  // ACTOR-3
#ifndef BUG_PUBLISH_UNFENCED
  fence(me);
#endif
  if
  :: !first_asked -> first_asked = true; ask()
  :: else ->
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

// MAILBOX-1, MAILBOX-2: where it is to go on, the receiver counts off what it received, and leaves if that was all.
inline check_again() {
  combiners--;
#ifdef BUG_CHECK_THEN_LEAVE
  atomic { visible(me) -> left = count - received }
  if
  :: left == 0 -> received = 0; known = 0; atomic { visible(me) -> count = 0 }
  :: else -> atomic { visible(me) -> count = left; received = 0; known = left }
  fi;
#else
  // What it resets before, no other thread reads: the word says that one receives.
  atomic { visible(me) -> left = count - received; count = left; received = 0; known = left }
#endif
  if
  :: left == 0 -> left = 0; break
  :: else -> left = 0; combiners++; assert(combiners == 1)
  fi
}

// MAILBOX-4: the oldest message is on its way, or has come.
inline take_oldest() {
  if
  :: atomic { visible(me) && place[oldest] == full -> found = full }
  :: atomic { visible(me) && place[oldest] != full -> found = empty_place }
  fi;
  if
  :: found == full
  :: else ->
     combiners--;
#ifdef BUG_LEAVE_BY_STORE
     atomic { visible(me) -> place[oldest] = awaited }
#else
     atomic { visible(me) -> found = place[oldest]; place[oldest] = awaited }
#endif
     if
     :: found != full -> break
     :: else -> combiners++; assert(combiners == 1)
     fi
  fi;
  found = 0;
  oldest++;
  received++;
  handle()
}

active [SENDERS] proctype sender() {
  byte me = _pid - THREADS;
  byte ticket, before, found, left;
#ifdef BUG_COMBINE_TWICE
  atomic { visible(me) -> before = count; ticket = tickets; tickets++ }
  atomic { visible(me) -> count++ }
#else
  atomic { visible(me) -> before = count; ticket = tickets; tickets++; count++ }  // MAILBOX-2
#endif
  atomic { visible(me) -> found = place[ticket]; place[ticket] = full }  // MAILBOX-4
  if
  :: before == 0 -> known = 1
  :: before != 0 && found == awaited
  :: before != 0 && found != awaited -> goto sent
  fi;
  found = 0;
  combiners++;
  assert(combiners == 1);
  do
  :: received == known -> check_again()
  :: received != known -> take_oldest()
  od;
sent:
  skip
}

// A worker that has tasks: its lookout ends, it polls, and works on until it is asked, or waits by itself; it is asleep
// there whenever it is not asked.
active proctype worker() {
  byte seen;
#ifndef BUG_LOOKOUT_UNENDED
  store(victim, lookout, 1);
#endif
#ifndef BUG_LOOKOUT_UNFENCED
  fence(victim);  // ACTOR-3
#endif
  if
  :: load(pool) != 0 -> goto waiting  // it polls by itself from now on
  :: load(pool) == 0
  fi;
  if
  :: skip -> atomic { raised -> raised = false }  // works until then
  :: skip
  fi;
waiting:
  store(victim, waits, 1);
#ifndef BUG_WAIT_UNFENCED
  fence(victim);  // ACTOR-4
#endif
  do
  :: seen = load(pool);  // the poll
     served = seen;
     seen = 0;
     if
     :: served == SENDERS -> break
     :: else -> atomic { raised -> raised = false }
     fi
  od
}

ltl served_all { <> (served == SENDERS) }
