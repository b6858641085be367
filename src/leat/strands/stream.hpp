// One thread's part of a recording: operations, as bytes (docs/internals/spans.md has the format).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "leat/handshake/spin_lock.hpp"
#include "leat/platform/order.hpp"
#include "leat/strands/list.hpp"
#include "leat/strands/operation.hpp"
#include "leat/strands/record_file.hpp"
#include "leat/strands/recorded_size.hpp"
#include "leat/strands/site.hpp"
#include "leat/strands/task_depths.hpp"

namespace leat::inline LEAT_ABI::strands {

/// Only its owner adds to it. At the end of the recording, another thread calls close().
template <class P>
class stream {
 public:
  explicit stream(std::uint32_t number) : bytes_(new std::uint8_t[capacity]) {
    for (std::size_t i = 0; i != 4; ++i) bytes_[i] = static_cast<std::uint8_t>(number >> 8 * i);
  }
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;

  /// A number that no other task, fork, loop or group has, from 1 on.
  std::uint64_t new_id() noexcept {
    if (id_ == ids_end_) {
      id_ = ids_.fetch_add(ids_at_once, platform::relaxed) + 1;  // relaxed: only the numbers count
      ids_end_ = id_ + ids_at_once;
    }
    return id_++;
  }

  /// Code of the program ran. relaxed, all uses: a thread that is in no strand has nothing to add while another one closes the
  /// stream; of others, the last strand may be missing.
  void ran(std::uint64_t ns) noexcept { ns_.store(ns_.load(platform::relaxed) + ns, platform::relaxed); }

  template <class... Numbers>
  void put(op what, Numbers... n) {
    while_open([&] { settle(), write(what, n...); });
  }
  /// A task of which only sums are known.
  void put_sums(std::uint64_t number, std::uint64_t work, std::uint64_t span, std::uint64_t strands,
                std::uint64_t forks) {
    while_open(
        [&] { settle(), write(op::segment, number), write(op::sums, work, span, strands, forks), write(op::end); });
  }
  /// Names the call site first, if it is new here. Null: none is known, and 0 stands for it.
  template <class... Numbers>
  void put_at(const site<P>* at, op what, Numbers... n) {
    while_open([&] { settle(), define(at), write(what, at == nullptr ? 0 : at->number, n...); });
  }

  /// A fork begins. Returns where.
  recorded_subtree put_fork(const site<P>* at, std::uint64_t fork) {
    return begin_subtree(at, [&](std::uint64_t site) { write(op::fork, site, fork); });
  }
  /// A loop begins. Its site comes second.
  recorded_subtree put_loop(const site<P>* at, std::uint64_t loop, std::uint64_t size) {
    return begin_subtree(at, [&](std::uint64_t site) { write(op::loop, loop, site, size); });
  }
  /// The fork or loop from `from` on ends, whose longest chain took `span`. Writes its last operation, or has its sums take the place
  /// of all of it (SPAN-10).
  template <class... Numbers>
  void end_subtree(const recorded_subtree& from, std::uint64_t span, op what, Numbers... n) {
    while_open([&] {
      settle();
      if (!keep_sums(from, span)) write(what, n...);
    });
  }
  /// What has begun stays as it is: its end may come to another stream, or among operations of other tasks.
  void stay() {
    while_open([this] { settle(), fixed_ = position(); });
  }

  /// A block of a loop. It is written when it ends, or before its first operation. `is_own`: the loop is in this stream.
  void block_begins(std::uint64_t loop, std::uint64_t first, std::uint64_t count, bool is_own) {
    while_open([&] {
      if (!held_ || held_block_.loop != loop || held_block_.first + held_block_.count != first || has_run()) settle();
      block_ = {loop, first, count, 0, is_own};
      in_block_ = true;
    });
  }
  /// `span`: of its longest chain.
  void block_ends(bool is_own, std::uint64_t span) {
    while_open([&] { end_block(is_own, span); });
  }

  /// Writes what is left to the file. What comes later is dropped.
  void close() {
    while_open([this] {
      settle();
      write_out();
      closed_ = true;
    });
  }

  stream* next = nullptr;
  task_depths<P> depths;

 private:
  struct block_of_loop {
    std::uint64_t loop, first, count, ns;
    bool is_own;
  };
  // A block with operations, and its sums if they took the place of these.
  struct open_block {
    recorded_place begin;
    block_of_loop what;
    std::uint64_t fixed_before;
    std::uint64_t span;
    std::uint64_t end;  // its position. 0: it has not ended
  };
  struct opened {
    open_block now;
    open_block before;  // those on which it follows, if it does
  };
  // The last sums, and the strand behind them, if there is one.
  struct last_sums {
    recorded_place begin;
    std::uint64_t span = 0;
    std::uint64_t end = 0;  // where both end. 0: there are none
    std::uint64_t ns_before = 0;  // the stream's, at the end of the sums
  };

  static constexpr std::size_t capacity = 1 << 16;
  static constexpr std::size_t operation_max = 64;  // an op, and six numbers at most
  static constexpr std::size_t head = 8;
  static constexpr std::uint64_t ids_at_once = 4096;
  static constexpr std::uint64_t merged_ns_max =
      10'000;  // blocks of a loop that are written as one take so long together

  template <class F>
  void while_open(F f) {
    const handshake::holding<P> mine(lock_);
    if (!closed_) f();
  }

  bool has_run() const noexcept { return ns_.load(platform::relaxed) != 0; }
  std::uint64_t take_ns() noexcept {
    const std::uint64_t ns = ns_.load(platform::relaxed);
    ns_.store(0, platform::relaxed);
    return ns;
  }

  void end_block(bool is_own, std::uint64_t span) {
    if (!in_block_) {
      settle();
      if (!keep_sums_of_block(span)) write_bytes(op::end);
      if (!is_own) fixed_ = position();
      return;
    }
    in_block_ = false;
    block_.ns = take_ns();
    if (held_ && held_block_.ns + block_.ns <= merged_ns_max) {
      held_block_.count += block_.count;
      held_block_.ns += block_.ns;
      return;
    }
    write_held();
    held_block_ = block_;
    held_ = true;
  }

  // Writes what is collected so far. Called before anything else is written.
  void settle() {
    write_held();
    if (in_block_) {
      in_block_ = false;
      begin_open_block();
      write_bytes(op::open_block, block_.loop, block_.first, block_.count);
    }
    if (has_run()) write_strand(take_ns());
  }
  void write_strand(std::uint64_t ns) {
    const bool after_sums = last_.end == position();
    write(op::strand, ns);
    count(ns);
    if (after_sums) last_.end = position();
  }
  void write_held() {
    if (!held_) return;
    held_ = false;
    write_bytes(op::block, held_block_.loop, held_block_.first, held_block_.count, held_block_.ns);
    if (!held_block_.is_own) fixed_ = position();
    count(held_block_.ns);
    ++so_far_.forks;
  }
  void count(std::uint64_t ns) noexcept {
    so_far_.ns += ns;
    ++so_far_.strands;
  }

  // -- subtrees of which only the sums are kept (SPAN-10)

  std::uint64_t position() const noexcept { return written_ + size_; }
  recorded_place here() const noexcept {
    recorded_place now = so_far_;
    now.position = position();
    now.weight = now.position + removed_;
    return now;
  }

  // Calls begin with the number of the site, after what comes before the subtree.
  template <class F>
  recorded_subtree begin_subtree(const site<P>* at, F begin) {
    recorded_subtree from;
    while_open([&] {
      settle(), define(at);
      from.begin = from.row = here();
      if (last_.end == position()) from.row = last_.begin, from.row_span = last_.span + from.begin.ns - last_.ns_before;
      begin(at == nullptr ? 0 : at->number);
      ++so_far_.forks;
    });
    return from;
  }

  // SPAN-11: with the sums before it.
  bool keep_sums(const recorded_subtree& from, std::uint64_t span) {
    const std::uint64_t grain = recorded_size<P>::grain();
    const recorded_place now = here();
    const auto is_small = [&](const recorded_place& begin) {
      return begin.position >= fixed_ && now.weight - begin.weight < grain;
    };
    if (!is_small(from.begin)) return false;
    if (is_small(from.row)) last_.begin = from.row, last_.span = from.row_span + span;
    else last_.begin = from.begin, last_.span = span;
    const std::uint64_t ns = now.ns - last_.begin.ns;
    last_.span = std::min(last_.span, ns);
    size_ -= now.position - last_.begin.position;
    write(op::sums, ns, last_.span, now.strands - last_.begin.strands, now.forks - last_.begin.forks);
    removed_ = now.weight - position();
    last_.end = position();
    last_.ns_before = now.ns;
    if (last_block_.end > last_.begin.position) last_block_.end = 0;
    return true;
  }

  void begin_open_block() {
    const open_block& o = last_block_;
    const bool follows = o.end == position() && o.what.loop == block_.loop &&
                         o.what.first + o.what.count == block_.first && o.fixed_before <= o.begin.position;
    open_.push_back({{here(), block_, 0, 0, 0}, follows ? o : open_block{}});
    ++so_far_.forks;
  }
  // The same for the block that began last. One that follows on such a block of its loop is put together with it: iterations
  // wait for none before them, so the span is the longer one.
  bool keep_sums_of_block(std::uint64_t span) {
    if (open_.empty()) return false;  // it began on another thread
    open_block b = open_.back().now;
    const open_block before = open_.back().before;
    open_.pop_back();
    const recorded_place now = here();
    const std::uint64_t grain = recorded_size<P>::grain();
    if (b.what.count == 0 || b.begin.position < fixed_ || now.weight - b.begin.weight >= grain) return false;
    b.span = span;
    b.fixed_before = fixed_;
    if (before.end != 0 && before.begin.position >= written_ + head && now.weight - before.begin.weight < grain) {
      b.begin = before.begin;
      b.what.first = before.what.first;
      b.what.count += before.what.count;
      b.span = std::max(span, before.span);
      b.fixed_before = before.fixed_before;
    }
    size_ -= now.position - b.begin.position;
    write_bytes(op::open_block, b.what.loop, b.what.first, b.what.count);
    const std::uint64_t ns = now.ns - b.begin.ns;
    write(op::sums, ns, std::min(b.span, ns), now.strands - b.begin.strands, now.forks - b.begin.forks);
    write_bytes(op::end);
    removed_ = now.weight - position();
    b.end = position();
    last_block_ = b;
    last_.end = 0;
    return true;
  }

  template <class... Numbers>
  void write(op what, Numbers... n) {
    write_bytes(what, n...);
    if (!is_inner(what)) fixed_ = position();
  }
  template <class... Numbers>
  void write_bytes(op what, Numbers... n) {
    if (size_ > capacity - operation_max) write_out();
    bytes_[size_++] = static_cast<std::uint8_t>(what);
    (number(n), ...);
  }
  void number(std::uint64_t n) noexcept {
    for (; n >= 0x80; n >>= 7) bytes_[size_++] = static_cast<std::uint8_t>(n | 0x80);
    bytes_[size_++] = static_cast<std::uint8_t>(n);
  }

  void define(const site<P>* at) {
    const std::uint32_t n = at == nullptr ? 0 : at->number;
    if (n >= defined_.size()) defined_.resize(n + 64, false);
    if (defined_[n]) return;
    defined_[n] = true;
    std::string name = at == nullptr ? "unknown" : at->file + ':' + std::to_string(at->line);
    if (name.size() > capacity / 2) name.resize(capacity / 2);
    if (size_ > capacity - operation_max - name.size()) write_out();
    write(op::site, n, name.size());
    std::memcpy(bytes_ + size_, name.data(), name.size());
    size_ += name.size();
    fixed_ = position();
  }

  void write_out() {
    const std::size_t many = size_ - head;
    if (many == 0) return;
    for (std::size_t i = 0; i != 4; ++i) bytes_[4 + i] = static_cast<std::uint8_t>(many >> 8 * i);
    write_chunk(bytes_, size_);
    recorded_size<P>::add(size_);
    written_ += many;
    size_ = head;
    fixed_ = position();
  }

  static inline constinit typename P::template atomic<std::uint64_t> ids_{0};

  handshake::spin_lock<P> lock_;  // of all below but ns_, and but id_ and ids_end_, which are the owner's
  bool closed_ = false;
  std::uint8_t* const bytes_;  // never freed, like the thread's account
  std::size_t size_ = head;
  std::uint64_t written_ = 0;  // bytes before those
  std::uint64_t removed_ = 0;  // bytes whose place sums have taken
  std::uint64_t fixed_ = 0;  // the position up to which all stays
  recorded_place so_far_;  // its position and weight are unused
  last_sums last_;
  open_block last_block_{};
  std::vector<opened> open_;
  typename P::template atomic<std::uint64_t> ns_{0};  // that the program ran since the last operation
  std::uint64_t id_ = 0, ids_end_ = 0;
  block_of_loop block_{}, held_block_{};
  bool in_block_ = false, held_ = false;
  std::vector<bool> defined_;
};

/// The streams of all threads.
template <class P>
class streams {
 public:
  static stream<P>& open() {
    auto* const made = new stream<P>(many_.fetch_add(1, platform::relaxed));  // relaxed: only the number counts
    all_.add(made);
    return *made;
  }
  /// From now on there are none.
  static void begin_anew() noexcept {
    all_.forget();
    many_.store(0, platform::relaxed);
  }
  static std::uint32_t many() noexcept { return many_.load(platform::relaxed); }
  template <class F>
  static void each(F f) {
    for (stream<P>* s = all_.first(); s != nullptr; s = s->next) f(*s);
  }
  static void close() {
    each([](stream<P>& s) { s.close(); });
  }

 private:
  static inline constinit list<P, stream<P>> all_{};
  static inline constinit typename P::template atomic<std::uint32_t> many_{0};
};

}  // namespace leat::inline LEAT_ABI::strands
