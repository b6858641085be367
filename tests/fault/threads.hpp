// What the fault tests know and decide about threads.
#pragma once

#include <atomic>

namespace leat_test {

/// The threads that this process has right now, the caller included.
int threads_of_this_process();

/// The next pthread_create calls of the process: after so many that succeed, one fails with EAGAIN. -1: none fails.
extern std::atomic<int> thread_starts_left;

}  // namespace leat_test
