// One thread's part of a recording: operations, as bytes (docs/internals/spans.md has the format).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "leat/handshake/spin_lock.hpp"
#include "leat/platform/order.hpp"
#include "leat/strands/list.hpp"
#include "leat/strands/record_file.hpp"
#include "leat/strands/site.hpp"

namespace leat::inline LEAT_ABI::strands {

enum class op : std::uint8_t {
  strand = 0,
  fork = 1,
  branch = 2,
  join = 3,
  elsewhere = 4,
  segment = 5,
  end = 6,
  spawn = 7,
  wait = 8,
  barrier = 9,
  loop = 10,
  block = 11,
  open_block = 12,
  loop_end = 13,
  future = 14,
  await = 15,
  blocking = 16,
  run = 17,
  run_end = 18,
  outside = 19,
  site = 21,
};

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
  /// Names the call site first, if it is new here. Null: none is known, and 0 stands for it.
  template <class... Numbers>
  void put_at(const site<P>* at, op what, Numbers... n) {
    while_open([&] { settle(), define(at), write(what, at == nullptr ? 0 : at->number, n...); });
  }

  /// A loop begins. Its site comes second.
  void put_loop(const site<P>* at, std::uint64_t loop, std::uint64_t size) {
    while_open([&] { settle(), define(at), write(op::loop, loop, at == nullptr ? 0 : at->number, size); });
  }

  /// A block of a loop. It is written when it ends, or before its first operation.
  void block_begins(std::uint64_t loop, std::uint64_t first, std::uint64_t count) {
    while_open([&] {
      if (!held_ || held_block_.loop != loop || held_block_.first + held_block_.count != first || has_run()) settle();
      block_ = {loop, first, count, 0};
      in_block_ = true;
    });
  }
  void block_ends() {
    while_open([this] { end_block(); });
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

 private:
  struct block_of_loop {
    std::uint64_t loop, first, count, ns;
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

  void end_block() {
    if (!in_block_) {
      settle();
      return write(op::end);
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
      write(op::open_block, block_.loop, block_.first, block_.count);
    }
    if (has_run()) write(op::strand, take_ns());
  }
  void write_held() {
    if (!held_) return;
    held_ = false;
    write(op::block, held_block_.loop, held_block_.first, held_block_.count, held_block_.ns);
  }

  template <class... Numbers>
  void write(op what, Numbers... n) {
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
    std::string name = at == nullptr ? "unknown" : std::string(at->file) + ':' + std::to_string(at->line);
    if (name.size() > capacity / 2) name.resize(capacity / 2);
    if (size_ > capacity - operation_max - name.size()) write_out();
    write(op::site, n, name.size());
    std::memcpy(bytes_ + size_, name.data(), name.size());
    size_ += name.size();
  }

  void write_out() {
    const std::size_t many = size_ - head;
    if (many == 0) return;
    for (std::size_t i = 0; i != 4; ++i) bytes_[4 + i] = static_cast<std::uint8_t>(many >> 8 * i);
    write_chunk(bytes_, size_);
    size_ = head;
  }

  static inline constinit typename P::template atomic<std::uint64_t> ids_{0};

  handshake::spin_lock<P> lock_;  // of all below but the numbers of tasks, which are the owner's
  bool closed_ = false;
  std::uint8_t* const bytes_;  // never freed, like the thread's account
  std::size_t size_ = head;
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
  static void close() {
    for (stream<P>* s = all_.first(); s != nullptr; s = s->next) s->close();
  }

 private:
  static inline constinit list<P, stream<P>> all_{};
  static inline constinit typename P::template atomic<std::uint32_t> many_{0};
};

}  // namespace leat::inline LEAT_ABI::strands
