// Futures of several futures: when_all and when_any. Rules FUTURE-8, FUTURE-9: future_record.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "leat/handshake/spin_lock.hpp"
#include "leat/platform/abort.hpp"
#include "leat/task/continuation.hpp"
#include "leat/task/future.hpp"

namespace leat::inline LEAT_ABI::task {

/// See leat::when_any.
template <class Sequence>
struct when_any_result {
  std::size_t index;  ///< of the first future whose result was there
  Sequence futures;
};

/// What waits in the chains of the sources. It lives until all of these have told it, and the gathering task needs it no more.
template <class P>
class gathered_parts {
 public:
  /// The gathering task, when it is over.
  struct gatherer {
    virtual std::uintptr_t complete(std::size_t index) noexcept = 0;

   protected:
    ~gatherer() = default;
  };

  gathered_parts(gatherer& of, bool first, std::vector<future_record<P>*> sources)
      : of_(of), first_(first), parts_(sources.size()), rights_(2), left_(static_cast<std::uint32_t>(sources.size())) {
    for (std::size_t i = 0; i != sources.size(); ++i) {
      parts_[i].tells = tell;
      parts_[i].comes_later = true;
      parts_[i].all = this;
      parts_[i].source = sources[i];
    }
  }
  gathered_parts(const gathered_parts&) = delete;
  gathered_parts& operator=(const gathered_parts&) = delete;

  /// Waits in all chains. The maker's, once. Then the parts may be gone.
  void begin() noexcept {
    rights_.fetch_add(static_cast<std::uint32_t>(parts_.size()), platform::relaxed);  // relaxed: the maker has a right
    // A part is a holder until it is told: the receiver of the futures may drop them before all parts wait.
    for (part& p : parts_) p.source->hold();
    for (part& p : parts_) {
      if (!p.source->announce(p)) tell_all(tell(&p));
    }
    if (parts_.empty()) of_.complete(0);
    drop();
  }

  /// FUTURE-9: runs one of the sources on `me`, if one can be begun.
  bool run_one(scheduler::worker<P>& me) {
    for (part& p : parts_) {
      {
        const handshake::holding<P> one(gate_);
        if (over_) return false;  // the futures may be their receiver's by now
        p.source->hold();
      }
      const bool begun = p.source->begin_for(me);
      p.source->let_go_shared();
      if (begun) return true;
    }
    return false;
  }

  // acq_rel: the last one frees after all others have done with it.
  void drop() noexcept {
    if (rights_.fetch_sub(1, platform::acq_rel) == 1) delete this;
  }

 private:
  struct part : future_waiter {
    part() noexcept : future_waiter{nullptr, nullptr} {}
    gathered_parts* all = nullptr;
    future_record<P>* source = nullptr;
  };

  static std::uintptr_t tell(future_waiter* w) noexcept {
    auto& mine = static_cast<part&>(*w);
    gathered_parts& all = *mine.all;
    // acq_rel: the last one sees all results, and the first one the making.
    const std::uint32_t left = all.left_.fetch_sub(1, platform::acq_rel);
    const bool now = all.first_ ? left == all.parts_.size() : left == 1;
    std::uintptr_t more = 0;
    if (now) {
      {
        const handshake::holding<P> one(all.gate_);
        all.over_ = true;
      }
      more = all.of_.complete(static_cast<std::size_t>(&mine - all.parts_.data()));
    }
    mine.source->let_go_shared();
    all.drop();
    return more;
  }

  gatherer& of_;
  const bool first_;  // the first result is enough
  std::vector<part> parts_;
  typename P::template atomic<std::uint32_t> rights_;  // the gathering task's, the maker's, and one for each part
  typename P::template atomic<std::uint32_t> left_;
  handshake::spin_lock<P> gate_;
  bool over_ = false;
};

/// The task whose result the futures themselves are. It is never called.
template <class P, class Sequence, bool first>
class gathering final : public future_task<P, std::conditional_t<first, when_any_result<Sequence>, Sequence>>,
                        public gathered_parts<P>::gatherer {
 public:
  using result = std::conditional_t<first, when_any_result<Sequence>, Sequence>;
  using base = future_task<P, result>;
  using typename base::worker;

  /// Throws std::bad_alloc; then `futures` are as before.
  static gathering* make(memory::block_cache<P>& blocks, Sequence& futures, std::vector<future_record<P>*> sources) {
    void* const block = blocks.template allocate<gathering>();
    try {
      return ::new (block) gathering(blocks.home(), futures, std::move(sources));
    } catch (...) {
      blocks.template release<gathering>(block, blocks.home());
      throw;
    }
  }

  /// From now on it waits. The thread that made it calls this, and has a future of it.
  void begin() noexcept { parts_->begin(); }

  std::uintptr_t complete(std::size_t index) noexcept override {
    index_ = index;
    return this->send(call());
  }

 protected:
  outcome<result> call() noexcept override {
    return outcome<result>::of([this]() -> result {
      if constexpr (first) return {index_, std::move(futures_)};
      else return std::move(futures_);
    });
  }
  result get_here(worker&) override { platform::abort_with("leat: a task of when_all has no record\n"); }
  bool run_for(worker& me) override { return parts_->run_one(me); }
  void free() noexcept override {
    memory::block_home<P>* const home = this->home_;
    this->~gathering();
    worker::template recycle<gathering>(this, home);
  }

 private:
  gathering(memory::block_home<P>* home, Sequence& futures, std::vector<future_record<P>*> sources)
      : base(home, base::any_run),
        parts_(new gathered_parts<P>(*this, first, std::move(sources))),
        futures_(std::move(futures)) {
    this->set_waits(true);
  }
  ~gathering() { parts_->drop(); }

  gathered_parts<P>* const parts_;
  Sequence futures_;
  std::size_t index_ = 0;
};

template <class>
inline constexpr bool is_future = false;
template <class P, class T>
inline constexpr bool is_future<future<P, T>> = true;
template <class P, class T>
inline constexpr bool is_future<shared_future<P, T>> = true;

/// A future of `futures`, whose tasks are `sources`.
/// \throws forked_process  one that it waits for has stayed with the parent of this process
template <class P, bool first, class Sequence>
auto gather(Sequence futures, std::vector<future_record<P>*> sources) {
  const auto is_lost = [](const future_record<P>* r) { return r->is_lost(); };
  const auto lost = std::count_if(sources.begin(), sources.end(), is_lost);
  if (lost != 0 && (!first || lost == std::ssize(sources))) [[unlikely]]
    throw_forked_future();
  using task_type = gathering<P, Sequence, first>;
  const void* owner = sources.empty() ? nullptr : sources.front()->owner();
  for (const future_record<P>* r : sources) owner = r->owner() == owner ? owner : nullptr;
  auto* const task = make_in_blocks_of<P>(
      owner, [&](memory::block_cache<P>& blocks) { return task_type::make(blocks, futures, std::move(sources)); });
  future<P, typename task_type::result> made(task);
  task->begin();
  return made;
}

template <bool first>
inline constexpr const char* name_of_gather = first ? "when_any" : "when_all";

/// See leat::when_all and leat::when_any.
// No future is moved before all have been checked.
template <class P, bool first, class... Futures>
auto gather_these(Futures&&... futures) {
  static_assert((std::is_constructible_v<std::remove_cvref_t<Futures>, Futures> && ...),
                "leat::when_all, leat::when_any: move the futures (std::move); shared futures are copied");
  std::size_t at = 0;
  std::vector<future_record<P>*> sources{&futures.record(name_of_gather<first>, at++)...};
  return gather<P, first>(std::tuple<std::remove_cvref_t<Futures>...>(std::forward<Futures>(futures)...),
                          std::move(sources));
}
template <class P, bool first, class Iterator>
auto gather_range(Iterator from, Iterator to) {
  using one = typename std::iterator_traits<Iterator>::value_type;
  static_assert(is_future<one>, "leat::when_all, leat::when_any: the elements must be futures");
  std::vector<future_record<P>*> sources;
  for (Iterator i = from; i != to; ++i) sources.push_back(&i->record(name_of_gather<first>, sources.size()));
  std::vector<one> futures;
  futures.reserve(sources.size());
  for (; from != to; ++from) {
    if constexpr (std::is_copy_constructible_v<one>) futures.push_back(*from);
    else futures.push_back(std::move(*from));
  }
  return gather<P, first>(std::move(futures), std::move(sources));
}

}  // namespace leat::inline LEAT_ABI::task
