// Stands between the program and the C library where threads are started, joined and interrupted.
#include <pthread.h>
#include <signal.h>

#include <cerrno>
#include <new>

#include "interposed/faults.hpp"

using namespace leat_test::interposed;

namespace {

constinit next_function<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)> next_create("pthread_create");
constinit next_function<int(pthread_t, void**)> next_join("pthread_join");
constinit next_function<int(pthread_t, int)> next_kill("pthread_kill");
constinit next_function<int(int, const sigset_t*, sigset_t*)> next_mask("pthread_sigmask");

struct beginning {
  void* (*start)(void*);
  void* argument;
};

void* begin(void* given) {
  meets(call::thread_begins);
  const beginning b = *static_cast<beginning*>(given);
  {
    const spared not_of_the_program;
    delete static_cast<beginning*>(given);
  }
  return b.start(b.argument);
}

}  // namespace

extern "C" {

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                   void* argument) noexcept {
  if (const kind* k = meets(call::pthread_create)) return k->error;
  const spared not_of_the_program;
  auto* const b = new (std::nothrow) beginning{start, argument};
  if (b == nullptr) return EAGAIN;
  const int error = next_create(thread, attributes, begin, b);
  if (error != 0) delete b;
  return error;
}

int pthread_join(pthread_t thread, void** result) {
  meets(call::pthread_join);
  return next_join(thread, result);
}

int pthread_kill(pthread_t thread, int signal) noexcept {
  const kind* const k = meets(call::pthread_kill);
  if (k != nullptr && k->how == way::fails) return k->error;
  if (k != nullptr && k->how == way::twice) next_kill(thread, signal);
  return next_kill(thread, signal);
}

int pthread_sigmask(int how, const sigset_t* set, sigset_t* before) noexcept {
  const kind* const k = meets(call::pthread_sigmask);
  return k != nullptr ? k->error : next_mask(how, set, before);
}

// It is no function of a library but a part of each program, by which the library knows whose handlers these are.
extern void* __dso_handle;
int __register_atfork(void (*)(), void (*)(), void (*)(), void*);
int pthread_atfork(void (*prepare)(), void (*parent)(), void (*child)()) noexcept {
  const kind* const k = meets(call::pthread_atfork);
  return k != nullptr ? k->error : __register_atfork(prepare, parent, child, __dso_handle);
}

}  // extern "C"
