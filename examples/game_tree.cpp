// Can the player to move at Connect Four force four in a row? Each move of a position is a task of a group. When one move decides the
// position, the group is cancelled, with all groups inside it: the results of the other moves are not wanted any more.
//
// game_tree [MOVES [DEPTH]]: the position after MOVES, columns from 1 to 7 such as 44353, and the number of moves to search

#include <leat/leat.hpp>

#include <array>
#include <atomic>
#include <bit>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

namespace {

constexpr int columns = 7, rows = 6;
constexpr int none = -1, stopped = -2;  // in place of a column

// A bit for each field: seven in each column, from the bottom. The seventh stays empty, so that no row goes on in the next column.
struct position {
  std::uint64_t mover = 0, taken = 0;  // the stones of the player to move, and those of both

  static std::uint64_t field(int column, int row) { return std::uint64_t{1} << (column * (rows + 1) + row); }
  bool can_play(int column) const { return (taken & field(column, rows - 1)) == 0; }
  position played(int column) const { return {taken ^ mover, taken | (taken + field(column, 0))}; }
  int moves() const { return std::popcount(taken); }
  bool has_four() const {  // the player that moved last
    const std::uint64_t stones = taken ^ mover;
    for (const int step : {1, rows, rows + 1, rows + 2}) {
      const std::uint64_t pairs = stones & (stones >> step);
      if ((pairs & (pairs >> (2 * step))) != 0) return true;
    }
    return false;
  }
};

// The moves of a position. A move that makes four in a row decides for the player to move, and so does the last move of the search for
// the defender, as the attacker has not won by then.
struct choice {
  int at_once = none;  // a move that decides
  std::size_t count = 0;  // if there is none: the moves that must be searched, the most promising first
  std::array<int, columns> open{};
};

choice choices(const position& p, int left, bool attacks) {
  choice c;
  for (const int column : {3, 2, 4, 1, 5, 0, 6}) {
    if (!p.can_play(column)) continue;
    const bool last = left == 1 || p.moves() + 1 == columns * rows;
    if (p.played(column).has_four() || (last && !attacks)) return {column};
    if (!last) c.open[c.count++] = column;
  }
  return c;
}

// A move that decides for the player to move; or none, if the other player wins (the attacker) or holds out (the defender) whatever the
// move; or `stopped`, if the search was cancelled. An empty token never says that it was.
int search_serially(const position& p, int left, bool attacks, leat::stop_token stop, long& seen) {
  ++seen;
  if (stop.stop_requested()) return stopped;
  const choice c = choices(p, left, attacks);
  if (c.at_once != none) return c.at_once;
  for (std::size_t i = 0; i != c.count; ++i) {
    const int column = c.open[i];
    const int answer = search_serially(p.played(column), left - 1, !attacks, stop, seen);
    if (answer == none) return column;
    if (answer == stopped) return stopped;
  }
  return none;
}

int search(const position& p, int left, bool attacks, leat::stop_token stop, std::atomic<long>& seen) {
  constexpr int serial_moves = 4;  // with a group for each position below, too, one worker takes half as long again
  if (left <= serial_moves) {
    long here = 0;
    const int answer = search_serially(p, left, attacks, stop, here);
    seen += here;
    return answer;
  }
  ++seen;
  const choice c = choices(p, left, attacks);
  if (c.at_once != none || c.count == 0) return c.at_once;

  // The first move is searched before the others begin: often it decides, and then their searches would be in vain.
  const int first = search(p.played(c.open.front()), left - 1, !attacks, stop, seen);
  if (first != none && first != stopped) {
    std::atomic<int> decided{none};
    leat::task_group group;
    for (std::size_t i = c.count - 1; i != 0; --i) {  // backwards, as the worker itself begins with the newest task
      const int column = c.open[i];
      group.spawn([&, column] {
        if (search(p.played(column), left - 1, !attacks, group.token(), seen) != none) return;
        decided = column;
        group.cancel();
      });
    }
    group.wait();
    if (decided != none) return decided;
  }
  if (first == none) return c.open.front();
  return stop.stop_requested() ? stopped : none;
}

void draw(const position& p, int column) {
  const bool first_moves = p.moves() % 2 == 0;
  for (int row = rows - 1; row >= 0; --row) {
    for (int c = 0; c != columns; ++c) {
      const std::uint64_t field = position::field(c, row);
      const bool found = c == column && ((p.played(c).taken ^ p.taken) & field) != 0;
      const bool first = ((p.mover & field) != 0) == first_moves;
      std::printf(" %c", found ? '*' : (p.taken & field) == 0 ? '.' : first ? 'X' : 'O');
    }
    std::printf("\n");
  }
  std::printf(" 1 2 3 4 5 6 7\n");
}

position after(const std::string& moves) {
  position p;
  for (const char c : moves) {
    const int column = c - '1';
    if (column < 0 || column >= columns || !p.can_play(column) || p.has_four())
      throw std::invalid_argument("MOVES '" + moves + "': move " + std::to_string(p.moves() + 1) + " cannot be '" + c +
                                  "'");
    p = p.played(column);
  }
  if (p.has_four() || p.moves() == columns * rows)
    throw std::invalid_argument("MOVES '" + moves + "': the game is over");
  return p;
}

int number(const std::string& name, const char* text, int least, int most) {
  int value = 0;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), value);
  if (error == std::errc() && *end == '\0' && value >= least && value <= most) return value;
  throw std::invalid_argument(name + " '" + text + "' is not a number from " + std::to_string(least) + " to " +
                              std::to_string(most));
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Whether the move wins as the search says, whatever the other player does.
bool wins(const position& p, int column, int depth) {
  long seen = 0;
  const position next = p.played(column);
  return next.has_four() || search_serially(next, depth - 1, false, {}, seen) == none;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc > 3) throw std::invalid_argument(std::string("one argument too many: '") + argv[3] + "'");
  const position p = after(argc > 1 ? argv[1] : "44111444");
  const int depth = argc > 2 ? number("DEPTH", argv[2], 1, columns * rows) : 16;

  leat::runtime rt;
  long seen_serially = 0;
  std::atomic<long> seen{0};
  const double begin = now();
  const int one = search_serially(p, depth, true, {}, seen_serially);
  const double middle = now();
  const int move = rt.run([&] { return search(p, depth, true, {}, seen); });
  const double serial = middle - begin, parallel = now() - middle;

  draw(p, move);
  const char player = p.moves() % 2 == 0 ? 'X' : 'O';
  if (move == none) std::printf("%c cannot force a win within %d moves", player, depth);
  else std::printf("%c plays column %d and wins within %d moves, counted for both", player, move + 1, depth);
  const bool right = (move == none) == (one == none) && (move == none || wins(p, move, depth));
  std::printf("; the serial search says %s\n", right ? "so, too" : "OTHERWISE");
  std::printf(
      "workers  serial s  parallel s  ratio  positions serial    parallel\n%7u  %8.3f  %10.3f  %5.2f  %16ld %11ld\n",
      rt.workers(), serial, parallel, serial / parallel, seen_serially, seen.load());
  return right ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "game_tree [MOVES [DEPTH]]: %s\n", e.what());
  return 2;
}
