// Executes code one machine instruction at a time.
#pragma once

#include "leat/platform/native.hpp"

#if defined(__x86_64__) && defined(__linux__) && !defined(LEAT_UNDER_TSAN)
#define LEAT_TEST_STEPPING 1

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ucontext.h>

#include <atomic>
#include <cstdint>

// What lies below the stack's end may be in use, by the ABI: 128 bytes.
#define LEAT_TEST_CHANGE_FLAGS(how) "leaq -128(%%rsp), %%rsp; pushfq; " how ", (%%rsp); popfq; leaq 128(%%rsp), %%rsp"

namespace leat_test {

/// While it lives, one thread at a time can be made to step: between begin() and end(). After `left` steps `at_last` is
/// called, in a signal's handler, between two instructions of that thread, which goes on without stepping then.
class stepping {
 public:
  explicit stepping(void (*at_last)()) {
    at_last_ = at_last;
    struct sigaction action = {};
    action.sa_sigaction = on_trap;
    action.sa_flags = SA_SIGINFO;
    EXPECT_EQ(sigaction(SIGTRAP, &action, &before_), 0);
  }
  stepping(const stepping&) = delete;
  stepping& operator=(const stepping&) = delete;
  ~stepping() { EXPECT_EQ(sigaction(SIGTRAP, &before_, nullptr), 0); }

  static inline std::atomic<long> left{0};

  static void begin() { asm volatile(LEAT_TEST_CHANGE_FLAGS("orq $0x100")::: "cc", "memory"); }
  static void end() { asm volatile(LEAT_TEST_CHANGE_FLAGS("andq $~0x100")::: "cc", "memory"); }

 private:
  static void on_trap(int, siginfo_t*, void* context) {
    constexpr greg_t trap_flag = 0x100;
    const long steps = --left;
    if (steps > 0) return;
    static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] &= ~trap_flag;
    if (steps == 0) at_last_();
  }

  static inline void (*at_last_)() = nullptr;
  struct sigaction before_ = {};
};

}  // namespace leat_test

#endif
