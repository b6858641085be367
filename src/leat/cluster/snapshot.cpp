#include "leat/cluster/snapshot.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <span>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "leat/cluster/packing.hpp"
#include "leat/cluster/replacement.hpp"

namespace leat::inline LEAT_ABI::ranks {

namespace {

// A file is: the kind, with the number of the format; the run's name, the result and the tasks, each after its length
// in eight bytes; and a sum over all of these. Lengths and sum as they lie in memory, like all that is packed.
constexpr std::array<char, 16> file_kind = {'l', 'e', 'a', 't', ' ', 's', 'n', 'a',
                                            'p', 's', 'h', 'o', 't', ' ', '1', '\n'};

// FNV-1a, of 64 bits, to tell a damaged file. It is no protection against a file that was made to deceive. O(bytes).
std::uint64_t check_sum(std::span<const std::byte> bytes) noexcept {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const std::byte b : bytes) sum = (sum ^ static_cast<std::uint64_t>(b)) * 0x100000001b3;
  return sum;
}

void pack_bytes(std::span<const std::byte> bytes, std::vector<std::byte>& out) {
  packing<std::uint64_t>::pack(bytes.size(), out);
  out.insert(out.end(), bytes.begin(), bytes.end());
}

// The length is compared before it is used: a right sum does not make a length right.
std::vector<std::byte> unpack_bytes(std::span<const std::byte>& in, const std::string& file) {
  const bool has_size = in.size() >= sizeof(std::uint64_t);
  const std::uint64_t size = has_size ? packing<std::uint64_t>::unpack(in) : 0;
  if (!has_size || size > in.size())
    throw std::runtime_error("leat::cluster: the snapshot '" + file + "' ends too early");
  std::vector<std::byte> bytes(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(size));
  in = in.subspan(size);
  return bytes;
}

// To be called before errno changes.
[[noreturn]] void refuse(const std::string& what, const std::string& file) {
  throw std::system_error(errno, std::generic_category(),
                          "leat::cluster: cannot " + what + " the snapshot '" + file + "'");
}

// A file that is read. It is closed in any case.
class descriptor {
 public:
  explicit descriptor(const std::string& file)
      : file_(file), number_(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (number_ < 0) refuse("open", file_);  // at once, even if it is a pipe without another end
  }
  ~descriptor() { ::close(number_); }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;

  // Asked of what was opened, not of its name, which may be another file's by now. A folder can be opened for
  // reading, too.
  bool is_regular() const noexcept {
    struct ::stat about{};
    return ::fstat(number_, &about) == 0 && S_ISREG(about.st_mode);
  }

  // Until the end, not as much as the file had when it was opened: it need not be known, and a signal may interrupt.
  std::string read_all() {
    std::string all;
    std::array<char, 1 << 16> some;
    for (;;) {
      const ::ssize_t came = ::read(number_, some.data(), some.size());
      if (came < 0 && errno == EINTR) continue;
      if (came < 0) refuse("read", file_);
      if (came == 0) return all;
      all.append(some.data(), static_cast<std::size_t>(came));
    }
  }

 private:
  std::string file_;
  int number_;
};

}  // namespace

// The whole file is put together in memory first, as its sum stands at its end. The object that writes it removes
// what it has made if anything throws.
void write(const std::string& file, const snapshot& s) {
  std::vector<std::byte> bytes;
  packing<std::array<char, 16>>::pack(file_kind, bytes);
  pack_bytes(std::as_bytes(std::span(s.name)), bytes);
  pack_bytes(s.result, bytes);
  pack_bytes(s.tasks, bytes);
  packing<std::uint64_t>::pack(check_sum(bytes), bytes);
  replacement whole(file);
  whole.write(bytes);
  whole.take_place();
}

// The attempt makes a new file beside, empty, and removes it again: that is what `write` needs of the folder. A file
// that is not empty is read as a whole, so that only a snapshot of that run, or an empty file, is ever replaced.
void check_writable(const std::string& file, const std::string& name) {
  struct ::stat about{};
  if (::stat(file.c_str(), &about) == 0) {
    // `read` refuses all that is no snapshot of this run, also what is no regular file. An empty file holds nothing
    // to lose.
    try {
      if (!S_ISREG(about.st_mode) || about.st_size != 0) read(file, name);
    } catch (const std::runtime_error& e) {
      throw std::runtime_error(std::string(e.what()) + "; it is not overwritten");
    }
  }
  const replacement tried(file);
}

// From the outside in: a regular file, of that kind, undamaged, of that run. Each step relies on the one before, and
// has a message of its own.
snapshot read(const std::string& file, const std::string& name) {
  descriptor opened(file);
  if (!opened.is_regular()) throw std::runtime_error("leat::cluster: '" + file + "' is no regular file");
  const std::string text = opened.read_all();
  std::span<const std::byte> bytes = std::as_bytes(std::span(text));
  constexpr std::size_t sum_bytes = sizeof(std::uint64_t);
  if (bytes.size() < file_kind.size() + sum_bytes ||
      !text.starts_with(std::string(file_kind.begin(), file_kind.end()))) {
    throw std::runtime_error("leat::cluster: '" + file + "' is no snapshot");
  }
  // The sum is over all that stands before it, the kind included.
  std::span<const std::byte> sum = bytes.last(sum_bytes);
  bytes = bytes.first(bytes.size() - sum_bytes);
  if (packing<std::uint64_t>::unpack(sum) != check_sum(bytes)) {
    throw std::runtime_error("leat::cluster: the snapshot '" + file + "' is damaged");
  }
  bytes = bytes.subspan(file_kind.size());
  const std::vector<std::byte> its_name = unpack_bytes(bytes, file);
  snapshot s{{reinterpret_cast<const char*>(its_name.data()), its_name.size()}, {}, {}};
  if (s.name != name) {
    throw std::runtime_error("leat::cluster: the snapshot '" + file + "' is of '" + s.name + "', not of '" + name +
                             "'");
  }
  s.result = unpack_bytes(bytes, file);
  s.tasks = unpack_bytes(bytes, file);
  if (!bytes.empty())
    throw std::runtime_error("leat::cluster: the snapshot '" + file + "' does not end where it should");
  return s;
}

}  // namespace leat::inline LEAT_ABI::ranks
