// A file without a disk, for functions that read files by their names.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <span>
#include <string>

#include "fuzz/expect.hpp"

namespace leat_fuzz {

/// A regular file in memory, which is there as long as the object. Its name means something to this process alone.
class memory_file {
 public:
  memory_file() : number_(::memfd_create("leat_fuzz", MFD_CLOEXEC)), path_("/proc/self/fd/" + std::to_string(number_)) {
    expect(number_ >= 0, "memfd_create failed");
  }
  ~memory_file() { ::close(number_); }
  memory_file(const memory_file&) = delete;
  memory_file& operator=(const memory_file&) = delete;

  const std::string& path() const noexcept { return path_; }

  /// Puts these bytes in place of what the file held.
  void hold(std::span<const std::byte> bytes) {
    const bool written = ::pwrite(number_, bytes.data(), bytes.size(), 0) == static_cast<::ssize_t>(bytes.size());
    expect(written && ::ftruncate(number_, static_cast<::off_t>(bytes.size())) == 0, "a file in memory is not written");
  }

 private:
  int number_;
  std::string path_;
};

}  // namespace leat_fuzz
