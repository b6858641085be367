// How a worker leaves its place and comes back. Rules BLOCKING-1 to BLOCKING-6: attendance.hpp.
#pragma once

#include <optional>

#include "leat/scheduler/worker.hpp"

namespace leat::scheduler {

/// While it lives, the worker that the calling thread was is absent, and the thread is no worker.
template <class P>
class absence {
 public:
  explicit absence(worker<P>& me);
  absence(const absence&) = delete;
  absence& operator=(const absence&) = delete;
  ~absence();

 private:
  void leave();
  void come_back();

  worker<P>& me_;
  std::optional<long_wait<P>> listed_;  // if hangs are reported
};

}  // namespace leat::scheduler
