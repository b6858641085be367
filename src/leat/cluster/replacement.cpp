#include "leat/cluster/replacement.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace leat::inline LEAT_ABI::ranks {

namespace {

// The file that this one names through symbolic links, which need not exist; empty where too many links follow each
// other.
std::string behind_links(const std::string& file) {
  std::filesystem::path place = file;
  for (int links = 0; links <= replacement::links_max; ++links) {
    std::error_code no_link;
    const std::filesystem::path next = std::filesystem::read_symlink(place, no_link);
    if (no_link) return place.string();
    place = place.parent_path() / next;  // an absolute path takes the place of the whole
  }
  return "";
}

}  // namespace

// The links are followed here and not by the system: the rename would replace the link. The new file lies beside the
// file that they name, as a rename does not go from one file system to another.
replacement::replacement(const std::string& place) : given_(place), place_(behind_links(place)) {
  if (place_.empty()) {
    errno = place.empty() ? ENOENT : ELOOP;
    refuse("open");
  }
  open();
  // The new file gets the permissions of the one that it replaces: else a snapshot that others may not read would
  // become one that they may. Of a place without a file there are none to keep.
  struct ::stat about{};
  if (::stat(place_.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) return;
  constexpr ::mode_t permissions = 0777;
  static_cast<void>(::fchmod(number_, about.st_mode & permissions));  // a file system without permissions refuses
}

// Errors that close could report have come out of fsync, for a file that has taken its place. Another one is removed.
replacement::~replacement() {
  ::close(number_);
  if (!placed_) ::unlink(name_.c_str());
}

// A file that exists is never opened: it may be another process's, or what a process that was killed has left.
void replacement::open() {
  constexpr int of_nobody_else = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
  constexpr ::mode_t for_all = 0666;  // less what the process's umask takes away
  const std::string start = place_ + '.' + std::to_string(::getpid()) + '.';
  for (int i = 0; number_ < 0; ++i) {
    name_ = start + std::to_string(i);
    number_ = ::open(name_.c_str(), of_nobody_else, for_all);
    if (number_ < 0 && (errno != EEXIST || i == names_max - 1)) refuse("open");
  }
}

// The system may take a part only, or be interrupted by a signal before it has taken any.
void replacement::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ::ssize_t written = ::write(number_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) refuse("write");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

// The order matters. The bytes reach the disk before the name is given to them, so a machine that stops has the old
// file under it, or the new one as a whole. The folder is flushed last: from then on it is the new one.
void replacement::take_place() {
  if (::fsync(number_) != 0) refuse("write");  // or the name could be on the disk before what it names
  if (::rename(name_.c_str(), place_.c_str()) != 0) refuse("rename");
  placed_ = true;
  // So that the name is on the disk, too. A folder that may not be read gets there in its own time.
  const std::string folder = std::filesystem::path(place_).parent_path().string();
  const int opened = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0) return;
  ::fsync(opened);
  ::close(opened);
}

// The message has the name that the program gave, not that of the new file. To be called before errno changes.
void replacement::refuse(const char* what) const {
  throw std::system_error(errno, std::generic_category(),
                          std::string("leat::cluster: cannot ") + what + " the snapshot '" + given_ + "'");
}

}  // namespace leat::inline LEAT_ABI::ranks
