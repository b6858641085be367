#include "leat/platform/call_places.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string_view>

#include "leat/platform/native.hpp"

extern "C" char** environ;

namespace leat::inline LEAT_ABI::platform {

namespace {

#define LEAT_TEXT_OF(word) #word
#define LEAT_TEXT(word) LEAT_TEXT_OF(word)
constexpr std::string_view own_namespace = "leat::" LEAT_TEXT(LEAT_ABI) "::";

constexpr std::size_t places_max = 4;  // of a stack

// A call: where its code lies, and the functions that the compiler has put there, innermost first.
struct named_call {
  std::string module;
  std::uint64_t offset = 0;
  struct function {
    std::string name, line;
  };
  std::vector<function> functions;
};

// A return address is the one behind the call, which may be another function's already.
std::uint64_t call_before(const void* address) noexcept { return reinterpret_cast<std::uintptr_t>(address) - 1; }

named_call find_module(const void* address) {
  named_call c;
  Dl_info info{};
  link_map* map = nullptr;
  if (dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 || map == nullptr) return c;
  c.offset = call_before(address) - map->l_addr;
  c.module = map->l_name != nullptr && *map->l_name != '\0' ? map->l_name : "/proc/self/exe";
  return c;
}

std::string text_of_offset(std::uint64_t offset) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(offset));
  return text.data();
}

// A link that has another meaning in the child process.
std::string name_for_child(const std::string& module) {
  std::array<char, 4096> path{};
  if (module != "/proc/self/exe") return module;
  const ssize_t n = readlink(module.c_str(), path.data(), path.size() - 1);
  return n <= 0 ? module : std::string(path.data(), static_cast<std::size_t>(n));
}

// Waits until the program ends, and ends it when the time is over. It is killed only while it is a child of ours: any thread
// may wait for any child, or the system reaps them all, and then its number may be another process's.
void end_by(pid_t child, std::uint64_t end_ns) {
  constexpr std::uint64_t between_checks_ns = 200'000;
  while (waitpid(child, nullptr, WNOHANG) == 0) {
    if (native::now_ns() >= end_ns) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
      return;
    }
    native::sleep_ns(between_checks_ns);
  }
}

// What the program writes until it ends or the time is over. Empty if it cannot be started.
std::string output_of(std::vector<std::string> words) {
  std::array<int, 2> ends{};
  if (getauxval(AT_SECURE) != 0 || pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  std::vector<char*> arguments;
  for (std::string& w : words) arguments.push_back(w.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t how;
  posix_spawnattr_init(&how);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&how, &none);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK);
  pid_t child = -1;
  const int failed = posix_spawnp(&child, arguments[0], &files, &how, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&how);
  close(ends[1]);
  std::string text;
  const std::uint64_t end = native::now_ns() + addr2line_ns_max;
  while (failed == 0) {
    const std::uint64_t now = native::now_ns();
    pollfd ready{ends[0], POLLIN, 0};
    if (now >= end || poll(&ready, 1, static_cast<int>((end - now) / 1'000'000) + 1) <= 0) break;
    std::array<char, 4096> part{};
    const ssize_t n = read(ends[0], part.data(), part.size());
    if (n <= 0) break;
    text.append(part.data(), static_cast<std::size_t>(n));
  }
  close(ends[0]);
  if (failed == 0) end_by(child, end);
  return text;
}

// Output: for each address a line with it, and then two for each function: its name, and file:line.
void name_calls(const std::string& module, const std::vector<named_call*>& calls) {
  std::vector<std::string> words{"addr2line", "-a", "-i", "-f", "-C", "-e", name_for_child(module)};
  for (const named_call* c : calls) words.push_back(text_of_offset(c->offset));
  const std::string text = output_of(std::move(words));
  std::size_t at = 0, next = 0;  // of the text; of `calls`, one too far
  const auto line = [&] {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string found = text.substr(at, end - at);
    at = end + 1;
    return found;
  };
  while (at < text.size()) {
    std::string first = line();
    if (first.starts_with("0x")) {
      if (++next > calls.size()) return;
      continue;
    }
    std::string second = line();
    if (next == 0) return;
    second = second.substr(0, second.find(" (discriminator"));
    first = first.substr(0, first.find(" [clone"));
    calls[next - 1]->functions.push_back(
        {std::move(first), second.starts_with("??") || second.ends_with(":?") ? std::string() : second});
  }
}

// Whether a bracket that follows this is a part of the name: of an operator's, or of a namespace without one.
bool is_name_before(std::string_view plain, char bracket) {
  if (plain.ends_with("operator")) return true;
  return bracket == '(' && (plain.empty() || plain.ends_with(':') || plain.ends_with(' '));
}

// The name of a function without the arguments of templates and calls. Brackets that are parts of the name are left out, too.
std::string plain_name(std::string_view function) {
  std::string plain;
  unsigned depth = 0;
  for (const char c : function) {
    const bool opens = c == '<' || c == '(';
    if (depth == 0 && opens && is_name_before(plain, c)) plain += '_';
    if (opens) ++depth;
    else if ((c == '>' || c == ')') && depth != 0) --depth;
    else if (depth == 0) plain += c;
  }
  return plain;
}

std::string name_of_file(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Modules that are never the program.
bool is_of_system(const std::string& module) {
  const std::string name = name_of_file(module);
  constexpr std::array<std::string_view, 10> known{"libc.so",     "libpthread.so", "ld-linux",   "libstdc++.so",
                                                   "libgcc_s.so", "libleat.so",    "linux-vdso", "libtsan.so",
                                                   "libasan.so",  "libclang_rt."};
  return std::ranges::any_of(known, [&](std::string_view k) { return name.starts_with(k); });
}

bool is_of_leat(std::string_view name) { return name.find(own_namespace) != name.npos; }

// Names of functions that the compiler has put into others lack their namespace. And where it has put a program's callable into one of
// leat's functions, the name is leat's and the line is the program's.
bool is_of_library(const named_call::function& f) {
  for (const std::string_view folder : {"/include/leat/", "/src/leat/", "/adapters/", "/include/c++/", "-gnu/c++/"}) {
    if (f.line.find(folder) != std::string::npos) return true;
  }
  return platform::is_of_library(f.name) && (f.line.empty() || !is_of_leat(f.name));
}

std::string text_of(const named_call& c, const named_call::function& f) {
  // Folders of the machine on which the program was built say little.
  if (!f.line.empty()) return name_of_file(f.line) + (is_of_leat(f.name) ? "" : " in " + f.name);
  return f.name + " in " + name_of_file(name_for_child(c.module)) + "+" + text_of_offset(c.offset);
}

// Where no function has a name, each module and offset in place of it.
std::vector<std::string> places_in(const std::vector<named_call>& calls) {
  std::vector<std::string> named, bare;
  bool any_named = false;
  for (const named_call& c : calls) {
    if (c.module.empty() || is_of_system(c.module)) continue;
    bare.push_back(name_of_file(name_for_child(c.module)) + "+" + text_of_offset(c.offset));
    for (const named_call::function& f : c.functions) {
      if (f.name.empty() || f.name == "??") continue;
      any_named = true;
      if (!is_of_library(f)) named.push_back(text_of(c, f));
    }
  }
  auto& found = any_named ? named : bare;
  found.resize(std::min(found.size(), places_max));
  return found;
}

}  // namespace

// The first functions of a thread and of a program, which a static program has in itself, count, too.
bool is_of_library(const std::string& function) {
  const std::string plain = plain_name(function);
  const std::string_view name = std::string_view(plain).substr(plain.rfind(' ', plain.find("operator ")) + 1);
  constexpr std::array<std::string_view, 21> beginnings{
      own_namespace, "_ZN4leat",   "_ZNK4leat",  "std::",        "__gnu_cxx::",     "pthread_",
      "__pthread_",  "__lll_lock", "futex_",     "__futex",      "__gthread",       "leat_on_",
      "__libc_",     "clone",      "__clone",    "__restore_rt", "___interceptor_", "__interceptor_",
      "__tsan",      "__asan",     "__sanitizer"};  // the last: of sanitizers
  return std::ranges::any_of(beginnings, [name](std::string_view b) { return name.starts_with(b); }) ||
         name == "start_thread" || name == "_start" || name == "syscall" || name == "backtrace";
}

std::vector<std::vector<std::string>> places_of(const std::vector<call_stack>& stacks) {
  std::vector<std::vector<named_call>> all;
  for (const call_stack& s : stacks) {
    auto& calls = all.emplace_back();
    for (std::uint32_t i = 0; i < s.size; ++i) calls.push_back(find_module(s.at[i]));
  }
  std::map<std::string, std::vector<named_call*>> of_module;
  for (auto& calls : all) {
    for (named_call& c : calls) {
      if (!c.module.empty() && !is_of_system(c.module)) of_module[c.module].push_back(&c);
    }
  }
  for (const auto& [module, calls] : of_module) name_calls(module, calls);
  std::vector<std::vector<std::string>> places;
  for (const auto& calls : all) places.push_back(places_in(calls));
  return places;
}

}  // namespace leat::inline LEAT_ABI::platform
