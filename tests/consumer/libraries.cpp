// A program with two shared libraries that both use leat, and call each other in loops and tasks. WITH_LEAT: it uses leat, too.
// usage: libraries WHO LIBRARY LIBRARY. It opens them. WHO says which default runtimes there must be: a digit for each of the first library,
// the second and, WITH_LEAT, the program. Equal digits: the same runtime. So "00" is one runtime, and "010" is that of the first library and
// the program beside one of the second.

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#if defined(WITH_LEAT)
#include <leat/leat.hpp>
#endif

namespace {

constexpr int calls = 100;
constexpr long fib_20 = 6765;

struct library {
  const void* (*home)();
  long (*forks)();
  long (*calls)(long (*other)(), int calls);
  long (*spawns)(long (*other)(), int calls);
};

template <class F>
void look_up(void* opened, const std::string& name, F*& to) {
  to = reinterpret_cast<F*>(dlsym(opened, name.c_str()));
  if (to != nullptr) return;
  std::printf("libraries: %s\n", dlerror());
  std::exit(2);
}

library open(const char* path, const std::string& name) {
  void* const opened = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) {
    std::printf("libraries: %s\n", dlerror());
    std::exit(2);
  }
  library made{};
  look_up(opened, name + "_home", made.home);
  look_up(opened, name + "_forks", made.forks);
  look_up(opened, name + "_calls", made.calls);
  look_up(opened, name + "_spawns", made.spawns);
  return made;
}

bool returns(const char* what, long got, long wanted) {
  if (got != wanted) std::printf("libraries: %s returned %ld, wanted %ld\n", what, got, wanted);
  return got == wanted;
}

// The digits of the homes: of each, which of those before it, or it, is the same.
std::string digits_of(const std::vector<const void*>& homes) {
  std::string digits;
  for (std::size_t i = 0; i != homes.size(); ++i) {
    std::size_t first = 0;
    while (homes[first] != homes[i]) ++first;
    digits += static_cast<char>('0' + first);
  }
  return digits;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const library first = open(argv[2], "first");
  const library second = open(argv[3], "second");
  bool good = returns("forks", first.forks(), fib_20) && returns("forks", second.forks(), fib_20);
  good = good && returns("first in second", second.calls(first.forks, calls), calls * fib_20) &&
         returns("second in first", first.calls(second.forks, calls), calls * fib_20);
  good = good && returns("first in tasks of second", second.spawns(first.forks, calls), calls * fib_20) &&
         returns("second in tasks of first", first.spawns(second.forks, calls), calls * fib_20);
  std::vector<const void*> homes{first.home(), second.home()};
#if defined(WITH_LEAT)
  long sum = 0;
  leat::fork_join([&] { sum = first.forks(); }, [] {});
  good = good && returns("first in the program", sum, fib_20);
  homes.push_back(&leat::default_runtime());
#endif
  const std::string digits = digits_of(homes);
  if (digits != argv[1]) std::printf("libraries: the default runtimes are %s, wanted %s\n", digits.c_str(), argv[1]);
  return good && digits == argv[1] ? 0 : 1;
}
