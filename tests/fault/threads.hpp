// What the fault tests know and decide about threads.
#pragma once

#include <atomic>

namespace leat_test {

/// The threads that this process has, the caller included. Waits a little: a joined thread is gone a moment later.
int threads_of_this_process();

/// Whether it comes to have so many.
bool has_threads(int wanted);

/// The next pthread_create calls of the process: after so many that succeed, one fails with EAGAIN. -1: none fails.
extern std::atomic<int> thread_starts_left;

}  // namespace leat_test
