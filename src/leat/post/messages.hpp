// What workers say to each other and to the manager, besides steal requests.
#pragma once

#include <cstdint>

#include "leat/protocol/request.hpp"
#include "leat/work/record.hpp"
#include "leat/work/run.hpp"
#include "leat/work/task_deque.hpp"

namespace leat::inline LEAT_ABI::post {

/// The answer to a steal request. Each request gets exactly one.
template <class P>
struct answer {
  enum class kind : std::uint8_t {
    task,   ///< one task, in the answer itself
    tasks,  ///< tasks of `of`, which lie with the victim until they are given back
    root,   ///< the root of `of`
    dummy,  ///< nothing: the request is revoked; `of` is set if this releases a barrier
    stop,   ///< the worker may leave
  };
  kind what = kind::dummy;
  protocol::worker_id victim = 0;
  typename work::task_deque<P>::run lent = {};
  work::task_deque<P>* lender = nullptr;
  work::run<P>* of = nullptr;
  protocol::run_id known = protocol::no_run;  ///< the run that the manager now counts the thief under
  std::uint64_t serial = 0;                   ///< of the request when it was answered
  work::record task = {};
};

/// A message to the manager; protocol::manager says what each kind does there. With the stamp of its place in the
/// inbox it fills a cache line.
template <class P>
struct note {
  enum class kind : std::uint8_t { request, update, offer, recall, block, back, submit, enter, room, stop };
  kind what = kind::request;
  protocol::worker_id worker = 0;  // update: the thief; offer, recall, enter: the sender
  protocol::request about = {};  // request
  work::run<P>* of = nullptr;  // update, offer, submit, enter
};

}  // namespace leat::inline LEAT_ABI::post
