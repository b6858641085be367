#include "leat/entry/instances.hpp"

#include "leat/entry/bodies.hpp"

namespace leat::inline LEAT_ABI {

// The words that other workers write, the owner's, and those that all read and hardly anybody writes have a line each.
// A group is made for a few tasks, so a fourth line would show.
static_assert(sizeof(scheduler::group<platform::chosen>) == 3 * platform::cache_line);

template class scheduler::worker<platform::chosen>;
template class scheduler::runner<platform::chosen>;
template class scheduler::waiter<platform::chosen>;
template class scheduler::exposer<platform::chosen>;
template class scheduler::monitor<platform::chosen>;
template class scheduler::requester<platform::chosen>;
template class scheduler::hunter<platform::chosen>;
template class scheduler::donor<platform::chosen>;
template class scheduler::responder<platform::chosen>;
template class scheduler::group<platform::chosen>;
template class entry::blocked_scope<platform::chosen>;
template class entry::submitting<platform::chosen>;
#if defined(LEAT_IN_SHARED_OBJECT) && defined(LEAT_ON_SYSTEM_THREADS)
template thread_local deque::fork_words<platform::chosen>
    platform::native::own_word<deque::fork_words<platform::chosen>>;
template thread_local scheduler::carried_poll platform::native::own_word<scheduler::carried_poll>;
template thread_local scheduler::carried_wait platform::native::own_word<scheduler::carried_wait>;
#endif
template class scheduler::channel_scheduler<platform::chosen>;
template class scheduler::dispatcher<platform::chosen>;
template class entry::primary<platform::chosen>;
template class published::processors<platform::chosen>;
template class post::combining_manager<platform::chosen, scheduler::dispatcher<platform::chosen>>;
template class handshake::proxies<platform::chosen, scheduler::worker<platform::chosen>>;

namespace entry {

template bool is_inside(const scheduler::channel_scheduler<platform::chosen>&, std::uint32_t);
template void execute_root(scheduler::channel_scheduler<platform::chosen>&, void (*)(void*), void*, std::uint32_t);
template std::uint32_t work_until_told<platform::chosen>(scheduler::worker<platform::chosen>&,
                                                         const told_word<platform::chosen>&, const waiting::wait_about&,
                                                         before_task);
template std::uint32_t help_until_told<platform::chosen>(scheduler::worker<platform::chosen>&,
                                                         const told_word<platform::chosen>&, const void*,
                                                         const waiting::wait_about&,
                                                         std::optional<protocol::worker_id> (*)(const void*));

}  // namespace entry
}  // namespace leat::inline LEAT_ABI
