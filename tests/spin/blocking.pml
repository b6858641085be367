// How a worker leaves its place and comes back, and which threads poll for it meanwhile
// (src/leat/entry/blocked_scope.hpp, handshake/proxies.hpp). ASKERS threads ask one worker each time by a message. The worker
// leaves at any time, stays away until all messages have been seen or comes back before; a message that no poll sees
// leaves it waiting.
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
// found: safety BUG_BACK_WITHOUT_EXCHANGE -> pollers
// found: safety BUG_RETURN_UNSEEN -> invalid end state

#define ASKERS 2
#define THREADS (ASKERS + 1)
#define worker_id ASKERS

#define mail(asker) (asker)
#define limit ASKERS  // signalled: poll
#define presence (ASKERS + 1)
#define WORDS (ASKERS + 2)
#define BUFFERED 3
#include "store_buffers.pml"

#define here 0
#define blocked 1
#define proxied 2
#define returning 3

bool called, serving;
chan calls = [1] of { bit };  // room for each worker (BLOCKING-3)
byte pollers;
bool seen[ASKERS];  // whose message

#define all_are_seen (seen[0] && seen[1])

inline poll() {
  pollers++;
  assert(pollers == 1);  // BLOCKING-1
  atomic { visible(me) -> memory[limit] = false }
  atomic { seen[0] = seen[0] || load(mail(0)) }
  atomic { seen[1] = seen[1] || load(mail(1)) }
  pollers--
}

// BLOCKING-3
inline call() {
  atomic { visible(me) -> was = called; called = true }
  if
  :: !was -> calls!1
  :: was
  fi
}

// BLOCKING-1, BLOCKING-5: the proxy polls, if the worker is blocked.
inline poll_by_proxy() {
  if
  :: atomic { visible(me) && load(presence) == blocked -> memory[presence] = proxied }
     poll();
#ifdef BUG_RETURN_UNSEEN
     store(me, presence, blocked)
#else
     if
     :: atomic { visible(me) && load(presence) == proxied -> memory[presence] = blocked }
     :: atomic { visible(me) && load(presence) != proxied -> memory[presence] = here }
     fi
#endif
  :: atomic { visible(me) && load(presence) != blocked }
  fi
}

// BLOCKING-4, BLOCKING-6.
inline serve() {
  do
  :: empty(calls) -> break
  :: nempty(calls) ->
     atomic { visible(me) -> was = serving; serving = true }
     if
     :: was -> break
     :: !was
     fi;
     do
     :: calls?_ ->
#ifndef BUG_CALL_LOWERED_LATE
        atomic { visible(me) -> called = false }
#endif
        poll_by_proxy();
#ifdef BUG_CALL_LOWERED_LATE
        atomic { visible(me) -> called = false }
#endif
     :: empty(calls) -> break
     od;
     atomic { visible(me) -> serving = false }
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
  serve()
}

active proctype worker() {
  byte me = worker_id;
  bool was;
  do
  :: load(limit) -> poll()
  :: all_are_seen -> break
  :: true ->  // it leaves
     store(me, presence, blocked);
     fence(me);  // BLOCKING-2
#ifndef BUG_LEAVER_UNCALLED
     call();
#endif
     serve();
     if
     :: true -> all_are_seen  // others see to it
     :: true
     fi;
     // It comes back.
#ifdef BUG_BACK_WITHOUT_EXCHANGE
     store(me, presence, here);
     fence(me);
#else
     atomic { visible(me) -> was = (load(presence) == blocked); memory[presence] = (was -> here : returning) }
     if
     :: was
     :: !was -> load(presence) == here
     fi;
#endif
     poll();
     break
  od;
  // In a task from here on.
  do
  :: all_are_seen -> break
  :: !all_are_seen -> load(limit) || all_are_seen;
     poll()
  od
}

ltl all_seen { <> all_are_seen }
