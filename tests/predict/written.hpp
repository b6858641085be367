// Writes recordings, as a profiled program leaves them.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "recording.hpp"

namespace leat_predict {

/// Operations, by their names in docs/internals/spans.md.
enum op : std::uint8_t {
  strand,
  begin_fork,
  branch,
  join,
  elsewhere,
  segment,
  end,
  spawn,
  wait_for,
  barrier,
  loop,
  block,
  open_block,
  loop_end,
  future,
  await,
  blocking,
  run,
  run_end,
  outside,
  sums = 20,
  site = 21
};

/// The operations of one worker.
class stream {
 public:
  stream& add(std::uint8_t what, std::initializer_list<std::uint64_t> operands = {}) {
    bytes += static_cast<char>(what);
    for (const std::uint64_t n : operands) number(n);
    return *this;
  }
  /// A name for site 0, which is that of all that is written here.
  stream& named() {
    add(site, {0, 3});
    bytes += "a:1";
    return *this;
  }

  std::string bytes;

 private:
  void number(std::uint64_t n) {
    for (; n >= 0x80; n >>= 7) bytes += static_cast<char>(n | 0x80);
    bytes += static_cast<char>(n);
  }
};

inline std::string word(std::uint32_t n) {
  std::string bytes;
  for (unsigned i = 0; i < sizeof n; ++i) bytes += static_cast<char>(n >> (8 * i));
  return bytes;
}

inline constexpr std::string_view header = "leat strands 1\nprogram p\nworkers 1\nclock_ns 20\nsampled 1\n\n";

/// The file of these streams, in chunks of so many bytes.
inline std::string file_of(const std::vector<stream>& streams, std::size_t chunk = 7) {
  std::string file(header);
  for (std::uint32_t worker = 0; worker < streams.size(); ++worker) {
    const std::string& all = streams[worker].bytes;
    for (std::size_t first = 0; first < all.size(); first += chunk) {
      const std::string part = all.substr(first, chunk);
      file += word(worker) + word(static_cast<std::uint32_t>(part.size())) + part;
    }
  }
  return file;
}

/// Reads what a file would have.
inline leat::sim::recording read(std::string_view bytes) {
  const int file = ::memfd_create("recording", MFD_CLOEXEC);
  if (::write(file, bytes.data(), bytes.size()) != static_cast<::ssize_t>(bytes.size()))
    throw std::runtime_error("a file in memory is not written");
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  struct closing {
    int file;
    ~closing() { ::close(file); }
  } const at_end{file};
  return leat::sim::read_recording(path);
}

inline leat::sim::recording read(const std::vector<stream>& streams) { return read(file_of(streams)); }

}  // namespace leat_predict
