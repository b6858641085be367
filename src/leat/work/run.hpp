// A run: one call of runtime::run with everything spawned in it.
#pragma once

#include <cassert>
#include <cstdint>
#include <exception>
#include <utility>

#include "leat/handshake/admission.hpp"
#include "leat/handshake/parker.hpp"
#include "leat/platform/order.hpp"
#include "leat/protocol/request.hpp"

namespace leat::inline LEAT_ABI::work {

/// It lives on the stack of the thread that called run(), which sleeps until the manager finds that all is done. Workers
/// hold pointers to it only while they have tasks of it.
template <class P>
class run {
 public:
  /// \param id    never used before
  /// \param root  what the run executes; must not throw (it calls fail instead)
  /// \param workers_max  workers that may execute tasks of it at once
  /// \param ended        called with body by finish(), as its last step; or null
  run(protocol::run_id id, void (*root)(void*), void* body,
      std::uint32_t workers_max = handshake::admission<P>::uncapped, void (*ended)(void*) = nullptr)
      : id_(id), root_(root), body_(body), ended_(ended), workers_(workers_max) {}

  protocol::run_id id() const noexcept { return id_; }

  /// Rules CAP.
  handshake::admission<P>& workers() noexcept { return workers_; }
  const handshake::admission<P>& workers() const noexcept { return workers_; }

  void call_root() { root_(body_); }

  /// Keeps the first exception of the run; later ones are dropped. Any worker of the run.
  void fail(std::exception_ptr e) noexcept {
    failure none = failure::none;
    // acquire: pairs with take_failure, which has emptied first_. relaxed: another one is kept, or taken just now.
    if (!failed_.compare_exchange_strong(none, failure::comes, platform::acquire, platform::relaxed)) return;
    first_ = std::move(e);
    failed_.store(failure::kept, platform::release);  // pairs with take_failure
  }

  /// The first exception, if any, which the caller now answers for. One thread at a time. It misses none unless a task of the run
  /// is left: a thread that has entered the default runtime may leave some behind.
  std::exception_ptr take_failure() noexcept {
    if (failed_.load(platform::acquire) != failure::kept) return nullptr;  // acquire: pairs with fail
    std::exception_ptr first = std::exchange(first_, nullptr);
    failed_.store(failure::none, platform::release);  // pairs with fail
    return first;
  }

  /// Called once, by the combiner, when everything is done. The run may be gone as soon as done_ is set, as its
  /// caller wakes: only the address of the word is used after that.
  void finish() noexcept {
    assert(!finished());
    auto& done = done_;
    const auto ended = ended_;
    const auto body = body_;
    done.store(1, platform::release);  // pairs with wait: all that the run did is visible after it
    P::wake_all(done);
    if (ended != nullptr) ended(body);
  }

  /// Whether finish() has been called.
  bool finished() const noexcept { return done_.load(platform::acquire) != 0; }  // pairs with finish

  /// Sleeps until finish(). For the caller's thread, if it is no worker: a worker of another scheduler goes on
  /// polling, and asks finished().
  void wait() noexcept {
    while (done_.load(platform::acquire) == 0) P::wait(done_, 0);  // pairs with finish
  }

  /// Whether no call of run_threads is under way in it. Then the caller's is, until end_green_threads. Any worker of
  /// the run.
  // acquire: pairs with end_green_threads
  bool begin_green_threads() noexcept { return green_threads_.exchange(1, platform::acquire) == 0; }
  void end_green_threads() noexcept { green_threads_.store(0, platform::release); }  // pairs with begin_green_threads

 private:
  enum class failure : std::uint32_t { none, comes, kept };

  const protocol::run_id id_;
  void (*const root_)(void*);
  void* const body_;
  void (*const ended_)(void*);
  handshake::admission<P> workers_;
  std::exception_ptr first_;  // while failed_ says `comes` of the thread that fails, then of the one that takes it
  typename P::template atomic<failure> failed_{failure::none};
  typename P::template atomic<std::uint32_t> done_{0};
  typename P::template atomic<std::uint32_t> green_threads_{0};
};

}  // namespace leat::inline LEAT_ABI::work
