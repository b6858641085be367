#include "kernels/loop_openmp.hpp"

#include <stdexcept>
#include <string>

#if defined(_OPENMP)
#include <omp.h>
#endif

namespace leat::kernels::loop {

std::string_view name(schedule s) noexcept {
  switch (s) {
    case schedule::fixed: return "static";
    case schedule::dynamic: return "dynamic";
    case schedule::guided: return "guided";
  }
  return "unknown";
}

#if defined(_OPENMP)

bool openmp_available() noexcept { return true; }

namespace {

// OpenMP gives fewer threads than it is asked for, without a word, if its environment says so.
void check_team(int team) {
  int got = 0;
#pragma omp parallel num_threads(team)
#pragma omp single
  got = omp_get_num_threads();
  if (got == team) return;
  throw std::runtime_error("leat: OpenMP has " + std::to_string(got) + " of " + std::to_string(team) +
                           " threads: see OMP_THREAD_LIMIT and OMP_DYNAMIC, or leave it out by --no-openmp");
}

}  // namespace

double openmp(workload& w, std::uint32_t threads, schedule s, std::int64_t chunk) {
  const int team = static_cast<int>(threads);
  check_team(team);
  // Schedules that are known when the loop is compiled cost less than one that is looked up.
  const double seconds = w.time([=](std::int64_t iterations, auto body) {
    switch (s) {
      case schedule::fixed:
        if (chunk == 0) {
#pragma omp parallel for num_threads(team) schedule(static)
          for (std::int64_t i = 0; i < iterations; ++i) body(i);
        } else {
#pragma omp parallel for num_threads(team) schedule(static, chunk)
          for (std::int64_t i = 0; i < iterations; ++i) body(i);
        }
        break;
      case schedule::dynamic:
#pragma omp parallel for num_threads(team) schedule(dynamic, chunk)
        for (std::int64_t i = 0; i < iterations; ++i) body(i);
        break;
      case schedule::guided:
#pragma omp parallel for num_threads(team) schedule(guided, chunk)
        for (std::int64_t i = 0; i < iterations; ++i) body(i);
        break;
    }
  });
  omp_pause_resource(omp_pause_soft, omp_get_initial_device());
  return seconds;
}

#else

bool openmp_available() noexcept { return false; }

double openmp(workload&, std::uint32_t, schedule, std::int64_t) {
  throw std::logic_error("leat: this program was built without OpenMP");
}

#endif

}  // namespace leat::kernels::loop
