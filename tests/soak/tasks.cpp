// Plain tasks and task groups, awaited and cancelled.
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "operations.hpp"

namespace soak {

namespace {

/// One byte for each task, which that task alone writes: each is to be executed once.
class marks {
 public:
  explicit marks(std::uint64_t n) : bytes_(n) {}

  unsigned char* at(std::uint64_t i) { return &bytes_[i]; }
  std::uint64_t size() const { return bytes_.size(); }

  void check(std::string_view what) const {
    for (const unsigned char times : bytes_) expect(times, 1, what);
  }

 private:
  std::vector<unsigned char> bytes_;
};

/// Counts how many copies of it there are: those of a callable that was executed or skipped must all be gone.
class counted {
 public:
  explicit counted(std::atomic<std::int64_t>& alive) : alive_(&alive) { alive_->fetch_add(1); }
  counted(const counted& o) : counted(*o.alive_) {}
  counted& operator=(const counted&) = delete;
  ~counted() { alive_->fetch_sub(1); }

 private:
  std::atomic<std::int64_t>* alive_;
};

/// Each task executes two more until there are n of them in all: number i those with 2i and 2i + 1.
template <class Spawn>
void spawn_tree(marks& done, std::uint64_t i, const Spawn& spawn) {
  if (i >= done.size()) return;
  spawn([&done, i, &spawn] {
    ++*done.at(i);
    spawn_tree(done, 2 * i, spawn);
    spawn_tree(done, 2 * i + 1, spawn);
  });
}

template <class Spawn>
std::uint64_t spawn_some(scene& s, marks& done, const Spawn& spawn) {
  if (s.numbers.once_in(3)) {
    ++*done.at(0);
    spawn_tree(done, 1, spawn);
    return done.size() - 1;
  }
  const bool large = s.numbers.once_in(2);  // so often that workers soon keep as many blocks as they ever will
  for (std::uint64_t i = 0; i < done.size(); ++i) {
    unsigned char* const mine = done.at(i);
    if (large)
      spawn([mine, own = std::string(100, 'x')] { *mine = static_cast<unsigned char>(*mine + own.size() / 100); });
    else spawn([mine] { ++*mine; });
  }
  return done.size();
}

}  // namespace

void spawns(scene& s) {
  marks done(s.size(20'000));
  const auto spawn = [](auto f) { leat::spawn(f); };
  const std::uint64_t n = spawn_some(s, done, spawn);
  const scene beside = s.inner();
  leat::spawn([&] { perform_inside(beside); });
  leat::barrier();
  done.check("a task before a barrier");
  s.book.parts(kind::spawn, n + 1);
}

void loose_tasks(scene& s) {
  for (std::uint64_t n = s.size(20); n > 0; --n) {
    s.book.begin(kind::loose);
    leat::spawn([book = &s.book] {
      book->parts(kind::loose, 1);
      book->end(kind::loose);
    });
  }
}

void groups(scene& s) {
  marks done(s.size(20'000));
  leat::task_group group;
  const auto spawn = [&group](auto f) { group.spawn(f); };
  std::uint64_t n = spawn_some(s, done, spawn);
  if (s.numbers.once_in(4)) {
    const scene beside = s.inner();
    group.spawn([beside] { perform_inside(beside); });
    ++n;
  }
  // Any task on top of this one, but only where few waits can lie on top of each other.
  group.wait(s.level == 0 && s.numbers.once_in(3) ? leat::wait::any : leat::wait::own);
  done.check("a task of a group");
  s.book.parts(kind::group, n);
}

void cancellations(scene& s) {
  const std::uint64_t n = s.size(2'000);
  const std::uint64_t last = s.numbers.below(n);
  std::atomic<std::int64_t> alive{0};
  std::atomic<std::uint64_t> ran{0};
  leat::task_group group;
  for (std::uint64_t i = 0; i < n; ++i) {
    group.spawn([&group, &ran, i, last, mine = counted(alive)] {
      ran.fetch_add(1, std::memory_order_relaxed);
      if (i == last) group.cancel();
      if (i % 16 != 0) return;
      leat::task_group inside;
      for (int k = 0; k < 4; ++k) inside.spawn([&ran] { ran.fetch_add(1, std::memory_order_relaxed); });
      leat::parallel_for(0, 1'000, [](int) {}, {.stop = inside.token()});
      inside.wait();
    });
  }
  if (s.numbers.once_in(3)) group.cancel();
  group.wait();
  expect(static_cast<std::uint64_t>(alive.load()), 0, "callables that a cancelled group has kept");
  if (ran.load() > 5 * n) fail("a cancelled group has executed more tasks than it had");
  if (group.cancelled()) fail("a group is still cancelled after its wait");

  marks done(20);
  for (std::uint64_t i = 0; i < done.size(); ++i) group.spawn([mine = done.at(i)] { ++*mine; });
  group.wait();
  done.check("a task of a group that was cancelled before");
  s.book.parts(kind::cancel, n + done.size());
}

}  // namespace soak
