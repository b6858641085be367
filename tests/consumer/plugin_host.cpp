// A program that knows nothing of leat, and opens a plugin that uses it again and again.
// usage: plugin_host PLUGIN

#include <dlfcn.h>

#include <cstdio>
#include <fstream>
#include <string>

namespace {

constexpr int times = 10'000;
constexpr int times_entered = 1'000;
constexpr int calls_every = 100;  // of the times, one calls the plugin
constexpr int warm_after = 1'000;
constexpr long fib_20 = 6765;

// Mapped files and other ranges of the address space.
long ranges_mapped() {
  std::ifstream maps("/proc/self/maps");
  long lines = 0;
  for (std::string line; std::getline(maps, line);) ++lines;
  return lines;
}

bool opened_and_closed(const char* path, const char* call) {
  void* const plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (plugin == nullptr) {
    std::printf("plugin_host: %s\n", dlerror());
    return false;
  }
  const long got = call != nullptr ? reinterpret_cast<long (*)()>(dlsym(plugin, call))() : fib_20;
  if (got != fib_20) std::printf("plugin_host: the plugin made %ld, wanted %ld\n", got, fib_20);
  return dlclose(plugin) == 0 && got == fib_20;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  long warm = 0;
  for (int i = 0; i < times; ++i) {
    if (!opened_and_closed(argv[1], i % calls_every == 0 ? "plugin_runs" : nullptr)) {
      std::printf("plugin_host: after %d times\n", i);
      return 1;
    }
    if (i == warm_after) warm = ranges_mapped();
  }
  const long now = ranges_mapped();
  // Heaps of threads come and go; what were kept each time would be thousands.
  constexpr long may_differ = 64;
  if (now > warm + may_differ) {
    std::printf("plugin_host: %ld ranges are mapped, %ld were after %d times\n", now, warm, warm_after);
    return 1;
  }
  std::printf("a plugin was opened and closed %d times: %ld ranges mapped, %ld before\n", times, now, warm);

  // From the first time on it stays, as its default runtime does.
  for (int i = 0; i < times_entered; ++i) {
    if (!opened_and_closed(argv[1], "plugin_enters")) {
      std::printf("plugin_host: after it entered its default runtime %d times\n", i);
      return 1;
    }
  }
}
