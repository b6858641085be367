// How long a worker polls for pooled requests by itself, and need not be signalled. Rule ACTOR-3 of
// combining_manager.hpp.
#pragma once

#include <cassert>
#include <cstdint>

#include "leat/handshake/marks.hpp"
#include "leat/protocol/request.hpp"

namespace leat::inline LEAT_ABI::handshake {

/// Only the worker uses it; the combiner sees its mark.
template <class P>
class lookout {
 public:
  /// \param all  the marks of the workers that are on the lookout
  lookout(marks<P>& all, protocol::worker_id id) noexcept : marks_(all), id_(id) {}

  bool on() const noexcept { return polls_left_ != 0; }

  /// Whether the next poll is the last one. The lookout must end before it, so that news after it signal the worker.
  bool at_last_poll() const noexcept { return polls_left_ == 1; }

  /// For so many polls from now on. The mark is set without a fence: at worst the combiner signals the worker once
  /// too often.
  void begin(std::uint32_t polls) noexcept {
    if (!on()) marks_.set(id_);
    polls_left_ = polls;
  }

  /// One poll less.
  void spend() noexcept {
    assert(on());
    --polls_left_;
  }

  /// From here on the combiner signals the worker when requests are pooled.
  void end() noexcept {
    if (!on()) return;
    polls_left_ = 0;
    marks_.clear(id_);
    P::fence();  // pairs with publish in combining_manager: it finds no mark, or the next poll finds its news
  }

 private:
  marks<P>& marks_;
  const protocol::worker_id id_;
  std::uint32_t polls_left_ = 0;
};

}  // namespace leat::inline LEAT_ABI::handshake
