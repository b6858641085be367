#include "interposed/kinds.hpp"

#include <array>
#include <cerrno>

namespace leat_test::interposed {

namespace {

using enum outcome;

constexpr std::array memory = {
    kind{"malloc has no memory", call::malloc, way::fails, ENOMEM, may_refuse},
    kind{"malloc is late", call::malloc, way::late},
    kind{"aligned_alloc has no memory", call::aligned_alloc, way::fails, ENOMEM, may_refuse},
    kind{"aligned_alloc is late", call::aligned_alloc, way::late},
};

constexpr std::array address_space = {
    kind{"mmap has no memory", call::mmap, way::fails, ENOMEM, may_refuse},
    kind{"mmap may lock no more", call::mmap, way::fails, EAGAIN, may_refuse},
    kind{"mmap is late", call::mmap, way::late},
    kind{"munmap has no memory", call::munmap, way::fails, ENOMEM},
    kind{"munmap is late", call::munmap, way::late},
    kind{"mprotect has no memory", call::mprotect, way::fails, ENOMEM, may_refuse},
    kind{"mprotect is forbidden", call::mprotect, way::fails, EACCES, may_refuse},
    kind{"mprotect is late", call::mprotect, way::late},
    kind{"madvise is not understood", call::madvise, way::fails, EINVAL},
    kind{"madvise has no memory", call::madvise, way::fails, ENOMEM},
    kind{"madvise is late", call::madvise, way::late},
};

constexpr std::array threads = {
    kind{"pthread_create: too many threads", call::pthread_create, way::fails, EAGAIN, may_refuse},
    kind{"pthread_create is forbidden", call::pthread_create, way::fails, EPERM, may_refuse},
    kind{"pthread_create is late", call::pthread_create, way::late},
    kind{"a thread begins late", call::thread_begins, way::late},
    kind{"pthread_join is late", call::pthread_join, way::late},
};

constexpr std::array signals = {
    kind{"pthread_kill: no such thread", call::pthread_kill, way::fails, ESRCH},
    kind{"pthread_kill: too many signals", call::pthread_kill, way::fails, EAGAIN},
    kind{"pthread_kill is late", call::pthread_kill, way::late},
    kind{"pthread_kill sends two", call::pthread_kill, way::twice},
    kind{"pthread_sigmask is not understood", call::pthread_sigmask, way::fails, EINVAL},
    kind{"sigaction is not understood", call::sigaction, way::fails, EINVAL, may_refuse},
    kind{"sigaction is late", call::sigaction, way::late},
    kind{"sigaltstack has no memory", call::sigaltstack, way::fails, ENOMEM, may_refuse},
    kind{"sigaltstack is forbidden", call::sigaltstack, way::fails, EPERM, may_refuse},
};

// FUTEX_WAKE fails for a bad address alone, and whoever it does not wake sleeps for ever.
constexpr std::array waits = {
    kind{"a futex wait is interrupted", call::futex_wait, way::fails, EINTR},
    kind{"a futex wait finds another value", call::futex_wait, way::fails, EAGAIN},
    kind{"a futex wait is over too early", call::futex_wait, way::fails, ETIMEDOUT},
    kind{"a futex wait is woken for nothing", call::futex_wait, way::at_once},
    kind{"a futex wait begins late", call::futex_wait, way::late},
    kind{"a futex wake is late", call::futex_wake, way::late},
    kind{"a futex wake wakes all", call::futex_wake, way::for_all},
    kind{"a futex wake comes twice", call::futex_wake, way::twice},
    kind{"sched_yield is not there", call::sched_yield, way::fails, ENOSYS},
    kind{"sched_yield is late", call::sched_yield, way::late},
    kind{"nanosleep is interrupted", call::nanosleep, way::fails, EINTR},
    kind{"nanosleep is late", call::nanosleep, way::late},
    kind{"clock_gettime is late", call::clock_gettime, way::late},
    kind{"clock_gettime leaps an hour", call::clock_gettime, way::leaps},
};

constexpr std::array machine = {
    kind{"sched_getaffinity: the mask is too short", call::sched_getaffinity, way::fails, EINVAL},
    kind{"sched_getaffinity is not there", call::sched_getaffinity, way::fails, ENOSYS},
    kind{"sched_getaffinity is forbidden", call::sched_getaffinity, way::fails, EPERM},
    kind{"sched_getaffinity gives one CPU", call::sched_getaffinity, way::in_part, 0, may_refuse},
    kind{"sched_getaffinity is late", call::sched_getaffinity, way::late},
    kind{"sched_setaffinity: no such CPU", call::sched_setaffinity, way::fails, EINVAL},
    kind{"sched_setaffinity is forbidden", call::sched_setaffinity, way::fails, EPERM},
    kind{"sched_setaffinity is late", call::sched_setaffinity, way::late},
    kind{"sysconf tells no number of CPUs", call::sysconf, way::fails, EINVAL},
    kind{"a file of /proc or /sys is not there", call::fopen, way::fails, ENOENT, may_refuse},
    kind{"a file of /proc or /sys is forbidden", call::fopen, way::fails, EACCES, may_refuse},
    kind{"a file of /proc or /sys: too many are open", call::fopen, way::fails, EMFILE, may_refuse},
    kind{"a file of /proc or /sys opens late", call::fopen, way::late},
    kind{"a file of /proc or /sys cannot be read", call::fread, way::fails, EIO},
    kind{"a file of /proc or /sys is read byte by byte", call::fread, way::in_part},
    kind{"a file of /proc or /sys is empty", call::fread, way::empty},
    kind{"a file of /proc or /sys holds garbage", call::fread, way::garbage},
    kind{"a file of /proc or /sys is read late", call::fread, way::late},
    kind{"hwloc opens a file that is not there", call::open, way::fails, ENOENT, may_refuse},
    kind{"hwloc opens a file late", call::open, way::late},
    kind{"hwloc reads, and that fails", call::read, way::fails, EIO, may_refuse},
    kind{"a cgroup's folder is not there", call::stat, way::fails, ENOENT},
    kind{"a cgroup's folder is forbidden", call::stat, way::fails, EACCES},
};

constexpr std::array files = {
    kind{"open: the snapshot is forbidden", call::open, way::fails, EACCES, may_refuse},
    kind{"open: too many files", call::open, way::fails, EMFILE, may_refuse},
    kind{"open is late", call::open, way::late},
    kind{"read fails", call::read, way::fails, EIO, may_refuse},
    kind{"read is interrupted", call::read, way::fails, EINTR},
    kind{"read gives a part", call::read, way::in_part},
    kind{"read gives nothing", call::read, way::empty, 0, may_refuse},
    kind{"read gives garbage", call::read, way::garbage, 0, may_refuse},
    kind{"write: the disk is full", call::write, way::fails, ENOSPC, may_refuse},
    kind{"write is interrupted", call::write, way::fails, EINTR},
    kind{"write takes a part", call::write, way::in_part},
    kind{"fsync fails", call::fsync, way::fails, EIO, may_refuse},
    kind{"fchmod is forbidden", call::fchmod, way::fails, EPERM},
    kind{"fstat fails", call::fstat, way::fails, EIO, may_refuse},
    kind{"rename is forbidden", call::rename, way::fails, EACCES, may_refuse},
};

}  // namespace

std::span<const kind> kinds_of_memory() noexcept { return memory; }
std::span<const kind> kinds_of_address_space() noexcept { return address_space; }
std::span<const kind> kinds_of_threads() noexcept { return threads; }
std::span<const kind> kinds_of_signals() noexcept { return signals; }
std::span<const kind> kinds_of_waits() noexcept { return waits; }
std::span<const kind> kinds_of_the_machine() noexcept { return machine; }
std::span<const kind> kinds_of_files() noexcept { return files; }

const kind atfork_without_memory{"pthread_atfork has no memory", call::pthread_atfork, way::fails, ENOMEM, may_refuse};

}  // namespace leat_test::interposed
