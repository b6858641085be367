#include "table.hpp"

#include <array>
#include <cstdio>

#include "alarm.hpp"

namespace soak {

namespace {

/// A number with a space before every three digits.
std::string grouped(std::uint64_t n) {
  std::string digits = std::to_string(n);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, " ");
  return digits;
}

std::string fixed(double value, int digits) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

std::string row(std::string_view name, const std::string& value) {
  return "| " + std::string(name) + " | " + value + " |\n";
}

std::string mebibytes(std::uint64_t bytes) { return fixed(static_cast<double>(bytes) / (1 << 20), 1) + " MiB"; }

std::string kinds_of(const ledger& book) {
  std::string page = "| kind | operations | of them |\n| --- | --- | --- |\n";
  for (std::size_t k = 0; k < kind_count; ++k) {
    const entry e = book[static_cast<kind>(k)];
    if (e.ended == 0) continue;
    page += "| " + std::string(kind_names[k]) + " | " + grouped(e.ended) + " | " + grouped(e.parts) + ' ' +
            std::string(part_names[k]) + " |\n";
  }
  return page;
}

}  // namespace

std::uint64_t deque_operations(const ledger& book) {
  const std::uint64_t forks = book[kind::fork].parts + book[kind::context].parts + book[kind::row].parts;
  return 2 * (forks + book.events()[leat::event::tasks]);
}

std::string table_of(const sitting& s, const std::string& what) {
  const ledger& book = s.book();
  const sitting_options& o = s.options();
  const leat::counters events = book.events();
  const double seconds = s.seconds();
  const std::uint64_t operations = deque_operations(book);
  const auto growth = [&](std::uint64_t resources::* of) {
    const auto grown = s.held().growth(of, warm_seconds(seconds), warm_spells);
    return grown ? fixed(100 * *grown, 2) + " %" : "not told: too few spells";
  };
  std::string page =
      "## " + what + ", " + std::to_string(o.workers) + " workers, seed " + std::to_string(o.seed) + "\n\n";
  page += "| of the sitting | |\n| --- | --- |\n";
  page += row("time", fixed(seconds, 0) + " s");
  page += row("spells", grouped(s.spells()));
  page += row("operations", grouped(book.ended()));
  page += row("deque operations: tasks and forks put and taken", grouped(operations));
  page += row("a second", fixed(static_cast<double>(operations) / seconds / 1e6, 1) + " million");
  page += row("of them, of tasks", grouped(2 * events[leat::event::tasks]));
  page += row("runtimes of the spells", grouped(s.runtimes()));
  page += row("signals of foreign timers", grouped(alarm_clock::rung() + alarm_clock::rung_urgently()));
  page += row("resident memory before, at most, after", mebibytes(s.before().memory_bytes) + ", " +
                                                            mebibytes(s.held().memory_max()) + ", " +
                                                            mebibytes(s.held().last().memory_bytes));
  page += row("growth of resident memory after the warming up", growth(&resources::memory_bytes));
  page += row("growth of allocated memory after the warming up", growth(&resources::allocated_bytes));
  const auto course = [&](std::uint64_t resources::* of) {
    std::string all;
    for (const double bytes : s.held().course(of)) {
      all += (all.empty() ? "" : ", ") + grouped(static_cast<std::uint64_t>(bytes));
    }
    return all;
  };
  page += row("bytes allocated in each tenth of the spells", course(&resources::allocated_bytes));
  page += row("bytes resident in each tenth of the spells", course(&resources::memory_bytes));
  page += row("bytes allocated before and after",
              grouped(s.before().allocated_bytes) + ", " + grouped(s.held().last().allocated_bytes));
  page += row("threads before and after",
              std::to_string(s.before().threads) + ", " + std::to_string(s.held().last().threads));
  page += row("descriptors before and after",
              std::to_string(s.before().descriptors) + ", " + std::to_string(s.held().last().descriptors));
  page += '\n' + kinds_of(book) + "\n| event | |\n| --- | --- |\n";
  events.for_each([&](std::string_view name, std::uint64_t n) {
    if (n != 0) page += row(name, grouped(n));
  });
  return page;
}

}  // namespace soak
