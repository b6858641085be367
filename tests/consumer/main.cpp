// What a user of the installed library writes first: tasks that count themselves. Given a plugin, and what its plugin_forks is to
// return, it calls that on a worker, too.

#include <leat/leat.hpp>

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace {

bool plugin_returns(leat::runtime& rt, const char* path, long wanted) {
  void* const plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (plugin == nullptr) {
    std::printf("consumer: %s\n", dlerror());
    return false;
  }
  const auto forks = reinterpret_cast<long (*)()>(dlsym(plugin, "plugin_forks"));
  const long got = rt.run([&] { return forks(); });
  if (got != wanted) std::printf("consumer: the plugin made %ld, wanted %ld\n", got, wanted);
  return got == wanted;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr long tasks = 1000;
  leat::options options;
  options.workers = 2;
  leat::runtime rt(options);
  leat::worker_local<long> done(rt);
  rt.run([&] {
    for (long i = 0; i < tasks; ++i) leat::spawn([&] { done.local() += 1; });
    leat::barrier();
  });
  const long total = done.combine(0L, [](long a, long b) { return a + b; });
  std::printf("leat %s ran %ld tasks on %u workers\n", leat::version(), total, static_cast<unsigned>(rt.workers()));
  if (argc == 3 && !plugin_returns(rt, argv[1], std::atol(argv[2]))) return 1;
  return total == tasks ? 0 : 1;
}
