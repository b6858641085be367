// How a thread sleeps and is woken (src/leat/handshake/parker.hpp): one sleeper, and as many notifiers as there is
// news. Guards PARKER-1, PARKER-2: "Lost wake-up".
//
// holds: safety
// holds: awake
// found: safety BUG_SLEEPER_UNFENCED -> invalid end state
// found: safety BUG_NOTIFIER_UNFENCED -> invalid end state
// found: safety BUG_CHECK_THEN_ANNOUNCE -> invalid end state
// found: safety BUG_FUTEX_UNCOMPARED -> invalid end state
// found: awake BUG_NOTIFIER_UNFENCED -> acceptance cycle

#define NOTIFIERS 3
#define THREADS (NOTIFIERS + 1)
#define sleeper_id NOTIFIERS

#define word NOTIFIERS  // beneath it: the news of each notifier
#define WORDS (NOTIFIERS + 1)
#define BUFFERED 2
#include "store_buffers.pml"

#define is_awake 0
#define is_asleep 1

#define ready (load(0) && load(1) && load(2))

bool in_futex, returned;

active proctype sleeper() {
  do
  ::
#ifdef BUG_CHECK_THEN_ANNOUNCE
     if
     :: ready -> break
     :: else -> store(sleeper_id, word, is_asleep)
     fi;
     fence(sleeper_id);
#else
     store(sleeper_id, word, is_asleep);
#ifndef BUG_SLEEPER_UNFENCED
     fence(sleeper_id);  // PARKER-1
#endif
     if
     :: ready -> break
     :: else
     fi;
#endif
     // The futex compares inside the kernel, which sees this thread's stores.
     atomic {
       visible(sleeper_id);
#ifndef BUG_FUTEX_UNCOMPARED
       if
       :: load(word) == is_asleep -> in_futex = true
       :: else
       fi
#else
       in_futex = true
#endif
     }
     !in_futex;
     if
     :: ready -> break
     :: else
     fi
  od;
  store(sleeper_id, word, is_awake);
  returned = true
}

active [NOTIFIERS] proctype notifier() {
  byte me = _pid - THREADS - 1;
  store(me, me, 1);  // the news
#ifndef BUG_NOTIFIER_UNFENCED
  fence(me);  // PARKER-2
#endif
  if
  :: load(word) == is_asleep ->
     if
     :: atomic { visible(me) && load(word) == is_asleep -> memory[word] = is_awake }
        in_futex = false  // the call
     :: atomic { visible(me) && load(word) != is_asleep }  // another notifier makes it
     fi
  :: else
  fi
}

ltl awake { <> returned }
