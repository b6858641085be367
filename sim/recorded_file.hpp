// A recording as it lies in its file: a header, and a stream of bytes for each worker.

#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace leat::sim {

/// Tells that a recording is malformed. what() names the file, the offset in it, and the value that is wrong.
class bad_recording : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// The file, mapped into memory. The format is described in docs/internals/spans.md.
class recorded_file {
 public:
  /// \throws std::invalid_argument  the file cannot be read; bad_recording, its header or a chunk is malformed
  explicit recorded_file(const std::string& path);
  ~recorded_file();
  recorded_file(const recorded_file&) = delete;
  recorded_file& operator=(const recorded_file&) = delete;

  /// Bytes in a row, and where they lie in the file.
  struct piece {
    std::uint64_t offset;
    std::uint64_t bytes;
  };

  [[nodiscard]] const std::string& program() const noexcept { return program_; }
  [[nodiscard]] std::uint64_t workers() const noexcept { return workers_; }
  /// Of subtrees of fewer bytes only the sums may be recorded; 1: all operations are.
  [[nodiscard]] std::uint64_t sampled() const noexcept { return sampled_; }
  /// The pieces of each worker's stream, in the order of the file. A worker that wrote nothing has none.
  [[nodiscard]] const std::vector<std::vector<piece>>& streams() const noexcept { return streams_; }
  [[nodiscard]] std::uint8_t operator[](std::uint64_t offset) const noexcept { return bytes_[offset]; }

  /// \throws bad_recording, always
  [[noreturn]] void refuse(std::uint64_t offset, std::string_view why) const;

 private:
  std::string_view line(std::uint64_t& at, std::string_view name) const;
  std::uint64_t number(std::uint64_t& at, std::string_view name, std::uint64_t least, std::uint64_t most) const;
  void read_header(std::uint64_t& at);
  void read_chunks(std::uint64_t at);
  std::uint32_t word(std::uint64_t at) const;

  std::string path_;
  std::span<const std::uint8_t> bytes_;
  std::string program_;
  std::uint64_t workers_ = 0;
  std::uint64_t sampled_ = 1;
  std::vector<std::vector<piece>> streams_;
};

/// One worker's stream, from its beginning to its end.
class recorded_stream {
 public:
  recorded_stream(const recorded_file& file, std::span<const recorded_file::piece> pieces);

  /// Whether there is another byte.
  [[nodiscard]] bool more();
  /// Where the next byte lies in the file; at the end, where the last one ends.
  [[nodiscard]] std::uint64_t offset() const noexcept { return at_; }
  /// The next byte, or number. `what` names it in the message of what is thrown.
  /// \throws bad_recording  the stream ends before, or the number has more than 64 bits
  std::uint8_t byte(std::string_view what);
  std::uint64_t number(std::string_view what);

 private:
  const recorded_file* file_;
  std::span<const recorded_file::piece> pieces_;  // those that have not been begun
  std::uint64_t at_ = 0;
  std::uint64_t end_ = 0;
};

}  // namespace leat::sim
