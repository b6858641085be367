#include "recorded_file.hpp"

#include "printable.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <limits>
#include <system_error>

namespace leat::sim {

namespace {

using cli::printable;

constexpr std::uint64_t streams_max = 1u << 16;
constexpr std::uint64_t sampled_max = 1'000'000'000;

// The file's descriptor, which is closed in any case.
class opened_file {
 public:
  explicit opened_file(const std::string& path) : number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~opened_file() {
    if (number_ >= 0) ::close(number_);
  }
  opened_file(const opened_file&) = delete;
  opened_file& operator=(const opened_file&) = delete;
  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  int number_;
};

[[noreturn]] void cannot_read(const std::string& path, int error) {
  throw std::invalid_argument(
      fmt::format("recording '{}': cannot be read: {}", path, std::generic_category().message(error)));
}

std::span<const std::uint8_t> mapped(const std::string& path) {
  const opened_file file(path);
  struct ::stat about{};
  if (file.number() < 0 || ::fstat(file.number(), &about) != 0) cannot_read(path, errno);
  if (S_ISDIR(about.st_mode)) cannot_read(path, EISDIR);
  if (!S_ISREG(about.st_mode)) throw std::invalid_argument(fmt::format("recording '{}': is no regular file", path));
  const auto bytes = static_cast<std::size_t>(about.st_size);
  if (bytes == 0) return {};
  void* const space = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (space == MAP_FAILED) cannot_read(path, errno);
  return {static_cast<const std::uint8_t*>(space), bytes};
}

}  // namespace

recorded_file::recorded_file(const std::string& path) : path_(path), bytes_(mapped(path)) {
  try {
    std::uint64_t at = 0;
    read_header(at);
    read_chunks(at);
  } catch (...) {
    if (!bytes_.empty()) ::munmap(const_cast<std::uint8_t*>(bytes_.data()), bytes_.size());
    throw;
  }
}

recorded_file::~recorded_file() {
  if (!bytes_.empty()) ::munmap(const_cast<std::uint8_t*>(bytes_.data()), bytes_.size());
}

void recorded_file::refuse(std::uint64_t offset, std::string_view why) const {
  throw bad_recording(fmt::format("recording '{}': at byte {}: {}", path_, offset, why));
}

// The rest of the line that begins with this name, or the whole line for an empty one.
std::string_view recorded_file::line(std::uint64_t& at, std::string_view name) const {
  constexpr std::size_t shown_max = 40;
  constexpr std::size_t line_max = 65536;
  const std::string_view rest(reinterpret_cast<const char*>(bytes_.data()) + at, bytes_.size() - at);
  const std::size_t end = rest.substr(0, line_max).find('\n');
  const std::string_view whole = rest.substr(0, std::min(end, line_max));
  const bool right =
      whole.starts_with(name) && (name.empty() || (whole.size() > name.size() && whole[name.size()] == ' '));
  if (end == std::string_view::npos || !right) {
    refuse(at, fmt::format("'{}': must be a line that begins with '{}'", printable(whole.substr(0, shown_max)), name));
  }
  at += end + 1;
  return name.empty() ? whole : whole.substr(name.size() + 1);
}

std::uint64_t recorded_file::number(std::uint64_t& at, std::string_view name, std::uint64_t least,
                                    std::uint64_t most) const {
  const std::uint64_t begin = at;
  const std::string_view text = line(at, name);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
    refuse(begin,
           fmt::format("{} = '{}': must be a whole number between {} and {}", name, printable(text), least, most));
  }
  return value;
}

void recorded_file::read_header(std::uint64_t& at) {
  constexpr std::uint64_t clock_ns_max = 1'000'000;
  const std::string_view version = line(at, "leat strands");
  if (version != "1") refuse(0, fmt::format("leat strands = '{}': only version 1 is known", printable(version)));
  program_ = printable(line(at, "program"));
  const std::uint64_t of_workers = at;
  workers_ = number(at, "workers", 0, streams_max);
  if (workers_ == 0)
    refuse(of_workers, "was not finished: the program was killed, ended by _exit, or the disk was full");
  static_cast<void>(number(at, "clock_ns", 0, clock_ns_max));
  sampled_ = number(at, "sampled", 1, sampled_max);
  const std::uint64_t begin = at;
  if (const std::string_view last = line(at, ""); !last.empty())
    refuse(begin, fmt::format("'{}': the header must end with an empty line", printable(last)));
}

std::uint32_t recorded_file::word(std::uint64_t at) const {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < sizeof value; ++i) value |= static_cast<std::uint32_t>(bytes_[at + i]) << (8 * i);
  return value;
}

void recorded_file::read_chunks(std::uint64_t at) {
  constexpr std::uint64_t head = 2 * sizeof(std::uint32_t);
  while (at != bytes_.size()) {
    if (bytes_.size() - at < head)
      refuse(at, fmt::format("the file ends after {} bytes of a chunk's head", bytes_.size() - at));
    const std::uint32_t worker = word(at);
    const std::uint32_t bytes = word(at + sizeof worker);
    if (worker >= streams_max) refuse(at, fmt::format("worker {} of a chunk: must be below {}", worker, streams_max));
    at += head;
    if (bytes_.size() - at < bytes)
      refuse(at, fmt::format("a chunk of {} bytes, of which the file has {}", bytes, bytes_.size() - at));
    if (worker >= streams_.size()) streams_.resize(worker + 1);
    if (bytes != 0) streams_[worker].push_back({at, bytes});
    at += bytes;
  }
}

recorded_stream::recorded_stream(const recorded_file& file, std::span<const recorded_file::piece> pieces)
    : file_(&file), pieces_(pieces) {}

bool recorded_stream::more() {
  if (at_ != end_) return true;
  if (pieces_.empty()) return false;
  at_ = pieces_.front().offset;
  end_ = at_ + pieces_.front().bytes;
  pieces_ = pieces_.subspan(1);
  return true;
}

std::uint8_t recorded_stream::byte(std::string_view what) {
  if (!more()) file_->refuse(at_, fmt::format("the worker's stream ends before {}", what));
  return (*file_)[at_++];
}

std::uint64_t recorded_stream::number(std::string_view what) {
  constexpr unsigned bits = std::numeric_limits<std::uint64_t>::digits;
  const std::uint64_t begin = at_;
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const std::uint8_t next = byte(what);
    const std::uint64_t low = next & 0x7fu;
    if (shift >= bits || (low << shift) >> shift != low)
      file_->refuse(begin, fmt::format("{}: a number of more than 64 bits", what));
    value |= low << shift;
    if ((next & 0x80u) == 0) return value;
  }
}

}  // namespace leat::sim
