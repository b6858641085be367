// Stands between the program and the C library where threads are started.
#include "fault/threads.hpp"

#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "engines.hpp"

namespace leat_test {

namespace {

int threads_now() {
  int count = 0;
  DIR* tasks = opendir("/proc/self/task");
  while (const dirent* entry = readdir(tasks)) count += entry->d_name[0] != '.';
  closedir(tasks);
  return count;
}

}  // namespace

int threads_of_this_process() {
  // ThreadSanitizer starts a thread of its own along with the first one.
  std::thread([] {}).join();
  for (int before = threads_now();;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const int now = threads_now();
    if (now == before) return now;
    before = now;
  }
}

bool has_threads(int wanted) {
  return comes_true([wanted] { return threads_now() == wanted; });
}

std::atomic<int> thread_starts_left{-1};

}  // namespace leat_test

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                              void* argument) {
  using function = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto real = reinterpret_cast<function>(dlsym(RTLD_NEXT, "pthread_create"));
  auto& left = leat_test::thread_starts_left;
  if (left >= 0 && left-- == 0) return EAGAIN;
  return real(thread, attributes, start, argument);
}
