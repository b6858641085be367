// Continuations: tasks that begin when the result of another one is there. Rules FUTURE-8, FUTURE-9: future_record.hpp.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "leat/entry/submitting.hpp"
#include "leat/handshake/spin_lock.hpp"
#include "leat/memory/block_cache.hpp"
#include "leat/scheduler/footing.hpp"
#include "leat/task/future_call.hpp"
#include "leat/task/invoke.hpp"
#include "leat/work/submission.hpp"

namespace leat::inline LEAT_ABI::task {

template <class P, class T>
class future;

/// Calls make(blocks) with blocks of the scheduler `owner`, or, if that is null, with some that belong to none.
template <class P, class Make>
auto make_in_blocks_of(const void* owner, Make make) {
  auto* const me = scheduler::worker<P>::current();
  if (me != nullptr && &me->home == owner) {
    const typename scheduler::footing<P>::knowing worker_here(*me);  // copying may call anything
    return make(me->blocks);
  }
  if (owner == nullptr) {
    memory::block_cache<P> own(nullptr);
    return make(own);
  }
  entry::submitting<P> here(entry::scheduler_at<P>(owner));
  return make(here.blocks());
}

/// The callable of a continuation: the source's result goes to f.
template <class P, class T, class F, bool shared>
class continued {
 public:
  using argument = std::conditional_t<shared, std::add_lvalue_reference_t<const T>, T>;

  template <class G>
  continued(future_task<P, T>& source, G&& f) : source_(&source), f_(std::forward<G>(f)) {}

  decltype(auto) operator()() && {
    struct end {
      future_task<P, T>& source;
      ~end() { source.let_go_shared(); }
    };
    if constexpr (strands::profiles<P>) source_->part().join_here();
    if constexpr (shared) {
      const end after{*source_};  // f has a reference to the result
      if constexpr (std::is_void_v<T>) return source_->look().look(), task::invoke(std::move(f_));
      else return task::invoke(std::move(f_), source_->look().look());
    } else {
      if constexpr (std::is_void_v<T>) return source_->take(), task::invoke(std::move(f_));
      else return task::invoke(std::move(f_), source_->take());
    }
  }

 private:
  future_task<P, T>* const source_;  // of which it is a holder until it is called
  F f_;
};

/// What a continuation has besides: its place in the chain of its source, and in the injector if it comes too late for that.
template <class P>
class continuation_way : public work::submission<P>, public future_waiter {
 public:
  explicit continuation_way(work::awaited_task& of) noexcept
      : work::submission<P>(of), future_waiter{nullptr, nullptr, true} {}

 protected:
  // FUTURE-9
  future_record<P>* hold_source() noexcept {
    const handshake::holding<P> one(gate_);
    if (source_ != nullptr) source_->hold();
    return source_;
  }
  void set_source(future_record<P>* source) noexcept {
    const handshake::holding<P> one(gate_);
    source_ = source;
  }

 private:
  handshake::spin_lock<P> gate_;
  future_record<P>* source_ = nullptr;  // null as soon as its result may be taken
};

/// See continue_with.
template <class P, class T, class F, bool shared>
class continuation final : public future_task_of<P, std::invoke_result_t<continued<P, T, F, shared>>,
                                                 continued<P, T, F, shared>, continuation_way<P>> {
  using base = future_task_of<P, std::invoke_result_t<continued<P, T, F, shared>>, continued<P, T, F, shared>,
                              continuation_way<P>>;
  using worker = scheduler::worker<P>;

 public:
  using result = std::invoke_result_t<continued<P, T, F, shared>>;

  template <class G>
  continuation(memory::block_home<P>* home, future_task<P, T>& source, G&& f)
      : base(home, base::any_run, source, std::forward<G>(f)) {
    this->tells = &tell;
    this->set_source(&source);
    this->set_waits(true);
  }

  /// The source's result is there: a task like any other.
  void wait_no_more() noexcept {
    this->set_source(nullptr);
    this->set_waits(false);
  }

  /// The same where no worker is left to execute it.
  void call_outside() noexcept { tell_all(this->send(this->call())); }
  using base::call_now;

 protected:
  future_record<P>* held_source() noexcept override { return this->hold_source(); }

 private:
  static std::uintptr_t tell(future_waiter* w) noexcept {
    auto& mine = static_cast<continuation&>(*w);
    mine.set_source(nullptr);
    return mine.call_now(*worker::current());
  }
};

/// See leat::future::then. A future that is not shared passes its place as a holder of the source to the continuation, if nothing is thrown; for a shared one the
/// caller has taken one for it.
template <class P, class T, bool shared, class F>
auto continue_with_callable(future_task<P, T>& source, F&& f) {
  using task_type = continuation<P, T, std::decay_t<F>, shared>;
  const void* const owner = source.owner();  // if the result is not there, the scheduler is
  auto* const task = make_in_blocks_of<P>(owner, [&](memory::block_cache<P>& blocks) {
    return task_type::template make_of<task_type>(blocks, source, std::forward<F>(f));
  });
  future<P, typename task_type::result> made(task);
  [[maybe_unused]] const strands::making<P> here;
  if constexpr (strands::profiles<P>) here.made(task->part());
  if (source.announce(*task)) return made;
  task->wait_no_more();
  auto* const me = scheduler::worker<P>::current();
  if (me != nullptr && &me->home == owner) {
    try {
      me->runner.spawn(work::awaited_call{task});
    } catch (...) {  // without memory: now
      tell_all(task->call_now(*me));
    }
  } else {
    bool put = false;
    try {
      put = owner != nullptr && entry::submitting<P>(entry::scheduler_at<P>(owner)).put(*task);
    } catch (...) {  // without memory: now
    }
    if (!put) task->call_outside();
  }
  return made;
}

/// The same; refuses what cannot be called.
template <class P, class T, bool shared, class F>
auto continue_with(future_task<P, T>& source, F&& f) {
  constexpr bool callable = [] {
    using kept = std::decay_t<F>;
    if constexpr (std::is_void_v<T>) return std::is_invocable_v<kept>;
    else if constexpr (shared) return std::is_invocable_v<kept, std::add_lvalue_reference_t<const T>>;
    else return std::is_invocable_v<kept, T>;
  }();
  static_assert(callable,
                "leat::future::then: f cannot be called with the result (of a shared future: with a const T&)");
  if constexpr (callable) return continue_with_callable<P, T, shared>(source, std::forward<F>(f));
}

}  // namespace leat::inline LEAT_ABI::task
