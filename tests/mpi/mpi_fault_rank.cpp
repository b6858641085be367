// What every rank does while MPI has faults: mpi_fault_rank go-on RUNS | end KIND CALL | refused RUNS | low | start | memory RUNS
// `end` returns 5 if MPI has not been called so often.

#include <leat/cluster.hpp>
#include <leat/cluster_mpi.hpp>

#include <mpi.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "mpi_faults.hpp"

namespace {

namespace faults = leat_test::mpi;

long allocations_left = -1;

constexpr auto expand = [](const std::uint32_t& levels, auto&& emit) {
  if (levels != 0) emit(levels - 1), emit(levels - 1);
  return std::uint64_t{1};
};

// A run makes few calls of MPI_Win_flush_local: one for 64 polls. So that it has some, it is longer then.
bool counts_a_tree(std::uint64_t run, std::uint32_t levels_min = 4, std::uint32_t workers = 1) {
  leat::cluster_options options;
  options.workers = workers;
  options.engine = leat::engine_names()[run % 2];
  options.poll_us = 5;
  leat::cluster on(leat::mpi_transport(), options);
  const auto levels = levels_min + static_cast<std::uint32_t>(run % 5);
  const auto nodes = on.run(std::vector{levels}, std::uint64_t{0}, expand, std::plus<>{});
  return nodes == (std::uint64_t{2} << levels) - 1;
}

/// MPI for as long as it lives: transports come and go.
struct started {
  started(int* argc, char*** argv) {
    int support = 0;
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &support);
  }
  started(const started&) = delete;
  started& operator=(const started&) = delete;
  ~started() { MPI_Finalize(); }
};

std::uint64_t sum_of_all(std::uint64_t mine) {
  std::uint64_t sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

// Each kind until it has happened in so many runs, on one of the ranks at least.
int go_on(std::uint64_t runs) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (const faults::kind& k : faults::kinds_that_go_on()) {
    std::uint64_t met_in = 0, faults_met = 0, run = 0;
    constexpr std::uint64_t runs_per_met = 20;
    for (; met_in < runs && run < runs_per_met * runs; ++run) {
      constexpr std::array<std::uint32_t, 3> shares{500'000, 100'000, 20'000};
      const std::uint64_t seed = 2 * run + static_cast<std::uint64_t>(rank);
      bool right = false;
      std::uint64_t met = 0;
      {
        const faults::armed now(k, shares[run % shares.size()], seed);
        right = counts_a_tree(run, k.what == faults::call::win_flush_local ? 13 : 4, run / 2 % 2 == 0 ? 1 : 3);
        met = faults::armed::met();
      }
      if (!right) return std::fprintf(stderr, "%s: a count is wrong\n", k.name), 1;
      met = sum_of_all(met);
      met_in += met != 0;
      faults_met += met;
    }
    if (met_in < runs) return std::fprintf(stderr, "%s: the call is too rare\n", k.name), 1;
    if (rank == 0)
      std::printf("%-36s %5llu runs met %7llu faults: went on\n", k.name, static_cast<unsigned long long>(met_in),
                  static_cast<unsigned long long>(faults_met));
  }
  return 0;
}

int end_by(std::size_t number, std::uint64_t call) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const faults::kind none{"", faults::call::count, faults::way::late};
  const faults::armed now(rank == 0 ? faults::kinds_that_end()[number] : none, 0, call);
  for (std::uint64_t run = 0; run < 20; ++run) counts_a_tree(run);
  return 5;
}

// The program has chosen that errors are returned: the transport throws, and the next one is as ever.
int be_refused(std::uint64_t runs) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (std::uint64_t run = 0; run < runs; ++run) {
    try {
      const faults::armed now(faults::refused_copy, 0, 0);
      static_cast<void>(leat::mpi_transport());
      return std::fprintf(stderr, "not refused\n"), 1;
    } catch (const std::runtime_error& e) {
      if (!std::string_view(e.what()).starts_with("leat::mpi_transport: MPI_Comm_dup: "))
        return std::fprintf(stderr, "%s\n", e.what()), 1;
    }
    if (!counts_a_tree(run)) return 1;
  }
  return 0;
}

// MPI has no other thread to fear here.
int start_with_low_support(int* argc, char*** argv) {
  const faults::armed now(faults::low_support, 0, 0);
  leat::cluster on(leat::mpi_transport(argc, argv));
  const auto nodes = on.run(std::vector{5u}, std::uint64_t{0}, expand, std::plus<>{});
  return nodes == 63 && faults::armed::met() == 1 ? 0 : 1;
}

int fail_to_start(int* argc, char*** argv) {
  try {
    const faults::armed now(faults::failed_start, 0, 0);
    static_cast<void>(leat::mpi_transport(argc, argv));
  } catch (const std::runtime_error& e) {
    return std::string_view(e.what()).starts_with("leat::mpi_transport: MPI_Init_thread: ") ? 0 : 1;
  }
  return 1;
}

template <class F>
bool without_memory(long k, F f) {
  allocations_left = k;
  try {
    f();
  } catch (const std::bad_alloc&) {
    allocations_left = -1;
    return false;
  }
  allocations_left = -1;
  return true;
}

// A rank sends and writes to itself while each allocation fails in turn: what was not refused comes, once and in order.
int lack_memory(std::uint64_t runs) {
  constexpr std::byte mark{7};
  constexpr std::size_t landing_bytes = 4096;
  for (std::uint64_t run = 0; run < runs; ++run) {
    const auto by = leat::mpi_transport();
    const auto me = by->rank();
    by->open_window(1, landing_bytes);
    const long k = static_cast<long>(run % 12);
    std::size_t sent = 0;
    std::vector<std::byte> bytes(100, mark);
    for (std::size_t i = 0; i < 5; ++i) {
      bytes[0] = static_cast<std::byte>(sent);
      sent += without_memory(k, [&] { by->send(me, bytes); }) ? 1 : 0;
    }
    const bool written =
        without_memory(k, [&] { by->write(me, std::span(bytes).first(64), 0, std::uint64_t{run} + 1); });
    std::uint64_t value = 0;
    leat::ranks::message got;
    std::size_t came = 0;
    constexpr int looks_max = 1'000'000;
    for (int look = 0; look < looks_max && (came < sent || (written && value != run + 1)); ++look) {
      bool one = false;
      without_memory(look % 2 == 0 ? k : -1, [&] { one = by->receive(got); });
      if (one && (got.bytes.size() != 100 || got.bytes[0] != static_cast<std::byte>(came)))
        return std::fprintf(stderr, "run %d: another message came\n", static_cast<int>(run)), 1;
      came += one ? 1 : 0;
      by->load(0, std::span(&value, 1));
    }
    if (came != sent || (written && value != run + 1))
      return std::fprintf(stderr, "run %d: %zu of %zu messages came, the word is %d\n", static_cast<int>(run), came,
                          sent, static_cast<int>(value)),
             1;
  }
  return 0;
}

int run(int argc, char** argv) {
  if (argc < 2) throw std::invalid_argument("mpi_fault_rank go-on|end|refused|low|start|memory [NUMBER] [CALL]");
  const std::string_view what = argv[1];
  const std::uint64_t number = argc > 2 ? std::stoul(argv[2]) : 0;
  const std::uint64_t call = argc > 3 ? std::stoul(argv[3]) : 0;
  if (what == "low") return start_with_low_support(&argc, &argv);
  if (what == "start") return fail_to_start(&argc, &argv);
  const started mpi(&argc, &argv);
  if (what == "go-on") return go_on(number);
  if (what == "end") return end_by(number, call);
  if (what == "refused") return be_refused(number);
  return lack_memory(number);
}

}  // namespace

// None is inlined: GCC 12 would warn that malloc and free do not match delete and new.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (allocations_left >= 0 && allocations_left-- == 0) throw std::bad_alloc();
  if (void* const memory = std::malloc(bytes != 0 ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 4;
  }
}
