#include "leat/scheduler/process.hpp"

#include "leat/platform/abort.hpp"

namespace leat::inline LEAT_ABI::scheduler {

void abort_in_child() noexcept {
  platform::abort_with(
      "leat: a task returned or threw in the child of a fork() that it had called; the child has no workers, and is to "
      "end by exec or _exit inside the task\n");
}

}  // namespace leat::inline LEAT_ABI::scheduler
