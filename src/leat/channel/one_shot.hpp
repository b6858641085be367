// One message, once: a future's result. Rules ONESHOT-1 to ONESHOT-8: docs/internals/channels.md.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "leat/channel/cell.hpp"
#include "leat/channel/sent.hpp"
#include "leat/platform/order.hpp"

namespace leat::inline LEAT_ABI::channels {

/// What try_send of a one-shot channel answers.
struct one_shot_sent {
  sent result;
  std::uintptr_t waiter;  ///< the tag of the waiter that announced itself last, 0 if none did; 0 unless `result` is ok
};

/// A channel of capacity 1 for one message, from one sender to one receiver. The last of the two to use it knows that
/// it is the last, and may free or recycle the memory at once (ONESHOT-3). Wait-free.
/// Paper: Prell, section 4.3.1 (a future is a channel of capacity 1).
template <class P, class T>
class one_shot {
 public:
  /// A waiter is a multiple of this; the bits beneath are the channel's own (ONESHOT-2).
  static constexpr std::uintptr_t waiter_alignment = 8;

  one_shot() noexcept : word_(empty) {}

  /// Drops the message if it is still inside. For the last user alone (ONESHOT-3).
  ~one_shot() { drop_message(); }

  one_shot(const one_shot&) = delete;
  one_shot& operator=(const one_shot&) = delete;

  static constexpr std::size_t capacity() noexcept { return 1; }

  /// The sender's, once. Moves from `message` only if the result is ok (`message` may travel into the cell and back).
  /// - ok: the receiver has or will have the message and may free the channel at any moment: the sender must not
  ///   touch it again, and this call does not either. `waiter` is the one to wake.
  /// - closed: the receiver has gone for good; the sender is the channel's last user, and may free it.
  /// - full: this round's message was sent before. An error of the caller's; nothing has happened.
  /// One exchange.
  one_shot_sent try_send(T&& message) noexcept {
    // relaxed: a sender that may still ask this has sent the message itself, or is told of it by the one that has
    // (ONESHOT-1).
    const std::uintptr_t before = word_.load(platform::relaxed);
    if (before == full || before == spent) return {sent::full, 0};
    cell_.put(std::move(message));
    // release: pairs with the acquires in ready, try_receive, announce and close; the message is whole.
    // acquire: pairs with the release in announce (what the waiter's tag points to) and in close (all that the receiver
    // ever did here, so that the channel may be freed).
    const std::uintptr_t found = word_.exchange(full, platform::acq_rel);
    if (found == closed_for_good) {
      // The receiver has gone: the channel is ours alone (ONESHOT-3).
      cell_.give_back(message);
      word_.store(closed_for_good, platform::relaxed);  // relaxed: no other thread is here any more
      return {sent::closed, 0};
    }
    return {sent::ok, found};  // empty is 0: no thread waits
  }

  /// The same for a copy of `message`.
  one_shot_sent try_send(const T& message) noexcept
    requires std::is_nothrow_copy_constructible_v<T>
  {
    return try_send(T(message));
  }

  /// For a thread that is sender and receiver at once (ONESHOT-6): the message is there from now on. Instead of
  /// try_send and in the place of an announcement. One store.
  void fill(T&& message) noexcept {
    assert(word_.load(platform::relaxed) == empty);  // relaxed: no other thread is here
    cell_.put(std::move(message));
    word_.store(full, platform::release);  // pairs with ready: the channel may have a new receiver by then
  }

  /// The receiver's: the message is there. One load.
  bool ready() const noexcept {
    return word_.load(platform::acquire) == full;  // acquire: pairs with the exchange in try_send
  }

  /// The receiver's: the message, or nothing if it has not come, or was taken before. With the message the receiver
  /// becomes the channel's last user (ONESHOT-3). No read-modify-write.
  std::optional<T> try_receive() noexcept {
    if (!ready()) return std::nullopt;
    std::optional<T> message = cell_.take();
    word_.store(spent, platform::relaxed);  // relaxed: no other thread is here any more
    return message;
  }

  /// The receiver's: leaves word that `waiter`, a multiple of waiter_alignment and not 0, is to be told of the message.
  /// True: try_send will return the tag of the last announcement. False: the message is there (or the channel is spent
  /// or closed), and no waiter will be told. May be repeated, with the same tag or another. One CAS.
  bool announce(std::uintptr_t waiter) noexcept {
    assert(waiter != 0 && waiter % waiter_alignment == 0);
    // acquire, here and when the CAS fails: pairs with the exchange in try_send, as in ready().
    std::uintptr_t found = word_.load(platform::acquire);
    // strong: only the sender's exchange can make it fail, and then the message is there (ONESHOT-4).
    // release: pairs with the acquire in try_send; what the tag points to is whole.
    return !(found & state_bits) && word_.compare_exchange_strong(found, waiter, platform::acq_rel, platform::acquire);
  }

  /// The same, with the waiter's address as its tag.
  template <class W>
  bool announce(W* waiter) noexcept {
    static_assert(alignof(W) >= waiter_alignment, "the low bits of a waiter's address are the channel's state");
    return announce(reinterpret_cast<std::uintptr_t>(waiter));
  }

  /// One of several receivers' (ONESHOT-7): the same, but keeps the waiter that announced itself before:
  /// `waiter->next` is that one, or null. True: try_send will return the tag of the last one. Lock-free: one CAS, and
  /// one for each waiter that comes between.
  template <class W>
  bool announce_among(W* waiter) noexcept {
    static_assert(alignof(W) >= waiter_alignment, "the low bits of a waiter's address are the channel's state");
    std::uintptr_t found = word_.load(platform::acquire);  // acquire: as in announce
    do {
      if ((found & state_bits) != 0) return false;
      waiter->next = reinterpret_cast<W*>(found);
      // release, acquire: as in announce. Only such operations lead from tag to tag, so the sender's acquire covers all.
    } while (!word_.compare_exchange_weak(found, reinterpret_cast<std::uintptr_t>(waiter), platform::acq_rel,
                                          platform::acquire));
    return true;
  }

  /// In the stead of one of several receivers, which has announced `waiter` (ONESHOT-8): try_send will not return it.
  /// Only while it is certain that no message is sent and no other announcement withdrawn meanwhile; others may
  /// announce. O(announcements).
  template <class W>
  void withdraw(W* waiter) noexcept {
    auto found = reinterpret_cast<std::uintptr_t>(waiter);
    // acq_rel, acquire: as in announce_among, of which this is another step from tag to tag.
    if (word_.compare_exchange_strong(found, reinterpret_cast<std::uintptr_t>(waiter->next), platform::acq_rel,
                                      platform::acquire))
      return;
    W* later = reinterpret_cast<W*>(found);  // announced since
    while (later->next != waiter) later = later->next;
    later->next = waiter->next;
  }

  /// Any receiver's when ready(): the message, which stays inside (ONESHOT-7).
  const T& message() noexcept { return cell_.message(); }

  /// The receiver's, which wants no message any more.
  /// - true: the message had come, and is dropped here if it was not taken; the receiver is the channel's last user.
  /// - false: the sender is still to come and will find the channel closed, as its last user; the receiver must not
  ///   touch it again (ONESHOT-3).
  /// One exchange; none if the message had come long enough ago to be seen.
  bool close() noexcept {
    std::uintptr_t found = word_.load(platform::acquire);  // acquire: as in ready()
    if (found != full && found != spent) {
      // acquire: pairs with the release in try_send. release: pairs with its acquire; we have done with the channel.
      found = word_.exchange(closed_for_good, platform::acq_rel);
    }
    if (found == full) cell_.drop();
    if (found != full && found != spent) return false;
    word_.store(spent, platform::relaxed);  // relaxed: no other thread is here any more
    return true;
  }

  /// For a thread that may touch the channel: whether the receiver has given it up.
  bool closed() const noexcept {
    return word_.load(platform::acquire) == closed_for_good;  // acquire: pairs with the exchange in close
  }

  /// For a thread that may touch the channel: 1 if the message is inside, else 0.
  std::size_t size() const noexcept { return ready() ? 1 : 0; }

  /// The last user's, or any thread's while no other one knows the channel: makes it as new, and drops a message that
  /// is still inside. Must happen before all that follows.
  void reopen() noexcept {
    drop_message();
    word_.store(empty, platform::relaxed);  // relaxed: the channel reaches its next users by other means (ONESHOT-3)
  }

 private:
  template <class U>
  using atomic = typename P::template atomic<U>;

  // The word is one of these or a waiter's tag (ONESHOT-2).
  static constexpr std::uintptr_t empty = 0;
  static constexpr std::uintptr_t full = 1;
  static constexpr std::uintptr_t closed_for_good = 2;  // the receiver has gone
  static constexpr std::uintptr_t spent = 3;  // the message was sent and is no longer inside
  static constexpr std::uintptr_t state_bits = 3;
  static_assert(state_bits < waiter_alignment);

  void drop_message() noexcept {
    if (word_.load(platform::relaxed) == full) cell_.drop();  // relaxed: no other thread is here any more
  }

  atomic<std::uintptr_t> word_;
  cell<T> cell_;
};

}  // namespace leat::inline LEAT_ABI::channels
