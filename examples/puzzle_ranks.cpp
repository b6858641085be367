// In how many ways do the twelve pentominoes fill a board of 60 squares? The ranks of a leat::cluster count them. The first run is
// stopped in the middle, as by a power cut, and a second one goes on from the snapshot that is left in a file.
// Usage: puzzle_ranks [ROWS [WORKERS [MILLISECONDS]]]: 3 to 6 rows, workers of each rank, and the time until the snapshot.
// Alone it is one rank. Compiled with -DHAS_CLUSTER_MPI and linked with leat::cluster_mpi, it has the ranks that mpiexec starts.

#include <leat/cluster.hpp>
#include <leat/options.hpp>
#if defined(HAS_CLUSTER_MPI)
#include <leat/cluster_mpi.hpp>
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <chrono>
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t pieces = 12, all_squares = 5 * pieces;
constexpr int pieces_by_tasks = 4;  // the others are laid by the serial program, in a task

// The name of each piece, and the row and column of each of its squares.
constexpr std::array<std::string_view, pieces> shapes = {"F 01 02 10 11 21", "I 00 01 02 03 04", "L 00 01 02 03 10",
                                                         "N 00 01 11 12 13", "P 00 01 10 11 20", "T 00 01 02 11 21",
                                                         "U 00 02 10 11 12", "V 00 10 20 21 22", "W 00 10 11 21 22",
                                                         "X 01 10 11 12 21", "Y 00 01 02 03 11", "Z 00 01 11 21 22"};

using squares = std::uint64_t;  // a bit for each, column by column

// A task: what lies on the board. It travels between ranks, and into the snapshot, as its bytes.
struct position {
  squares filled = 0;
  std::array<squares, pieces> piece = {};  // 0: not yet on the board
};

// A result.
struct tilings {
  std::uint64_t number = 0;
  std::array<squares, pieces> least = {};  // of all, so that it does not depend on the order of tasks
  bool operator==(const tilings&) const = default;
};

tilings both(const tilings& a, const tilings& b) {
  if (a.number == 0 || b.number == 0) return a.number == 0 ? b : a;
  return {a.number + b.number, std::min(a.least, b.least)};
}

class board {
 public:
  explicit board(std::size_t rows) : rows_(rows), columns_(all_squares / rows) {
    for (std::size_t i = 0; i != 8 * pieces; ++i) list_ways(i / 8, i % 8);
  }

  // Calls f(position) for each way to cover the first free square.
  template <class F>
  void for_each_next(const position& now, F f) const {
    for (const auto& [p, where] : ways_[static_cast<std::size_t>(std::countr_one(now.filled))]) {
      if (now.piece[p] != 0 || (now.filled & where) != 0) continue;
      position next = now;
      next.filled |= where;
      next.piece[p] = where;
      f(next);
    }
  }

  // The serial version.
  tilings count(const position& now) const {
    if (std::popcount(now.filled) == all_squares) return {1, now.piece};
    tilings found;
    for_each_next(now, [&](const position& next) { found = both(found, count(next)); });
    return found;
  }

  void draw(const tilings& found) const {
    for (std::size_t row = 0; row != rows_; ++row) {
      for (std::size_t column = 0; column != columns_; ++column)
        for (std::size_t p = 0; p != pieces; ++p)
          if ((found.least[p] >> (column * rows_ + row) & 1) != 0) std::putchar(shapes[p][0]), std::putchar(' ');
      std::putchar('\n');
    }
  }

 private:
  // Where a piece may lie, turned and turned over, goes to the list of the first square there.
  void list_ways(std::size_t p, std::size_t turn) {
    for (std::size_t shift = 0; shift != (rows_ + 4) * (columns_ + 4); ++shift) {
      squares where = 0;
      for (std::size_t i = 2; i != shapes[p].size() + 1; i += 3) {
        auto row = static_cast<std::size_t>(shapes[p][i] - '0'),
             column = static_cast<std::size_t>(shapes[p][i + 1] - '0');
        if ((turn & 1) != 0) row = 4 - row;
        if ((turn & 2) != 0) column = 4 - column;
        if ((turn & 4) != 0) std::swap(row, column);
        row += shift % (rows_ + 4) - 4;  // beside the board it is too large, also before 0
        column += shift / (rows_ + 4) - 4;
        if (row < rows_ && column < columns_) where |= squares{1} << (column * rows_ + row);
      }
      if (std::popcount(where) != 5) continue;
      auto& ways = ways_[static_cast<std::size_t>(std::countr_zero(where))];
      if (std::ranges::find(ways, std::pair(p, where)) == ways.end()) ways.emplace_back(p, where);
    }
  }

  std::size_t rows_, columns_;
  std::array<std::vector<std::pair<std::size_t, squares>>, all_squares> ways_;
};

struct power_cut : std::exception {};

// The same on every rank. Rank 0 writes a snapshot, and then stops all ranks.
tilings count_in_two_runs(leat::cluster& on, const board& b, leat::snapshots keep) {
  const auto expand = [&b](const position& now, auto&& emit) {
    if (std::popcount(now.filled) == 5 * pieces_by_tasks) return b.count(now);
    b.for_each_next(now, emit);
    return tilings();
  };
  const auto cut = [](const leat::rank_counters& so_far) {
    if (so_far[leat::rank_event::snapshots] != 0) throw power_cut();
  };
  if (on.rank() == 0) on.show_progress(500, cut);
  try {
    return on.run(std::vector<position>(1), tilings(), expand, both, keep);
  } catch (const power_cut&) {
  } catch (const leat::rank_failed&) {  // on the other ranks
  }
  if (on.rank() == 0) std::puts("The first run was stopped. The second goes on from its snapshot.");
  on.show_progress(0, {});
  keep = {.file = keep.file, .resume = true, .name = keep.name};  // and no more snapshots
  return on.run(std::vector<position>(1), tilings(), expand, both, keep);
}

struct temporary_file {
  std::string name;
  ~temporary_file() { std::remove(name.c_str()); }
};

unsigned number_in(std::string_view text, const char* name, unsigned least, unsigned most) {
  unsigned n = 0;
  const auto [last, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error == std::errc() && last == text.data() + text.size() && n >= least && n <= most) return n;
  std::fprintf(stderr, "puzzle_ranks: %s must be from %u to %u, not \"%s\"\n", name, least, most, text.data());
  std::exit(2);
}

double seconds_of(const std::function<void()>& f) {
  const auto begun = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc > 4) return std::fprintf(stderr, "puzzle_ranks: \"%s\" is one argument too many\n", argv[4]), 2;
  const unsigned rows = argc > 1 ? number_in(argv[1], "ROWS", 3, 6) : 4;
  const auto usual = static_cast<unsigned>(*leat::options().resolved().workers);
  const unsigned workers = argc > 2 ? number_in(argv[2], "WORKERS", 1, leat::workers_max) : usual;
  const std::uint64_t milliseconds = argc > 3 ? number_in(argv[3], "MILLISECONDS", 1, 1'000'000) : 10;
  leat::cluster on(
#if defined(HAS_CLUSTER_MPI)
      leat::mpi_transport(&argc, &argv),
#endif
      {.workers = workers});
  const board b(rows);
  tilings alone, found;
  const double serial = seconds_of([&] { alone = b.count({}); });

  // Rank 0 alone writes the file, but all ranks get the same options.
  const auto drawn = on.reduce(on.rank() == 0 ? std::uint64_t{std::random_device()()} : 0, std::plus<>());
  const temporary_file file{std::filesystem::temp_directory_path() / ("puzzle_ranks_" + std::to_string(drawn))};
  const leat::snapshots keep{file.name, 1000 * milliseconds, false, "pentominoes, rows: " + std::to_string(rows)};
  const double parallel = seconds_of([&] { found = count_in_two_runs(on, b, keep); });
  const auto tasks = on.reduce(on.counters()[leat::rank_event::tasks], std::plus<>());
  if (on.rank() == 0) {
    b.draw(found);
    std::printf("%" PRIu64 " ways, by %" PRIu64 " tasks; %u ranks of %u workers\n", found.number, tasks, on.ranks(),
                workers);
    std::printf("serial s  parallel s  ratio\n%8.3f %11.3f %6.2f\n", serial, parallel, serial / parallel);
  }
  if (found != alone) std::fprintf(stderr, "puzzle_ranks: the serial program finds another number\n");
  return found == alone ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "puzzle_ranks: %s\n", e.what());
  return 1;
}
