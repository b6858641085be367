// Channels: bounded queues over which tasks, user-level threads and other threads send each other messages. Page:
// docs/guide/channels.md.
#pragma once

#include "leat/platform/chosen.hpp"
#include "leat/task/channel.hpp"

namespace leat::inline LEAT_ABI {

/// How many may use one end of a channel at once: `ends::one`, one at a time, where another one may follow if the last call
/// of the one before happens before; `ends::many`, any number.
using task::ends;

/// What a wait may run; see leat/future.hpp. For a channel: `wait::own`, nothing, while thieves are answered; `wait::any`,
/// any task of the run.
using task::wait;

/// A bounded FIFO queue of messages from senders to receivers. With `ends::one` at both ends it is fastest: one
/// read-modify-write for a send, and one for a receive. Neither copyable nor movable. Every call must have returned before
/// it is destroyed, which drops the messages inside.
///
/// - `channel(capacity)`: room for so many messages, 1 to capacity_max (2^30). \throws std::invalid_argument, which names any other
///   capacity; std::bad_alloc
/// - `bool try_send(T&&)`, `try_send(const T&)`: false if the channel is full or closed; then the caller still has the message.
/// - `bool send(T&&, wait = wait::own)`, `send(const T&, ...)`: waits for room; false if the channel is closed, before or meanwhile;
///   then the caller still has the message.
/// - `std::optional<T> try_receive()`: the oldest message, or nothing if none is inside.
/// - `std::optional<T> receive(wait = wait::own)`: waits for a message; nothing if the channel is closed and all messages have been
///   received.
/// - `for (T& m : channel)`: receives until that.
/// - `close()`: from now on no send succeeds; messages inside are still received, and all waits end that have nothing to wait for.
/// - `reopen()`: sends succeed again. \throws std::logic_error unless closed and drained
/// - `closed()`, `capacity()`; `size()`: messages inside, near the truth while the caller asked.
///
/// T is movable, and need not be copyable. If its move constructor may throw, each message costs an allocation, and a throw leaves the
/// channel whole: what a send throws was not sent; what a receive throws has been taken out, and is lost.
///
/// A wait tries for some microseconds, and then:
/// - in a task of a run, it answers thieves, and sleeps while there are none. With `wait::own` it runs no task: the other end must have a
///   worker, or a thread, of its own. With `wait::any` it runs tasks on top of its own frame, and cannot go on before the one that it
///   has begun ends: no such task may wait for what lies beneath. Inside leat::blocking it sleeps, and another worker takes
///   its place.
/// - in a user-level thread (leat/thread.hpp), the thread leaves its worker to others, as for leat::mutex, whatever `wait` says.
///   \throws std::bad_alloc if it cannot leave, and there is no memory for a compensating worker
/// - in any other thread, it sleeps.
///
/// Thread safety: sends by as many as `Senders` says, receives by as many as `Receivers` says; all else by any thread, at any time, and
/// reopen() by one thread that knows that no call of others is under way.
/// Cost: a read-modify-write each; a lock and a wake-up if the other end sleeps. Unless both ends are `ends::one`, the channel
/// writes all its cells when it is made.
/// Paper: Prell, section 3.1 (bounded channels; closing and waits are leat's).
template <class T, ends Senders = ends::many, ends Receivers = ends::many>
using channel = task::channel<platform::chosen, T, Senders, Receivers>;

}  // namespace leat::inline LEAT_ABI
