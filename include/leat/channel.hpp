// Channels: bounded queues over which tasks, user-level threads and other threads send each other messages. Page:
// docs/guide/channels.md.
#pragma once

#include "leat/platform/chosen.hpp"
#include "leat/task/channel.hpp"

namespace leat::inline LEAT_ABI {

/// How many tasks or threads may use one end of a channel at once. `ends::one`: one at a time; another one may follow
/// if the last call of the one before happens before its own first call. `ends::many`: any number.
using task::ends;

/// What a wait may run (see leat/future.hpp). In a channel a wait with `wait::own` runs no task, and answers thieves; a
/// wait with `wait::any` runs any task of the run.
using task::wait;

/// A bounded FIFO queue of messages from senders to receivers. Neither copyable nor movable. All calls must have
/// returned before it is destroyed, which drops the messages inside.
///
/// - `channel(capacity)`: has room for `capacity` messages, 1 to capacity_max (2^30). \throws std::invalid_argument,
///   which names any other capacity; std::bad_alloc
/// - `bool try_send(T&&)`, `try_send(const T&)`: sends a message. False if the channel is full or closed; then the
///   caller still has the message.
/// - `bool send(T&&, wait = wait::own)`, `send(const T&, ...)`: sends a message, and waits for room. False if the
///   channel is closed, before or meanwhile; then the caller still has the message.
/// - `std::optional<T> try_receive()`: takes the oldest message, or nothing if none is inside. With `ends::many` on a
///   side, both try calls wait for a thread that is about to finish a call of that side, a few instructions of it.
/// - `std::optional<T> receive(wait = wait::own)`: waits for a message and takes it. Nothing if the channel is closed
///   and all messages have been received.
/// - `for (T& m : channel)`: receives until the channel is closed and empty.
/// - `close()`: from now on no send succeeds. Messages inside are still received, and all waits that
///   have nothing to wait for end.
/// - `reopen()`: sends succeed again. \throws std::logic_error unless the channel is closed and drained
/// - `closed()`, `capacity()`: what they say. `size()`: the number of messages inside, which may have changed when it
///   returns.
///
/// T can be moved into a new object; it need not be copyable. Its move must not wait, yield or call a channel: it may hold
/// a cell that other threads wait for. If its move constructor may throw, T is move-assignable, and each message costs an allocation. A throw
/// leaves the channel whole: a send that throws has sent nothing; a receive that throws has taken the message out, and
/// it is lost.
///
/// A wait first tries for some microseconds. What it does then depends on the caller:
/// - In a task of a run, it answers thieves, and sleeps while there are none. With `wait::own` it runs no task, so the
///   other end must have a worker, or a thread, of its own. With `wait::any` it runs tasks on top of its own frame, and
///   goes on only when the task that it has begun ends; such a task must not wait for the one beneath it. Inside
///   leat::blocking it sleeps, and another worker takes its place.
/// - In a user-level thread (leat/thread.hpp), the thread leaves its worker to others, as for leat::mutex, whatever
///   `wait` says. \throws std::bad_alloc if it cannot leave, and there is no memory for a compensating worker
/// - In any other thread, it sleeps.
///
/// Thread safety: `Senders` says how many may send at once, and `Receivers` how many may receive. Any thread may call
/// all other members at any time, but for reopen(): the thread that calls it knows that no other call is under way.
/// Cost: a read-modify-write for a send, and one for a receive; a lock and a wake-up if the other end sleeps. A channel
/// with `ends::one` at both ends is the fastest. Any other channel writes all its cells when it is made.
/// Paper: Prell, section 3.1 (bounded channels; closing and waits are leat's).
template <class T, ends Senders = ends::many, ends Receivers = ends::many>
using channel = task::channel<platform::chosen, T, Senders, Receivers>;

}  // namespace leat::inline LEAT_ABI
