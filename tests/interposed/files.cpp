// Stands between the program and the C library where files are opened, read and written.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include "interposed/faults.hpp"

using namespace leat_test::interposed;

namespace {

constinit next_function<std::FILE*(const char*, const char*)> next_fopen("fopen");
constinit next_function<int(const char*, struct stat*)> next_stat("stat");
constinit next_function<int(int, struct stat*)> next_fstat("fstat");
constinit next_function<int(const char*, int, mode_t)> next_open("open");
constinit next_function<int(int, const char*, int, mode_t)> next_openat("openat");
constinit next_function<ssize_t(int, void*, std::size_t)> next_read("read");
constinit next_function<ssize_t(int, const void*, std::size_t)> next_write("write");
constinit next_function<int(int)> next_fsync("fsync");
constinit next_function<int(int, mode_t)> next_fchmod("fchmod");
constinit next_function<int(const char*, const char*)> next_rename("rename");

// Bytes of any value, most of them of the kind that such files have.
void scribble(char* into, std::size_t bytes) {
  constexpr char likely[] = "0123456789 /:-,max\ncpucgroup2\\";
  constexpr std::size_t odd = 16;
  for (std::size_t i = 0; i < bytes; ++i) {
    into[i] = drawn_below(odd) == 0 ? static_cast<char>(drawn_below(256)) : likely[drawn_below(sizeof(likely) - 1)];
  }
}

// What a read of `bytes` gives when it meets the fault; `got` bytes have come without it.
ssize_t spoilt(const kind& k, char* into, std::size_t bytes, ssize_t got) {
  switch (k.how) {
    case way::empty: return 0;
    case way::garbage: {
      const auto some = static_cast<std::size_t>(drawn_below(bytes) + 1);
      scribble(into, some);
      return static_cast<ssize_t>(some);
    }
    default: return got;
  }
}

// A file of which each read may meet a fault. The position after a read in part, or after garbage, is of no interest.
ssize_t read_cookie(void* cookie, char* into, std::size_t bytes) {
  auto* const file = static_cast<std::FILE*>(cookie);
  const kind* const k = meets(call::fread);
  if (k != nullptr && k->how == way::fails) return errno = k->error, -1;
  const spared from_others;
  if (k != nullptr && k->how == way::in_part) bytes = 1;
  const std::size_t got = std::fread(into, 1, bytes, file);
  if (got == 0 && std::ferror(file) != 0) return -1;
  // Garbage once: what comes without an end is another kind.
  if (k != nullptr && k->how == way::garbage && got == 0) return 0;
  return k == nullptr ? static_cast<ssize_t>(got) : spoilt(*k, into, bytes, static_cast<ssize_t>(got));
}

int close_cookie(void* cookie) { return std::fclose(static_cast<std::FILE*>(cookie)); }

}  // namespace

extern "C" {

std::FILE* fopen(const char* path, const char* mode) {
  if (refuses(call::fopen)) return nullptr;
  std::FILE* const file = next_fopen(path, mode);
  const bool of_system = std::strncmp(path, "/proc/", 6) == 0 || std::strncmp(path, "/sys/", 5) == 0;
  if (file == nullptr || !of_system) return file;
  std::FILE* const wrapped = fopencookie(file, "r", {read_cookie, nullptr, nullptr, close_cookie});
  if (wrapped == nullptr) std::fclose(file);
  return wrapped;
}

int stat(const char* path, struct stat* about) noexcept { return refuses(call::stat) ? -1 : next_stat(path, about); }

int fstat(int file, struct stat* about) noexcept { return refuses(call::fstat) ? -1 : next_fstat(file, about); }

int open(const char* path, int flags, ...) {
  // Time then comes from the system's clock, for which waits.cpp stands in, and never from the processor's counter.
  if (std::strstr(path, "/clocksource/") != nullptr) return errno = ENOENT, -1;
  va_list list;
  va_start(list, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(list, mode_t) : 0;
  va_end(list);
  return refuses(call::open) ? -1 : next_open(path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(list, mode_t) : 0;
  va_end(list);
  return refuses(call::open) ? -1 : next_openat(folder, path, flags, mode);
}

ssize_t read(int file, void* into, std::size_t bytes) {
  const kind* const k = meets(call::read);
  if (k != nullptr && k->how == way::fails) return errno = k->error, -1;
  if (k != nullptr && k->how == way::in_part) bytes = std::min<std::size_t>(bytes, 1 + drawn_below(8));
  const ssize_t got = next_read(file, into, bytes);
  return k == nullptr || got <= 0 ? got : spoilt(*k, static_cast<char*>(into), bytes, got);
}

ssize_t write(int file, const void* from, std::size_t bytes) {
  const kind* const k = meets(call::write);
  if (k != nullptr && k->how == way::fails) return errno = k->error, -1;
  if (k != nullptr && k->how == way::in_part) bytes = std::min<std::size_t>(bytes, 1 + drawn_below(8));
  return next_write(file, from, bytes);
}

int fsync(int file) { return refuses(call::fsync) ? -1 : next_fsync(file); }

int fchmod(int file, mode_t mode) noexcept { return refuses(call::fchmod) ? -1 : next_fchmod(file, mode); }

int rename(const char* from, const char* to) noexcept { return refuses(call::rename) ? -1 : next_rename(from, to); }

}  // extern "C"
