// The deque of tasks of one worker.
#pragma once

#include "leat/deque/private.hpp"
#include "leat/work/record.hpp"

namespace leat::inline LEAT_ABI::work {

template <class P>
using task_deque = deque::private_deque<P, record>;

}  // namespace leat::inline LEAT_ABI::work
