#include "system_calls.hpp"

#include <fmt/format.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>

namespace leat::cli {

namespace {

struct named_call {
  unsigned number;
  const char* name;
};

constexpr named_call named[] = {
    {SYS_read, "read"},
    {SYS_write, "write"},
    {SYS_readv, "readv"},
    {SYS_writev, "writev"},
    {SYS_pread64, "pread"},
    {SYS_pwrite64, "pwrite"},
    {SYS_openat, "open"},
    {SYS_close, "close"},
    {SYS_fsync, "fsync"},
    {SYS_fdatasync, "fdatasync"},
    {SYS_nanosleep, "nanosleep"},
    {SYS_clock_nanosleep, "clock_nanosleep"},
    {SYS_connect, "connect"},
    {SYS_accept, "accept"},
    {SYS_accept4, "accept4"},
    {SYS_sendto, "sendto"},
    {SYS_recvfrom, "recvfrom"},
    {SYS_sendmsg, "sendmsg"},
    {SYS_recvmsg, "recvmsg"},
    {SYS_ppoll, "ppoll"},
    {SYS_pselect6, "pselect"},
    {SYS_epoll_pwait, "epoll_pwait"},
    {SYS_wait4, "wait4"},
    {SYS_waitid, "waitid"},
    {SYS_flock, "flock"},
    {SYS_fcntl, "fcntl"},
    {SYS_io_getevents, "io_getevents"},
    {SYS_io_uring_enter, "io_uring_enter"},
    {SYS_ioctl, "ioctl"},
    {SYS_mmap, "mmap"},
    {SYS_munmap, "munmap"},
    {SYS_madvise, "madvise"},
    {SYS_brk, "brk"},
    {SYS_mprotect, "mprotect"},
    {SYS_sched_yield, "sched_yield"},
#ifdef SYS_poll
    {SYS_open, "open"},
    {SYS_poll, "poll"},
    {SYS_select, "select"},
    {SYS_epoll_wait, "epoll_wait"},
    {SYS_pause, "pause"},
#endif
};

}  // namespace

bool is_futex(unsigned number) {
#ifdef SYS_futex_waitv
  if (number == SYS_futex_waitv) return true;
#endif
  return number == SYS_futex;
}

bool is_of_memory_or_cpu(unsigned number) {
  constexpr std::array<unsigned, 6> calls = {SYS_mmap, SYS_munmap, SYS_madvise, SYS_mprotect, SYS_brk, SYS_sched_yield};
  return std::ranges::find(calls, number) != calls.end();
}

std::string system_call_name(unsigned number) {
  const auto* const known = std::ranges::find(named, number, &named_call::number);
  return known == std::end(named) ? fmt::format("system call {}", number) : known->name;
}

}  // namespace leat::cli
