// Words that threads share, and the buffers through which each thread's stores become visible late: after its later
// loads, but in their order (as on x86; what is weaker still is the business of the tests that know C++'s orders). A
// fence waits until the thread's buffer is empty, and so does a read-modify-write.
//
// Who includes this defines THREADS, and WORDS. No thread loads a word while its own store to it may be in its buffer.

byte memory[WORDS];
chan buffer[THREADS] = [BUFFERED] of { byte, byte };  // word, value

#define load(w)  memory[w]
#define visible(thread)  empty(buffer[thread])

inline store(thread, at, what) { buffer[thread]!at, what }

inline fence(thread) { visible(thread) }

active [THREADS] proctype drain() {
  byte w, v;
end:
  do
  :: atomic { buffer[_pid]?w, v -> memory[w] = v; w = 0; v = 0 }
  od
}
