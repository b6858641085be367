#include "leat/topology/cgroups.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

namespace leat::inline LEAT_ABI::topology {
namespace {

// A mount takes some hundred bytes in mountinfo, and hosts of containers have tens of thousands of them.
constexpr std::size_t table_bytes_max = std::size_t{16} << 20;
// Two paths and the options of a file system; some hundred layers of an overlay take a quarter of this.
constexpr std::size_t line_bytes_max = std::size_t{1} << 20;
// Two 64-bit numbers fit four times.
constexpr std::size_t quota_bytes_max = 160;
// Some ten lines of a name and a number.
constexpr std::size_t stat_bytes_max = 4096;
// Real trees have about ten levels; the innermost ones are read when there are more.
constexpr std::size_t cgroup_levels_max = 256;
// One is usual, two in hybrid setups; bind mounts add some.
constexpr std::size_t cgroup_mounts_max = 64;
constexpr std::size_t notes_max = 64;
constexpr std::size_t note_path_bytes_max = 4096;
constexpr std::size_t excerpt_bytes_max = 40;

// Collects "path: reason". Names and contents come from outside, so everything that is not printable ASCII is replaced:
// the notes then suit every terminal and every JSON writer.
class notebook {
 public:
  explicit notebook(std::vector<std::string>& notes) : notes_(notes) {}

  void add(std::string_view path, std::string_view reason) {
    if (notes_.size() >= notes_max) return;
    if (notes_.size() + 1 == notes_max) {
      notes_.emplace_back("more notes were left out");
      return;
    }
    std::string note(path.substr(0, note_path_bytes_max));
    note.append(": ").append(reason);
    std::replace_if(note.begin(), note.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    notes_.push_back(std::move(note));
  }

  void add_error(std::string_view path, int error) { add(path, std::generic_category().message(error)); }

  void add_garbage(std::string_view path, std::string_view content) {
    std::string reason = "not understood: \"";
    reason.append(content.substr(0, excerpt_bytes_max)).append(content.size() > excerpt_bytes_max ? "...\"" : "\"");
    add(path, reason);
  }

 private:
  std::vector<std::string>& notes_;
};

struct text {
  std::string content;
  int error = 0;  // errno value; 0 when the file was read
  bool cut = false;  // there is more than was asked for
};

struct file_closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

text read_text(const std::string& path, std::size_t bytes_max) {
  text result;
  errno = 0;
  // e: close on exec, so that a program started meanwhile by another thread does not inherit the file.
  const std::unique_ptr<std::FILE, file_closer> file(std::fopen(path.c_str(), "re"));
  std::array<char, 4096> block;
  for (bool more = file != nullptr; more;) {
    const std::size_t got = std::fread(block.data(), 1, block.size(), file.get());
    if (std::ferror(file.get()) != 0) break;
    result.content.append(block.data(), got);
    more = std::feof(file.get()) == 0 && result.content.size() <= bytes_max;
  }
  if (!file || std::ferror(file.get()) != 0) result.error = errno != 0 ? errno : EIO;
  result.cut = result.content.size() > bytes_max;
  if (result.cut) result.content.resize(bytes_max);
  return result;
}

// Empty fields count: mountinfo prints an empty device name as two spaces in a row.
std::vector<std::string_view> split(std::string_view line, char separator) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t end = line.find(separator);
    fields.push_back(line.substr(0, end));
    if (end == std::string_view::npos) return fields;
    line.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> words(std::string_view content) {
  constexpr std::string_view blank = " \t\r\n";
  std::vector<std::string_view> found;
  for (std::size_t begin = content.find_first_not_of(blank); begin != std::string_view::npos;) {
    const std::size_t end = std::min(content.find_first_of(blank, begin), content.size());
    found.push_back(content.substr(begin, end - begin));
    begin = content.find_first_not_of(blank, end);
  }
  return found;
}

bool lists(std::string_view comma_list, std::string_view name) {
  const auto items = split(comma_list, ',');
  return std::find(items.begin(), items.end(), name) != items.end();
}

// Octal escapes of mountinfo: blank, tab, line feed and backslash come as \040, \011, \012 and \134.
// \000 stays as it is: no path contains it, and a C string would end there.
std::string unescaped(std::string_view field) {
  std::string plain;
  while (!field.empty()) {
    unsigned code = 0;
    std::size_t taken = 1;
    if (field.size() >= 4 && field[0] == '\\') {
      const auto [end, error] = std::from_chars(field.data() + 1, field.data() + 4, code, 8);
      if (error == std::errc{} && end == field.data() + 4 && code != 0 && code <= 0xff) taken = 4;
    }
    plain.push_back(taken == 4 ? static_cast<char>(code) : field[0]);
    field.remove_prefix(taken);
  }
  return plain;
}

// A cgroup as the kernel names it to this process: so many levels up from the root of its cgroup namespace, then down.
// The kernel's way up is the shortest: the first name below differs from the one that leads back to the namespace.
struct position {
  std::size_t up = 0;
  std::vector<std::string> names;
};

std::optional<position> parse_position(std::string_view path) {
  if (path.empty() || path.front() != '/') return std::nullopt;
  position where;
  for (const std::string_view name : split(path, '/')) {
    if (name.empty()) continue;
    if (name == "..") {
      if (!where.names.empty()) return std::nullopt;
      ++where.up;
    } else {
      where.names.emplace_back(name);
    }
  }
  return where;
}

enum class hierarchy { v1, v2 };

struct cgroup_mount {
  hierarchy kind = hierarchy::v2;
  position root;  // the cgroup that is seen at `point`
  std::string point;  // without trailing slash
};

struct memberships {
  std::optional<position> v1;  // in the hierarchy of the cpu controller
  std::optional<position> v2;
};

// One line of /proc/self/cgroup, "number:controllers:path". False when it is not of that form.
bool parse_membership(std::string_view line, memberships& found) {
  const std::size_t first = line.find(':');
  const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
  if (second == std::string_view::npos) return false;
  const std::string_view controllers = line.substr(first + 1, second - first - 1);
  const auto where = parse_position(line.substr(second + 1));
  if (!where) return false;
  if (controllers.empty() && !found.v2) found.v2 = where;
  if (lists(controllers, "cpu") && !found.v1) found.v1 = where;
  return true;
}

// One line of /proc/self/mountinfo: id, parent, device, root, mount point, options, any number of optional fields, "-",
// type, source, options of the file system. False when it is not of that form; other file systems are passed over.
bool parse_mount(std::string_view line, std::vector<cgroup_mount>& found) {
  constexpr std::size_t before_optional = 6;
  const auto fields = split(line, ' ');
  if (fields.size() < before_optional + 4) return false;
  const auto dash = std::find(fields.begin() + before_optional, fields.end(), "-");
  if (fields.end() - dash < 4) return false;
  const std::string_view type = dash[1];
  const bool v2 = type == "cgroup2";
  if (!v2 && !(type == "cgroup" && lists(dash[3], "cpu"))) return true;
  const auto root = parse_position(unescaped(fields[3]));
  std::string point = unescaped(fields[4]);
  if (!root || point.empty() || point.front() != '/') return false;
  while (!point.empty() && point.back() == '/') point.pop_back();
  found.push_back({v2 ? hierarchy::v2 : hierarchy::v1, *root, std::move(point)});
  return true;
}

// Hands every line of a table in /proc to `parse`. Only the first line that it refuses gets a note, since a file of
// another kind has nothing but such lines.
template <class Parse>
void for_each_line(const std::string& path, notebook& notes, Parse parse) {
  text table = read_text(path, table_bytes_max);
  if (table.error != 0) {
    notes.add_error(path, table.error);
    return;
  }
  if (table.cut) {
    notes.add(path, "longer than " + std::to_string(table_bytes_max) + " bytes; the rest was not read");
    table.content.resize(table.content.rfind('\n') + 1);  // no half line; npos + 1 is 0: nothing stays
  }
  bool noted = false;
  for (std::string_view rest = table.content; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.empty()) continue;
    // A name that contains NUL would reach the kernel cut short, as that of another file.
    if (line.size() <= line_bytes_max && line.find('\0') == std::string_view::npos && parse(line)) continue;
    if (!noted) notes.add_garbage(path, line);
    noted = true;
  }
}

// The numbers of a quota file, `count` of them and none 0; "max" reads as -1, which is how v1 says it. Empty when the
// file cannot be read. A missing one is no cause for a note: the root cgroup and cgroups without the controller have
// none.
std::vector<std::int64_t> read_numbers(const std::string& path, std::size_t count, notebook& notes) {
  const text file = read_text(path, quota_bytes_max);
  if (file.error == ENOENT || file.error == ENOTDIR) return {};
  if (file.error != 0) {
    notes.add_error(path, file.error);
    return {};
  }
  std::vector<std::int64_t> numbers;
  for (const std::string_view word : words(file.content)) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool whole = error == std::errc{} && end == word.data() + word.size();
    numbers.push_back(word == "max" ? -1 : whole ? value : 0);
  }
  if (!file.cut && numbers.size() == count && std::count(numbers.begin(), numbers.end(), 0) == 0) return numbers;
  notes.add_garbage(path, file.content);
  return {};
}

quota smaller(quota a, quota b) { return b.cpus < a.cpus ? b : a; }

// The quota of one cgroup, in CPUs. v2: cpu.max is "150000 100000" (microseconds of CPU time per microseconds) or
// "max 100000". v1: the same two numbers in two files, -1 for none.
quota read_quota(hierarchy kind, const std::string& directory, notebook& notes) {
  const bool v2 = kind == hierarchy::v2;
  const std::string path = directory + (v2 ? "/cpu.max" : "/cpu.cfs_quota_us");
  auto numbers = read_numbers(path, v2 ? 2 : 1, notes);
  if (numbers.empty() || numbers[0] < 0) return {};
  if (!v2) {
    const auto period = read_numbers(directory + "/cpu.cfs_period_us", 1, notes);
    numbers.insert(numbers.end(), period.begin(), period.end());
  }
  if (numbers.size() == 2 && numbers[1] > 0)
    return {static_cast<double>(numbers[0]) / static_cast<double>(numbers[1]), directory};
  notes.add(path, "there is no period that goes with this quota");
  return {};
}

// The smallest quota from the cgroup `names` below `directory` up to `directory` itself.
quota smallest_on_path(hierarchy kind, std::string directory, std::span<const std::string> names, notebook& notes) {
  std::vector<std::size_t> lengths{directory.size()};
  for (const std::string& name : names) {
    directory.append("/").append(name);
    lengths.push_back(directory.size());
  }
  std::error_code unknown;
  if (!std::filesystem::is_directory(directory, unknown)) notes.add(directory, "this process's cgroup is not there");
  if (lengths.size() > cgroup_levels_max) {
    notes.add(directory, "more than " + std::to_string(cgroup_levels_max) + " levels; the outer ones were not read");
  }
  quota smallest;
  const std::size_t levels = std::min(lengths.size(), cgroup_levels_max);
  for (std::size_t level = 0; level < levels; ++level) {
    directory.resize(lengths[lengths.size() - 1 - level]);
    smallest = smaller(smallest, read_quota(kind, directory, notes));
  }
  return smallest;
}

// How the cgroup of this process is reached from the root of a mount.
struct route {
  std::span<const std::string> names;  // the way down
  std::size_t unnamed = 0;  // levels that come before `names` and whose names the namespace hides
};

// None when the mount does not show the cgroup at all. See `position` for why names at different heights never meet.
std::optional<route> find_route(const position& mount_root, const position& self) {
  const std::span<const std::string> names(self.names);
  if (mount_root.up == self.up) {
    if (mount_root.names.size() > names.size()) return std::nullopt;
    if (!std::equal(mount_root.names.begin(), mount_root.names.end(), names.begin())) return std::nullopt;
    return route{names.subspan(mount_root.names.size()), 0};
  }
  if (mount_root.up > self.up && mount_root.names.empty()) return route{names, mount_root.up - self.up};
  return std::nullopt;
}

quota smallest_in(hierarchy kind, const position& self, std::span<const cgroup_mount> mounts, const std::string& root,
                  notebook& notes) {
  quota smallest;
  const cgroup_mount* blind = nullptr;
  bool shown = false;
  for (const cgroup_mount& mount : mounts) {
    if (mount.kind != kind) continue;
    const auto way = find_route(mount.root, self);
    if (!way) {
      blind = &mount;
      continue;
    }
    shown = true;
    auto names = way->names;
    if (way->unnamed != 0) {
      notes.add(root + mount.point, "the cgroups from here down to this process are hidden, and so are their quotas");
      names = {};
    }
    smallest = smaller(smallest, smallest_on_path(kind, root + mount.point, names, notes));
  }
  // A cgroup outside of what is mounted tells nothing about this process, not even at the mount point.
  if (!shown && blind != nullptr) notes.add(root + blind->point, "does not show the cgroup of this process");
  return smallest;
}

}  // namespace

quota tightest_quota(const std::string& root, std::vector<std::string>& noted) {
  notebook notes(noted);
  const std::string mounts_path = root + "/proc/self/mountinfo";
  memberships self;
  for_each_line(root + "/proc/self/cgroup", notes, [&](std::string_view line) { return parse_membership(line, self); });
  if (!self.v1 && !self.v2) return {};
  std::vector<cgroup_mount> mounts;
  for_each_line(mounts_path, notes, [&](std::string_view line) { return parse_mount(line, mounts); });
  if (mounts.size() > cgroup_mounts_max) {
    notes.add(mounts_path, "more than " + std::to_string(cgroup_mounts_max) + " cgroup mounts; the rest was left out");
    mounts.erase(mounts.begin() + cgroup_mounts_max, mounts.end());
  }
  // In hybrid setups the cpu controller is in one of the two; asking both needs no guess which.
  quota smallest;
  if (self.v1) smallest = smaller(smallest, smallest_in(hierarchy::v1, *self.v1, mounts, root, notes));
  if (self.v2) smallest = smaller(smallest, smallest_in(hierarchy::v2, *self.v2, mounts, root, notes));
  return smallest;
}

// v2: "throttled_usec N"; v1: "throttled_time N", in nanoseconds.
std::optional<std::uint64_t> throttled_ns(const std::string& group) {
  constexpr std::uint64_t ns_per_us = 1000;
  if (group.empty()) return std::nullopt;
  const text file = read_text(group + "/cpu.stat", stat_bytes_max);
  const auto fields = words(file.content);
  for (std::size_t i = 0; i + 1 < fields.size(); ++i) {
    const bool in_us = fields[i] == "throttled_usec";
    if (!in_us && fields[i] != "throttled_time") continue;
    std::uint64_t value = 0;
    const std::string_view number = fields[i + 1];
    if (std::from_chars(number.data(), number.data() + number.size(), value).ec != std::errc{}) return std::nullopt;
    return value * (in_us ? ns_per_us : 1);
  }
  return std::nullopt;
}

}  // namespace leat::inline LEAT_ABI::topology
