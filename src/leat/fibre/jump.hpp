// From one stack to another: Boost.Context's jump, in the form that a switch can afford.
#pragma once

#include <boost/context/detail/fcontext.hpp>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::fibre {

/// Goes on with `to`, and gives it `word`; returns when another jumps back, with what that gave and the place
/// that it left.
///
/// Boost's jump leaves by another address than that by which it was called. The processor, which keeps return
/// addresses in order to predict them, is one off from then on, and mispredicts the return of every function
/// around until it has none left: half of the time of a switch. So where we know how, the jump is not called
/// but gone to, with the address to come back to on the stack.
inline boost::context::detail::transfer_t jump(boost::context::detail::fcontext_t to, void* word) noexcept {
#if defined(__x86_64__) && defined(__ELF__) && !defined(__ILP32__) && !defined(LEAT_CONTEXT_UNDER_ASAN) && \
    !defined(LEAT_CONTEXT_UNDER_TSAN)
  // jump_fcontext keeps the registers that a called function keeps, and the control words of floating point. All
  // others are lost in other threads, so all are named as clobbered.
  boost::context::detail::transfer_t came;
  constexpr int below_stack = 128;  // bytes that the caller may use there
  asm volatile(
      "sub %[below], %%rsp\n\t"
      "lea 1f(%%rip), %%rax\n\t"
      "push %%rax\n\t"
      "jmp jump_fcontext@PLT\n"
      "1:\n\t"
      "add %[below], %%rsp"
      : "=&a"(came.fctx), "=&d"(came.data), "+D"(to), "+S"(word)
      : [below] "i"(below_stack)
      : "rcx", "r8", "r9", "r10", "r11", "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
        "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"
#if defined(__AVX512F__)
        ,
        "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27",
        "xmm28", "xmm29", "xmm30", "xmm31", "k1", "k2", "k3", "k4", "k5", "k6", "k7"
#endif
  );
  return came;
#else
  return boost::context::detail::jump_fcontext(to, word);
#endif
}

}  // namespace leat::inline LEAT_ABI::fibre
