#include "mpi_faults.hpp"

#include <mpi.h>

#include <array>
#include <chrono>
#include <thread>

namespace leat_test::mpi {

namespace {

constexpr std::array go_on = {
    kind{"MPI_Comm_dup is late", call::comm_dup, way::late},
    kind{"MPI_Comm_free is late", call::comm_free, way::late},
    kind{"MPI_Barrier is late", call::barrier, way::late},
    kind{"MPI_Ibarrier is late", call::ibarrier, way::late},
    kind{"MPI_Iprobe is late", call::iprobe, way::late},
    kind{"MPI_Iprobe sees nothing yet", call::iprobe, way::hides},
    kind{"MPI_Irecv is late", call::irecv, way::late},
    kind{"MPI_Isend is late", call::isend, way::late},
    kind{"MPI_Test is late", call::test, way::late},
    kind{"MPI_Test sees nothing yet", call::test, way::hides},
    kind{"MPI_Rget is late", call::rget, way::late},
    kind{"MPI_Rget_accumulate is late", call::rget_accumulate, way::late},
    kind{"MPI_Fetch_and_op is late", call::fetch_and_op, way::late},
    kind{"MPI_Win_allocate is late", call::win_allocate, way::late},
    kind{"MPI_Win_lock_all is late", call::win_lock_all, way::late},
    kind{"MPI_Win_unlock_all is late", call::win_unlock_all, way::late},
    kind{"MPI_Win_flush is late", call::win_flush, way::late},
    kind{"MPI_Win_flush_local is late", call::win_flush_local, way::late},
    kind{"MPI_Win_sync is late", call::win_sync, way::late},
    kind{"MPI_Win_free is late", call::win_free, way::late},
};

constexpr std::array ends = {
    kind{"MPI_Comm_dup fails", call::comm_dup, way::fails},
    kind{"MPI_Iprobe fails", call::iprobe, way::fails},
    kind{"MPI_Irecv fails", call::irecv, way::fails},
    kind{"MPI_Isend fails", call::isend, way::fails},
    kind{"MPI_Test fails", call::test, way::fails},
    kind{"MPI_Rget fails", call::rget, way::fails},
    kind{"MPI_Rget_accumulate fails", call::rget_accumulate, way::fails},
    kind{"MPI_Fetch_and_op fails", call::fetch_and_op, way::fails},
    kind{"MPI_Win_allocate fails", call::win_allocate, way::fails},
    kind{"MPI_Win_flush fails", call::win_flush, way::fails},
    kind{"MPI_Barrier fails", call::barrier, way::fails},
};

// MPI is called by one thread.
const kind* now = nullptr;
std::uint32_t share = 0;
std::uint64_t draws = 0;
std::uint64_t calls_left = 0;
std::uint64_t happened = 0;

std::uint64_t draw() {
  draws += 0x9e3779b97f4a7c15;  // splitmix64
  std::uint64_t z = draws;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// The fault that is to happen at this call, if one is. One that is late has waited already.
const kind* meets(call c) {
  if (now == nullptr || now->what != c) return nullptr;
  constexpr std::uint64_t million = 1'000'000;
  if (share != 0 ? draw() % million >= share : calls_left-- != 0) return nullptr;
  ++happened;
  if (now->how != way::late) return now;
  constexpr std::uint64_t late_us_max = 300;
  std::this_thread::sleep_for(std::chrono::microseconds(draw() % late_us_max));
  return nullptr;
}

// As MPI itself does it: its handler has the first word, and most never return.
int fail_on(MPI_Comm comm) {
  MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
  return MPI_ERR_OTHER;
}

int fail_on_window(MPI_Win window) {
  MPI_Win_call_errhandler(window, MPI_ERR_OTHER);
  return MPI_ERR_OTHER;
}

}  // namespace

std::span<const kind> kinds_that_go_on() noexcept { return go_on; }
std::span<const kind> kinds_that_end() noexcept { return ends; }

const kind refused_copy{"MPI_Comm_dup is refused", call::comm_dup, way::refuses};
const kind low_support{"MPI_Init_thread gives MPI_THREAD_SINGLE", call::init_thread, way::lowers};
const kind failed_start{"MPI_Init_thread fails", call::init_thread, way::refuses};

armed::armed(const kind& k, std::uint32_t per_million, std::uint64_t seed_or_number) noexcept {
  happened = 0;
  share = per_million;
  draws = calls_left = seed_or_number;
  now = &k;
}

armed::~armed() { now = nullptr; }

std::uint64_t armed::met() noexcept { return happened; }

}  // namespace leat_test::mpi

using leat_test::mpi::call;
using leat_test::mpi::fail_on;
using leat_test::mpi::fail_on_window;
using leat_test::mpi::meets;
using leat_test::mpi::way;

extern "C" {

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const auto* const k = meets(call::init_thread);
  if (k != nullptr && k->how == way::refuses) return MPI_ERR_OTHER;
  const int result = PMPI_Init_thread(argc, argv, required, provided);
  if (k != nullptr) *provided = MPI_THREAD_SINGLE;
  return result;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* copy) {
  return meets(call::comm_dup) != nullptr ? fail_on(comm) : PMPI_Comm_dup(comm, copy);
}

int MPI_Comm_free(MPI_Comm* comm) {
  meets(call::comm_free);
  return PMPI_Comm_free(comm);
}

int MPI_Barrier(MPI_Comm comm) { return meets(call::barrier) != nullptr ? fail_on(comm) : PMPI_Barrier(comm); }

int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  meets(call::ibarrier);
  return PMPI_Ibarrier(comm, request);
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int* there, MPI_Status* status) {
  const auto* const k = meets(call::iprobe);
  if (k == nullptr) return PMPI_Iprobe(from, tag, comm, there, status);
  *there = 0;
  return k->how == way::hides ? MPI_SUCCESS : fail_on(comm);
}

int MPI_Irecv(void* into, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
  if (meets(call::irecv) != nullptr) return fail_on(comm);
  return PMPI_Irecv(into, count, type, from, tag, comm, request);
}

int MPI_Isend(const void* of, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  if (meets(call::isend) != nullptr) return fail_on(comm);
  return PMPI_Isend(of, count, type, to, tag, comm, request);
}

// Of a request's communicator nothing is known; all that leat has end all ranks.
int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
  const auto* const k = meets(call::test);
  if (k == nullptr) return PMPI_Test(request, done, status);
  *done = 0;
  return k->how == way::hides ? MPI_SUCCESS : fail_on(MPI_COMM_WORLD);
}

int MPI_Rget(void* into, int count, MPI_Datatype type, int target, MPI_Aint at, int target_count,
             MPI_Datatype target_type, MPI_Win window, MPI_Request* request) {
  if (meets(call::rget) != nullptr) return fail_on_window(window);
  return PMPI_Rget(into, count, type, target, at, target_count, target_type, window, request);
}

int MPI_Rget_accumulate(const void* of, int count, MPI_Datatype type, void* before, int before_count,
                        MPI_Datatype before_type, int target, MPI_Aint at, int target_count, MPI_Datatype target_type,
                        MPI_Op op, MPI_Win window, MPI_Request* request) {
  if (meets(call::rget_accumulate) != nullptr) return fail_on_window(window);
  return PMPI_Rget_accumulate(of, count, type, before, before_count, before_type, target, at, target_count, target_type,
                              op, window, request);
}

int MPI_Fetch_and_op(const void* of, void* before, MPI_Datatype type, int target, MPI_Aint at, MPI_Op op,
                     MPI_Win window) {
  if (meets(call::fetch_and_op) != nullptr) return fail_on_window(window);
  return PMPI_Fetch_and_op(of, before, type, target, at, op, window);
}

int MPI_Win_allocate(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* window) {
  if (meets(call::win_allocate) != nullptr) return fail_on(comm);
  return PMPI_Win_allocate(bytes, unit, info, comm, base, window);
}

int MPI_Win_lock_all(int assertion, MPI_Win window) {
  meets(call::win_lock_all);
  return PMPI_Win_lock_all(assertion, window);
}

int MPI_Win_unlock_all(MPI_Win window) {
  meets(call::win_unlock_all);
  return PMPI_Win_unlock_all(window);
}

int MPI_Win_flush(int target, MPI_Win window) {
  return meets(call::win_flush) != nullptr ? fail_on_window(window) : PMPI_Win_flush(target, window);
}

int MPI_Win_flush_local(int target, MPI_Win window) {
  meets(call::win_flush_local);
  return PMPI_Win_flush_local(target, window);
}

int MPI_Win_sync(MPI_Win window) {
  meets(call::win_sync);
  return PMPI_Win_sync(window);
}

int MPI_Win_free(MPI_Win* window) {
  meets(call::win_free);
  return PMPI_Win_free(window);
}

}  // extern "C"
