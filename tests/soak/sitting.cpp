#include "sitting.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "leat/memory/block_cache.hpp"

namespace soak {

namespace {

constexpr std::uint64_t clients_max = 4;
constexpr std::uint64_t visiting_workers_max = 4;
constexpr std::uint64_t lasting_spares = 4;

/// Deques of the lasting runtime have room for three times as many tasks as an operation spawns, so that they do not grow late in a
/// sitting: one step would be more than memory may grow by. Those of visiting runtimes grow.
constexpr std::uint64_t lasting_capacity = sanitized ? 8'192 : 65'536;

/// Operations that each client of a spell begins.
constexpr std::uint64_t begun_max = sanitized ? 40 : 200;

/// So many spells are needed before memory is judged: as many again as the warming up has at least.
constexpr std::uint64_t judged_spells_min = 2 * warm_spells;

/// A thread that was joined may be in /proc a moment longer, and a sanitizer's own thread may read a file: so often, a millisecond
/// apart, the numbers are read again.
constexpr int looks_max = 10'000;

/// Of the stack of each worker of the lasting runtime so much is resident from the beginning, in bytes. A stack stays as deep as it
/// has ever been, and one draw in thousands is deeper than all before: that is no growth, but would be taken for some.
constexpr std::size_t stack_bytes = std::size_t{4} << 20;

/// How long a task of make_resident waits for the others, in milliseconds: a spare that the system refuses never comes.
constexpr int resident_waits_max = 10'000;

/// Writes to each page of the calling thread's stack, down to `stack_bytes` beneath the caller.
[[gnu::noinline]] void deepen_stack() {
  constexpr std::size_t page = 4096;
  [[maybe_unused]] volatile char beneath[stack_bytes];
  for (std::size_t at = stack_bytes; at >= page; at -= page) beneath[at - page] = 0;
}

/// Spawns as many tasks as a worker keeps blocks of `bytes`, each with such a block.
template <std::size_t bytes>
void spawn_kept(leat::task_group& tasks) {
  constexpr std::uint64_t kept = leat::memory::block_sizes::kept_bytes_max / bytes;
  for (std::uint64_t n = 0; n < kept; ++n)
    tasks.spawn([large = std::array<char, bytes>{}] { static_cast<void>(large); });
}

/// Makes resident what each worker of `lasting` will need sooner or later, compensating workers included: its stack, its deque, and
/// the blocks that it keeps. A task of each worker waits for the others, so none executes two; the first ones block meanwhile, and so
/// have their places taken.
void make_resident(leat::runtime& lasting) {
  const std::uint64_t all = lasting.workers() + lasting_spares;
  const std::uint64_t fits = lasting_capacity - 2 * all;  // beside the tasks that do this for other workers
  std::atomic<std::uint64_t> begun{0};
  const auto wait_for_all = [&](auto meanwhile) {
    for (int waits = 0; begun.load() != all && waits < resident_waits_max; ++waits) {
      meanwhile();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  };
  lasting.run([&] {
    leat::task_group workers;
    for (std::uint64_t w = 0; w < all; ++w) {
      workers.spawn([&] {
        deepen_stack();
        leat::task_group tasks;
        for (std::uint64_t n = 0; n < fits; ++n) tasks.spawn([] {});
        tasks.wait();
        if (!sanitized) {  // with a sanitizer the tasks would not fit the deque
          spawn_kept<leat::memory::block_sizes::bytes[0]>(tasks);
          spawn_kept<leat::memory::block_sizes::bytes[1]>(tasks);
          spawn_kept<leat::memory::block_sizes::bytes[2]>(tasks);
          tasks.wait();
        }
        if (begun.fetch_add(1) < lasting_spares) leat::blocking([&] { wait_for_all([] {}); });
        else wait_for_all([] { leat::poll(); });
      });
    }
    workers.wait();
  });
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Begins an operation of kind k where it belongs, or several in one run.
void begin(kind k, scene& s) {
  switch (place_of(k)) {
    case place::outside: return perform(k, s);
    case place::root: return s.home.run([&] { perform(k, s); });
    case place::task: break;
  }
  s.home.run([&] {
    perform(k, s);
    if (!s.numbers.once_in(4)) return;
    leat::task_group group;
    for (std::uint64_t n = s.numbers.between(1, 8); n > 0; --n) group.spawn([one = s.inner()] { perform_inside(one); });
    group.wait();
  });
}

kind drawn_kind(const mix& kinds, draws& numbers) {
  const std::uint64_t where = numbers.below(20);
  return kinds.draw(numbers, where == 0 ? place::outside : where < 5 ? place::root : place::task);
}

}  // namespace

sitting::sitting(sitting_options o) : options_(std::move(o)), begun_(now()) {}

double sitting::elapsed() const { return now() - begun_; }

void sitting::spell(std::uint64_t number, leat::runtime& lasting) {
  draws numbers = draws(options_.seed ^ draws(number).next()).split();
  leat::runtime visiting(drawn_options(numbers, visiting_workers_max));
  std::vector<std::thread> clients;
  const std::uint64_t count = numbers.between(1, clients_max);
  for (std::uint64_t c = 0; c < count; ++c) {
    const bool stays = c % 2 == 0;
    scene all{numbers.split(), book_, options_.kinds, stays ? lasting : visiting, stays ? &lasting : &visiting,
              visiting};
    clients.emplace_back([this, all, first = number == options_.first_spell && c == 0]() mutable {
      for (std::size_t k = 0; first && k < kind_count; ++k) {
        scene s = all.inner();
        s.level = 0;
        if (options_.kinds.has(static_cast<kind>(k))) begin(static_cast<kind>(k), s);
      }
      for (std::uint64_t n = all.numbers.between(1, begun_max); n > 0 && elapsed() < options_.seconds; --n) {
        scene s = all.inner();
        s.level = 0;
        begin(drawn_kind(options_.kinds, s.numbers), s);
      }
    });
  }
  for (auto& c : clients) c.join();
  book_.add(visiting.counters());
  ++runtimes_;
}

void sitting::check_held(std::uint64_t threads_max) {
  if (const std::string left = book_.imbalance(); !left.empty()) fail(left);
  resources r = measured(elapsed());
  for (int looks = 0; (r.threads > threads_max || r.descriptors != before_.descriptors) && looks < looks_max; ++looks) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    r = measured(elapsed());
  }
  if (r.threads > threads_max) expect(r.threads, threads_max, "threads between two spells");
  expect(r.descriptors, before_.descriptors, "descriptors between two spells");
  held_.add(r);
}

void sitting::judge() const {
  const std::uint64_t left = held_.last().allocated_bytes;
  if (left > before_.allocated_bytes + left_bytes_max) {
    fail(std::to_string(left) + " bytes are allocated when all has ended, and " +
         std::to_string(before_.allocated_bytes) + " were before the beginning");
  }
  for (std::size_t k = 0; k < kind_count; ++k) {
    if (options_.kinds.has(static_cast<kind>(k)) && book_[static_cast<kind>(k)].ended == 0) {
      fail(std::string("no operation was of the kind ") + std::string(kind_names[k]));
    }
  }
  if (seconds_ < judged_seconds_min || spells() < judged_spells_min) return;
  // What a sanitizer notes beside the program's memory is resident, too, and grows by its own rules.
  for (const auto of : {&resources::allocated_bytes, &resources::memory_bytes}) {
    if (sanitized && of == &resources::memory_bytes) continue;
    const double grown = held_.growth(of, warm_seconds(seconds_), warm_spells).value_or(0);
    if (grown <= growth_max) continue;
    fail(std::string(of == &resources::memory_bytes ? "resident" : "allocated") + " memory has grown by " +
         std::to_string(100 * grown) + " % since the warming up");
  }
}

void sitting::sit() {
  const std::string again =
      "leat_soak --workers " + std::to_string(options_.workers) + " --seed " + std::to_string(options_.seed);
  set_place("at the beginning of " + again);
  leat::options o;
  o.workers = options_.workers;
  o.spares = lasting_spares;
  o.deque_capacity = lasting_capacity;
  // What the process keeps once it has had a runtime is no growth.
  leat::runtime(o).run([] {});
  before_ = measured(0);
  {
    leat::runtime lasting(o);
    make_resident(lasting);
    for (std::uint64_t n = options_.first_spell; elapsed() < options_.seconds || spells() == 0; ++n) {
      set_place(again + " --first-spell " + std::to_string(n) + " begins here");
      spell(n, lasting);
      check_held(before_.threads + options_.workers + lasting_spares);
      spells_.fetch_add(1, std::memory_order_relaxed);
    }
    book_.add(lasting.counters());
    ++runtimes_;
  }
  check_held(before_.threads);
  seconds_ = elapsed();
}

}  // namespace soak
