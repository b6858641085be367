// What a public function does before it uses the calling thread's worker: see to it that there is one.
#pragma once

#include <type_traits>

#include "leat/entry/callers.hpp"
#include "leat/platform/chosen.hpp"
#include "leat/task/errors.hpp"

namespace leat::inline LEAT_ABI::task {

/// While it lives, the calling thread is a worker. If it is none before, it works for the process's default runtime; on a
/// platform without one that is an error. Costs a thread-local load where it is one; else as entry/primary.hpp says.
template <class P>
class insider {
 public:
  using worker = scheduler::worker<P>;

  /// Whether there is a default runtime on this platform.
  static constexpr bool has_default = std::is_same_v<P, platform::chosen> && requires { P::stay_loaded(); };

  /// \param what  the public function, for the message
  /// \throws not_a_worker; what enter_default throws
  [[gnu::always_inline]] explicit insider(const char* what) : me_(worker::current()) {
    if (me_ == nullptr) [[unlikely]]
      enter(what);
  }
  insider(const insider&) = delete;
  insider& operator=(const insider&) = delete;
  [[gnu::always_inline]] ~insider() {
    if (entered_) [[unlikely]]
      leave();
  }

  worker& me() const noexcept { return *me_; }

  /// Whether the thread was no worker before.
  bool entered() const noexcept { return entered_; }

  /// For an object that may outlive other insiders of the thread: the thread stays inside for it, too.
  void stay() noexcept {
    if constexpr (has_default) entered_ = entered_ || entry::stay_in_default();
  }

 private:
  [[gnu::cold, gnu::noinline]] void enter(const char* what) {
    if constexpr (has_default) {
      me_ = &entry::enter_default(what);
      entered_ = true;
    } else {
      throw_not_a_worker(what);
    }
  }
  [[gnu::cold, gnu::noinline]] void leave() noexcept {
    if constexpr (has_default) entry::leave_default(*me_);
  }

  worker* me_;
  bool entered_ = false;
};

}  // namespace leat::inline LEAT_ABI::task
