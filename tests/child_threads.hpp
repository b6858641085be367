// Whether the child of a process with threads may start threads of its own.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "engines.hpp"

namespace leat_test {

/// Whether a child that is forked beside a living thread starts a thread. QEMU 7.2 ends by an assertion of its own when it does.
inline bool child_starts_a_thread() {
  std::atomic<bool> done{false};
  std::thread living([&done] { done.wait(false); });
  const pid_t child = fork();
  if (child == 0) {
    alarm(10);
    close(STDOUT_FILENO);  // where an emulator would say what fails
    close(STDERR_FILENO);
    std::thread([] {}).join();
    _exit(0);
  }
  int status = 0;
  const bool ended = child > 0 && waitpid(child, &status, 0) == child;
  done = true;
  done.notify_one();
  living.join();
  return ended && status == 0;
}

/// Why it may not; null where it may.
inline const char* no_threads_in_a_child() {
  if (sanitized) return "a sanitizer allows no new threads in the child of a threaded process";
  if (emulated && !child_starts_a_thread()) return "this emulator starts no threads in the child of a threaded process";
  return nullptr;
}

}  // namespace leat_test
