// The machine is read while memory runs out: hwloc itself ends a process then.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <new>

#include "engines.hpp"
#include "leat/leat.hpp"

namespace {

constexpr std::size_t bytes_of_piece = 1024;

/// Pieces of this size, until there is no more; each has the address of the one before.
void** take_all(std::size_t bytes) {
  void** last = nullptr;
  while (auto* const piece = static_cast<void**>(std::malloc(bytes))) {
    *piece = last;
    last = piece;
  }
  return last;
}

/// Takes all memory that the process may have, but for so many pieces.
void leave_pieces(std::size_t left) {
  constexpr rlim_t no_more = 1;
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  constexpr std::size_t pieces_had_max = 4096;
  std::array<void*, pieces_had_max> had;  // so that there is something to leave
  for (void*& piece : had) piece = std::malloc(bytes_of_piece);
  limit.rlim_cur = no_more;
  setrlimit(RLIMIT_AS, &limit);
  for (void* piece : had) std::free(piece);
  void** taken = take_all(bytes_of_piece);
  take_all(sizeof(void*));
  for (; left > 0 && taken != nullptr; --left) {
    void** const before = static_cast<void**>(*taken);
    std::free(taken);
    taken = before;
  }
}

// Whether the child read the machine: 0, was refused: 1, or anything else.
int read_with(std::size_t pieces) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    leave_pieces(pieces);
    try {
      _exit(leat::this_machine().units() > 0 ? 0 : 2);
    } catch (const std::bad_alloc&) {
      _exit(1);
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(machine_fault, without_memory_for_hwloc_it_is_bad_alloc) {
  if (leat_test::sanitized) GTEST_SKIP() << "a sanitizer's own memory counts, too";
  constexpr int read = 0, refused = 1;
  EXPECT_EQ(read_with(0), refused);
  for (std::size_t kib = 1; kib < 100; kib += 3) {
    const int got = read_with(kib);
    EXPECT_TRUE(got == read || got == refused) << got << " with " << kib << " KiB";
  }
}

}  // namespace
