// Memory that workers use again: blocks of a few sizes, each with a home, the worker that allocated it.
//
// Rules, cited in the code:
//  BLOCK-1  A block is with its home's owner (in use, or in the owner's list), with others (in use, or in a batch on
//      its way home), on the home's stack of returned blocks, or back on the heap.
//  BLOCK-2  Any thread pushes on the stack of returned blocks, with a compare-and-swap; the owner takes it whole,
//      with an exchange. Why: a push says "beneath me is the present top", and if the top is the same block as before, in
//      whatever second life, that is true. So no tag is needed. The word is a plain address, which a search for leaks sees.
//  BLOCK-3  Nothing but read-modify-writes changes a stack's word, so the owner's acquire covers every push, not only
//      the last.
//  BLOCK-4  `balance_` is minus the number of blocks that went from other threads' hands to the heap; when the owner
//      leaves, it adds the number that is not with it. A block that finds the stack closed, or full, goes to the
//      heap. The thread that brings the balance to zero after the owner has gone frees the home. Why: blocks may
//      outlive their worker, and need their home.
//  BLOCK-5  Blocks are counted before they are pushed, and the owner takes the stack before its count. So the owner's count
//      is never less than what it has. It is more by what others have pushed since, or are about to push; the next take
//      brings these blocks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "leat/platform/order.hpp"

namespace leat::inline LEAT_ABI::memory {

/// The sizes of blocks; a larger one comes from the heap each time. All are whole cache lines, so that two workers
/// never share a line by their blocks.
struct block_sizes {
  static constexpr std::array<std::size_t, 3> bytes{platform::cache_line, 2 * platform::cache_line,
                                                    4 * platform::cache_line};
  static constexpr std::size_t count = bytes.size();

  /// Memory of one size that a worker keeps in its list, and again on its stack of returned blocks; more goes to the
  /// heap. Where others push while the owner takes, it may be twice that.
  static constexpr std::size_t kept_bytes_max = std::size_t{1} << 20;
  static constexpr std::size_t kept_max(std::size_t size) { return kept_bytes_max / bytes[size]; }

  /// The number of the smallest size that has room for a T; `count` if none has.
  template <class T>
  static constexpr std::size_t of() {
    std::size_t size = 0;
    if (alignof(T) > platform::cache_line) return count;
    while (size < count && bytes[size] < sizeof(T)) ++size;
    return size;
  }
};

template <class P>
class block_cache;

/// Where the blocks of one worker come back to. Lives until the worker and the last of its blocks have gone (BLOCK-4).
template <class P>
class block_home {
 public:
  /// \param owner  what the worker belongs to; only its address is used
  explicit block_home(const void* owner) noexcept : owner_(owner), process_(P::process_id()) {}
  block_home(const block_home&) = delete;
  block_home& operator=(const block_home&) = delete;

  /// Null when that has ended. relaxed: only what is alive asks, and is found by other means.
  const void* owner() const noexcept { return owner_.load(platform::relaxed); }

  /// Whether the calling process is a forked child of the one that made it.
  bool forked() const noexcept { return P::process_id() != process_; }

  /// Gives back a block of this home that was allocated for a T. Any thread. Two read-modify-writes; one if the stack is full.
  template <class T>
  void give_back(void* block) noexcept {
    constexpr std::size_t size = block_sizes::of<T>();
    if constexpr (size == block_sizes::count) {
      ::operator delete(block, alignment<T>());
      went_to_the_heap(1);
    } else {
      auto* one = ::new (block) link{nullptr};
      give_back(one, one, 1, size);
    }
  }

  // -- what a block_cache needs

  /// What an unused block holds.
  struct link {
    link* next;
  };

  static constexpr std::align_val_t line{platform::cache_line};

  template <class T>
  static constexpr std::align_val_t alignment() {
    return std::align_val_t{alignof(T) > platform::cache_line ? alignof(T) : platform::cache_line};
  }

  /// Returns how many there were.
  static std::size_t free(link* blocks) noexcept {
    std::size_t count = 0;
    for (; blocks != nullptr; ++count) ::operator delete(std::exchange(blocks, blocks->next), line);
    return count;
  }

  /// Pushes `blocks` blocks that are linked from `first` to `last`; to the heap if the stack is closed or full.
  void give_back(link* first, link* last, std::size_t blocks, std::size_t size) noexcept {
    stack& to = returned_[size];
    // relaxed, both: the push below publishes the number (BLOCK-5). Several at once may go beyond the limit, each by a batch.
    if (to.blocks.load(platform::relaxed) + blocks <= block_sizes::kept_max(size)) {
      to.blocks.fetch_add(blocks, platform::relaxed);
      word found = to.top.load(platform::relaxed);  // relaxed: it is compared again before it counts
      while (found != closed) {
        last->next = link_at(found);
        // release: pairs with the exchanges in take and close; the links are whole and we have done with the blocks
        // (BLOCK-3). relaxed failure: as the load.
        if (to.top.compare_exchange_weak(found, word_of(first), platform::release, platform::relaxed)) return;
      }
    }
    last->next = nullptr;
    free(first);
    went_to_the_heap(blocks);
  }

  /// The owner's: all that was returned, and the number of what was returned or is about to be (BLOCK-5). No
  /// read-modify-write when there is nothing.
  std::pair<link*, std::size_t> take(std::size_t size) noexcept {
    stack& from = returned_[size];
    if (from.top.load(platform::relaxed) == 0) return {nullptr, 0};  // relaxed: what comes later is for later
    const word all = from.top.exchange(0, platform::acquire);  // pairs with the push in give_back (BLOCK-3)
    return {link_at(all), from.blocks.exchange(0, platform::relaxed)};  // relaxed: the acquire shows what was counted
  }

  /// The owner's last call, with the number of blocks that are not with it.
  void close(std::size_t out) noexcept {
    owner_.store(nullptr, platform::relaxed);  // relaxed: as in owner
    for (stack& s : returned_) {
      out -= free(link_at(s.top.exchange(closed, platform::acquire)));  // pairs with the push in give_back (BLOCK-3)
    }
    // acq_rel: as in went_to_the_heap. What went there before counts, too (BLOCK-4).
    if (balance_.fetch_add(out, platform::acq_rel) + out == 0) delete this;
  }

 private:
  using word = std::uintptr_t;  // the address of a link
  static constexpr word closed = ~word{0};

  static word word_of(link* l) noexcept { return reinterpret_cast<word>(l); }
  static link* link_at(word w) noexcept { return reinterpret_cast<link*>(w); }

  struct stack {
    typename P::template atomic<word> top{0};
    typename P::template atomic<std::size_t> blocks{0};
  };

  void went_to_the_heap(std::size_t blocks) noexcept {
    // acq_rel: the last user frees the home, after all others have done with it (BLOCK-4).
    if (balance_.fetch_sub(blocks, platform::acq_rel) == blocks) delete this;
  }

  typename P::template atomic<const void*> owner_;
  const std::uint64_t process_;
  // Others write these, and the owner only when its list is empty.
  alignas(platform::cache_line) std::array<stack, block_sizes::count> returned_{};
  typename P::template atomic<std::uint64_t> balance_{0};  // modulo 2^64
};

/// One worker's blocks; not thread-safe: only the worker's own thread calls it, but for give_back of its home.
template <class P>
class block_cache {
 public:
  using home_type = block_home<P>;

  /// Blocks of other homes that the worker has freed, of one home and size, travel together, at most so many.
  static constexpr std::size_t batch_max = 16;

  /// Throws std::bad_alloc.
  explicit block_cache(const void* owner = nullptr) : home_(new home_type(owner)) {}
  block_cache(const block_cache&) = delete;
  block_cache& operator=(const block_cache&) = delete;
  ~block_cache() {
    send_batch();
    std::size_t out = made_;
    for (list& l : lists_) {
      out -= home_type::free(l.first);
    }
    home_->close(out);
  }

  home_type* home() const noexcept { return home_; }

  /// Memory for a T, aligned at least to a cache line. A few instructions; when no block is left, an exchange if some have
  /// come back, else an allocation. Throws std::bad_alloc.
  template <class T>
  void* allocate() {
    constexpr std::size_t size = block_sizes::of<T>();
    if constexpr (size == block_sizes::count) {
      void* block = ::operator new(sizeof(T), home_type::template alignment<T>());
      ++made_;
      return block;
    } else {
      list& l = lists_[size];
      if (l.first == nullptr) [[unlikely]]
        refill(size);
      link* block = l.first;
      l.first = block->next;
      --l.count;
      return block;
    }
  }

  /// Gives back what `home` allocated for a T.
  template <class T>
  void release(void* block, home_type* home) noexcept {
    constexpr std::size_t size = block_sizes::of<T>();
    if constexpr (size == block_sizes::count) {
      if (home != home_) return home->template give_back<T>(block);
      ::operator delete(block, home_type::template alignment<T>());
      --made_;
    } else {
      if (home != home_) [[unlikely]]
        return send(block, home, size);
      list& l = lists_[size];
      if (l.count >= block_sizes::kept_max(size)) [[unlikely]] {
        ::operator delete(block, home_type::line);
        --made_;
        return;
      }
      l.first = ::new (block) link{l.first};
      ++l.count;
    }
  }

 private:
  using link = typename home_type::link;

  struct list {
    link* first = nullptr;
    std::size_t count = 0;  // of its blocks, or more (BLOCK-5)
  };

  // Blocks that came back are used before the heap is asked: otherwise a worker whose blocks others free would
  // allocate for ever.
  [[gnu::noinline]] void refill(std::size_t size) {
    list& l = lists_[size];
    const auto [first, count] = home_->take(size);
    l.count += count;
    if (first != nullptr) {
      l.first = first;
      return;
    }
    void* fresh = ::operator new(block_sizes::bytes[size], home_type::line);
    ++made_;
    ++l.count;
    l.first = ::new (fresh) link{nullptr};
  }

  // One batch is open, for the home and size of the last block: a thief frees blocks of one victim in a row. So a
  // block costs two read-modify-writes in batch_max at best.
  [[gnu::noinline]] void send(void* block, home_type* home, std::size_t size) noexcept {
    if (batch_.count != 0 && (batch_.to != home || batch_.size != size)) send_batch();
    link* one = ::new (block) link{batch_.first};
    if (batch_.count == 0) batch_ = {home, size, one, one, 0};
    batch_.first = one;
    if (++batch_.count == batch_max) send_batch();
  }

  void send_batch() noexcept {
    if (batch_.count != 0) batch_.to->give_back(batch_.first, batch_.last, batch_.count, batch_.size);
    batch_ = {};
  }

  // Each keeps its home alive, being one of its blocks (BLOCK-4).
  struct batch {
    home_type* to = nullptr;
    std::size_t size = 0;
    link* first = nullptr;
    link* last = nullptr;
    std::size_t count = 0;
  };

  std::array<list, block_sizes::count> lists_{};
  std::size_t made_ = 0;  // blocks that came from the heap and that we have not given back to it
  home_type* const home_;
  batch batch_;
};

}  // namespace leat::inline LEAT_ABI::memory
