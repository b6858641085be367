// A state of the explored world: plain bytes, so that a state is compared, copied and hashed as bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "leat/protocol/request.hpp"
#include "model/client.hpp"

namespace leat::model {

/// "w" and 1: "w1".
inline std::string numbered(const char* what, std::size_t number) {
  std::string all(what);
  all += std::to_string(number);
  return all;
}

/// A sequence of at most `Capacity` items in place. What is beyond its end is zero, so equal sequences are equal bytes.
template <class T, std::size_t Capacity>
struct row {
  std::array<T, Capacity> items{};
  T count = 0;

  std::size_t size() const { return count; }
  bool empty() const { return count == 0; }
  bool full() const { return count == Capacity; }
  T operator[](std::size_t i) const { return items[i]; }
  T front() const { return items[0]; }
  T back() const { return items[count - 1u]; }
  const T* begin() const { return items.data(); }
  const T* end() const { return items.data() + count; }
  void push_back(T item) { items[count++] = item; }
  T pop_back() {
    const T item = items[--count];
    items[count] = 0;
    return item;
  }
  T pop_front() { return take(0); }
  T take(std::size_t at) {
    const T item = items[at];
    for (std::size_t i = at; i + 1 < count; ++i) items[i] = items[i + 1];
    items[--count] = 0;
    return item;
  }
  void push_front(T item) {
    for (std::size_t i = count; i > 0; --i) items[i] = items[i - 1];
    items[0] = item;
    ++count;
  }
};

/// A request in one byte; 0 is no request. The amount is the client's.
using packed_request = std::uint8_t;

inline packed_request pack(const protocol::request& s) {
  return static_cast<packed_request>(s.thief | (static_cast<unsigned>(s.status) + 1) << 2 | s.known << 4 | s.only << 6);
}

inline protocol::request unpack(packed_request p, bool half) {
  protocol::request s;
  s.thief = p & 3u;
  s.status = static_cast<protocol::status>((p >> 2 & 3u) - 1);
  s.amount = half ? protocol::amount::half : protocol::amount::one;
  s.known = p >> 4 & 3u;
  s.only = p >> 6 & 3u;
  return s;
}

inline protocol::worker_id thief_of(packed_request p) { return p & 3u; }

/// A message whose request has been taken back by its thief (REQUEST-3): the one that receives it drops it.
inline packed_request stale(protocol::worker_id thief) { return static_cast<packed_request>(thief | 0x10u); }
inline bool is_valid(packed_request p) { return (p >> 2 & 3u) != 0; }

/// A message to the manager, or one thing that the manager still has to deliver, in two bytes.
struct note {
  enum class kind : std::uint8_t { request, update, offer, recall, submit, stop };
  static std::uint16_t pack(kind what, unsigned worker, unsigned run, packed_request about) {
    return static_cast<std::uint16_t>(static_cast<unsigned>(what) << 12 | worker << 10 | run << 8 | about);
  }
  explicit note(std::uint16_t p)
      : what(static_cast<kind>(p >> 12)),
        worker(p >> 10 & 3u),
        run(p >> 8 & 3u),
        about(static_cast<packed_request>(p)) {}
  kind what;
  unsigned worker;
  unsigned run;
  packed_request about;
};

struct delivery {
  enum class kind : std::uint8_t { hand, send, root, dummy, stop, finished, ask };
  static std::uint16_t pack(kind what, unsigned worker, unsigned run, packed_request about) {
    return static_cast<std::uint16_t>(static_cast<unsigned>(what) << 12 | worker << 10 | run << 8 | about);
  }
  explicit delivery(std::uint16_t p)
      : what(static_cast<kind>(p >> 12)),
        worker(p >> 10 & 3u),
        run(p >> 8 & 3u),
        about(static_cast<packed_request>(p)) {}
  kind what;
  unsigned worker;  // hand, send, ask: to whom
  unsigned run;
  packed_request about;
};

/// Where a worker is between two steps; the table in world.hpp says where that is in the worker's parts.
enum class at : std::uint8_t {
  run,
  next,
  receive,
  pool,
  offer,
  carry,
  send,
  raise,
  update,
  answer,
  close,
  ask,
  wait,
  own_update,  // planted only
  reopen,
  reopened,
  ready,
  recall,
  left,
};

/// What a worker goes back to when a request has left its hands.
enum class then : std::uint8_t { poll, drain, wait };

struct answer_slot {
  enum class kind : std::uint8_t { none, tasks, root, dummy, stop };
  kind what = kind::none;
  std::uint8_t victim = 0;
  run_number run = 0;
  run_number known = 0;
  row<std::uint8_t, 3> tasks;
};

/// A task that is being executed, and its next operation.
using frame = std::uint8_t;
inline constexpr frame make_frame(task_id task, unsigned pc) { return static_cast<frame>(task * 16u + pc); }
inline constexpr task_id task_of(frame f) { return static_cast<task_id>(f >> 4); }
inline constexpr unsigned pc_of(frame f) { return f & 15u; }

struct worker_state {
  at phase = at::ask;
  at resume = at::next;  // where to go when the channel is open again
  then after = then::poll;
  std::uint8_t pushed = 0;  // the poll was begun by a push: 1; planted only, by an answer: 2
  task_id held = 0;  // popped before a poll
  run_number run = 0;
  run_number known = 0;
  std::uint8_t closed = 1;
  std::uint8_t raised = 0;
  std::uint8_t outstanding = 0;
  std::uint8_t offered = 0;  // offered_ == the pool's epoch
  std::uint8_t last_victim = workers_max;
  std::uint8_t victims = 0;  // what travels with the request, by number; 0 while none is out
  packed_request hand = 0;  // the request that this worker holds
  std::uint8_t hand_to = 0;  // to whom it goes; workers_max: to the manager
  answer_slot slot;
  row<std::uint8_t, 7> deque;  // oldest first
  row<packed_request, workers_max> channel;
  row<frame, 4> stack;
};

struct state {
  std::array<worker_state, workers_max> worker;
  row<std::uint16_t, 12> inbox;  // of the manager
  row<std::uint16_t, 6> updates;  // planted only: the second channel
  row<std::uint16_t, 10> deliver;  // what the combiner still has to do for the message that it handles
  std::uint16_t manager = 0;  // by number
  std::uint16_t spawned = 0;  // by task, as bits
  std::uint16_t started = 0;
  std::uint16_t done = 0;
  std::array<packed_request, workers_max> pooled{};  // the request in the idle pool, by thief
  std::uint8_t pool_size = 0;  // the pool's hint
  std::uint8_t roots = 0;  // the hint that roots wait
  std::uint8_t submitted = 0;  // by run, as bits; bit 0: the stop
  std::uint8_t finished = 0;
  std::uint8_t taken_back = 0;  // how often a thief has taken its request back
};

static_assert(std::has_unique_object_representations_v<state>, "a state is compared as bytes");

inline bool operator==(const state& a, const state& b) { return std::memcmp(&a, &b, sizeof(state)) == 0; }

/// 64 bits of a state. Visited states are known by these alone: of a few million, two are taken for one with a
/// probability of about one in a million.
inline std::uint64_t hash(const state& s) {
  std::uint64_t h = 0x9e3779b97f4a7c15u;
  const auto* bytes = reinterpret_cast<const unsigned char*>(&s);
  for (std::size_t i = 0; i < sizeof(state); i += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + i, sizeof(state) - i < sizeof(word) ? sizeof(state) - i : sizeof(word));
    h = (h ^ word) * 0xff51afd7ed558ccdu;
    h ^= h >> 32;
  }
  h *= 0xc4ceb9fe1a85ec53u;
  return h ^ h >> 29;
}

}  // namespace leat::model
