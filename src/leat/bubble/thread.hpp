// User-level threads as programs see them.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "leat/bubble/crew.hpp"
#include "leat/bubble/waiting.hpp"
#include "leat/scheduler/abort.hpp"
#include "leat/scheduler/thrown.hpp"

namespace leat::bubbles {

/// What a thread is made with.
struct thread_options {
  /// Threads of a higher priority go first.
  std::int32_t priority = 0;
  /// Bytes of its stack; a multiple of stack_bytes_unit, from stack_bytes_min to stack_bytes_max. Others than
  /// stack_bytes_usual are not recycled.
  std::size_t stack_bytes = stack_bytes_usual;
};

/// For a thread that begins when its bubble releases it.
struct held_t {};

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_no_crew(const char* what) {
  throw std::logic_error(std::string("leat::") + what +
                         ": the calling worker carries no threads; call it inside leat::run_threads");
}

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_unbegun(std::uint64_t threads) {
  throw std::logic_error("leat::run_threads: " + std::to_string(threads) +
                         " threads that were made with leat::held, or in a bubble, never began: all others have ended, "
                         "and nothing woke the bubble that they are in");
}

template <class P>
carrier<P>& this_carrier(const char* what) {
  carrier<P>* const c = carrier<P>::here();
  if (c == nullptr) [[unlikely]]
    throw_no_crew(what);
  return *c;
}

/// A strand with what it calls.
template <class P, class F>
struct strand_of final : strand<P> {
  template <class G>
  strand_of(crew<P>& c, const thread_options& o, stack<P> its, G&& g)
      : strand<P>(c, o.priority, std::move(its), c.hire()), f(std::forward<G>(g)) {}
  ~strand_of() noexcept override {
    if (!called) f.~F();
  }
  void call() override {
    called = true;
    struct end {
      F& f;
      ~end() { f.~F(); }
    };
    const end with_it{f};
    f();
  }
  union {
    F f;
  };
  bool called = false;
};

/// What executes on the stack of each thread.
template <class P>
void thread_main(void* came) {
  static_cast<carrier<P>*>(came)->arrived();
  strand<P>& s = *static_cast<carrier<P>*>(came)->current();
  try {
    s.call();
  } catch (...) {
    s.failure = scheduler::thrown();
  }
  if (carrier<P>::here() == nullptr) scheduler::abort_in_child();
  s.home.ends(s);
  s.home.count_out();
  carrier<P>::here()->leave_for_good();
}

template <class P, class F>
strand<P>& make_strand(crew<P>& home, stack<P> on, const thread_options& o, F&& f) {
  auto* const s = new strand_of<P, std::decay_t<F>>(home, o, std::move(on), std::forward<F>(f));
  s->at.begin_at(s->on.lowest(), s->on.bytes(), thread_main<P>);
  return *s;
}

template <class P>
void drop_user(strand<P>& s) noexcept {
  if (s.users.fetch_sub(1, platform::acq_rel) == 1) delete &s;  // acq_rel: the other user's last access
}

/// See leat::thread.
template <class P>
class thread {
 public:
  thread() noexcept = default;

  template <class F>
    requires std::is_invocable_v<std::decay_t<F>&>
  explicit thread(F&& f, const thread_options& o = {}) : thread(made(std::forward<F>(f), o)) {
    strand_->home.release(*strand_);
  }
  template <class F>
    requires std::is_invocable_v<std::decay_t<F>&>
  thread(held_t, F&& f, const thread_options& o = {}) : thread(made(std::forward<F>(f), o)) {
    strand_->home.hold(*strand_);
  }
  thread(thread&& t) noexcept : strand_(std::exchange(t.strand_, nullptr)) {}
  thread& operator=(thread&& t) noexcept {
    thread taken(std::move(t));
    std::swap(strand_, taken.strand_);
    return *this;
  }
  ~thread() {
    if (strand_ == nullptr) return;
    // Of a thread that was not made held the crew may be gone.
    const bool unbegun = strand_->kept == nullptr ? !strand_->released : strand_->home.take_back(*strand_);
    if (!unbegun) scheduler::abort_with("leat: a leat::thread is destroyed that was neither joined nor detached\n");
    strand_->at.end();
    delete strand_;
  }

  /// One that others do not know yet.
  template <class F>
  static thread made(F&& f, const thread_options& o) {
    carrier<P>& c = this_carrier<P>("thread");
    thread t;
    t.strand_ = &make_strand<P>(c.home(), c.stacks().take(o.stack_bytes), o, std::forward<F>(f));
    return t;
  }

  bool joinable() const noexcept { return strand_ != nullptr; }

  void join() {
    strand<P>& s = checked("thread::join");
    carrier<P>* const c = carrier<P>::here();
    if (c != nullptr && c->current() == &s) throw std::logic_error("leat::thread::join: a thread waits for itself");
    bool released = true;
    block<P>([&](waiter<P>& w) {
      const holding<P> one(s.gate);
      released = s.released;  // under the gate, as T11 takes it back for a thread that nobody waits for
      if (!released || s.ended) return false;
      s.joiners.push(w);
      return true;
    });
    if (!released) throw std::logic_error("leat::thread::join: the thread was never released");
    const std::exception_ptr failure = std::exchange(s.failure, nullptr);
    let_go();
    if (failure != nullptr) std::rethrow_exception(failure);
  }

  void detach() {
    strand<P>& s = checked("thread::detach");
    std::exception_ptr failure;
    {
      const holding<P> one(s.gate);
      if (!s.released) throw std::logic_error("leat::thread::detach: the thread was never released");
      s.has_handle = false;
      if (s.ended) failure = std::exchange(s.failure, nullptr);
    }
    // Elsewhere the crew may be gone, as the thread has ended.
    if (failure != nullptr && s.home.carries_here()) s.home.keep(std::exchange(failure, nullptr));
    let_go();
    if (failure != nullptr) std::rethrow_exception(failure);
  }

  /// Ends the sleep of the thread, or keeps its next one from beginning.
  void wake() {
    strand<P>& s = checked("thread::wake");
    waiter<P>* w = nullptr;
    {
      const holding<P> one(s.gate);
      w = s.sleeper.pop();
      if (w == nullptr) s.awoken = true;
    }
    if (w != nullptr) tell(*w);
  }

  [[gnu::noinline]] static void yield() {
    carrier<P>* const c = carrier<P>::here();
    if (c != nullptr && c->may_switch()) c->home().yield(*c);
    else task::poll<P>();
  }

  static void sleep() {
    carrier<P>& c = this_carrier<P>("thread::sleep");
    if (c.current() == nullptr) throw_no_crew("thread::sleep");
    strand<P>& s = *c.current();
    block<P>([&](waiter<P>& w) {
      const holding<P> one(s.gate);
      if (std::exchange(s.awoken, false)) return false;
      s.sleeper.push(w);
      return true;
    });
  }

  /// For a bubble that takes it in.
  strand<P>& record(const char* what) const { return checked(what); }

 private:
  strand<P>& checked(const char* what) const {
    if (strand_ == nullptr) throw std::logic_error(std::string("leat::") + what + ": there is no thread");
    return *strand_;
  }
  void let_go() noexcept { drop_user(*std::exchange(strand_, nullptr)); }

  strand<P>* strand_ = nullptr;
};

/// While it lives, the run has a crew. There is one at a time: a worker that waits in one executes any task of the run, and the
/// carriers of a second crew, begun by such a task, could come to lie on top of those that this waits for.
template <class P>
class only_crew {
 public:
  explicit only_crew(scheduler::run<P>& r) : run_(r) {
    if (!run_.begin_crew())
      throw std::logic_error(
          "leat::run_threads: called in a run in which another one is under way; threads can begin threads without");
  }
  only_crew(const only_crew&) = delete;
  only_crew& operator=(const only_crew&) = delete;
  ~only_crew() { run_.end_crew(); }

 private:
  scheduler::run<P>& run_;
};

/// See leat::run_threads.
template <class P, class F>
void run_threads(F& f, const topology::machine& m, trace* seen = nullptr) {
  auto& me = task::this_worker<P>("run_threads");
  const only_crew<P> only(*me.runner.current_run());
  const auto home = std::make_shared<crew<P>>(m, seen);
  strand<P>& first = make_strand<P>(*home, stack<P>(stack_bytes_usual), {}, [&f] { f(); });
  first.has_handle = false;
  drop_user(first);
  home->run(first, me);
  if (auto failure = home->take_failure()) std::rethrow_exception(failure);
  if (const auto threads = home->unbegun()) throw_unbegun(threads);
}

}  // namespace leat::bubbles
