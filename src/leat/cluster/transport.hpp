// What carries bytes between ranks: the one door of the cluster tier, as the platform is to the machine.
// docs/internals/cluster.md, rules TRANSPORT.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::ranks {

/// Names a rank: 0 to one less than there are.
using rank_id = std::uint32_t;

/// A message that has come.
struct message {
  rank_id from = 0;
  std::vector<std::byte> bytes;
};

/// One rank's end of a transport. It carries messages, and gives every rank a *window* that the others may use
/// without the rank's help: words of 64 bits, each read and written as one, and a zone of bytes where work lands.
///
/// - TRANSPORT-1 What one rank sends and writes to another takes effect in that order, each thing once. Between
///   different pairs of ranks there is no order.
/// - TRANSPORT-2 Everything takes effect some time after, if both ranks go on calling: there may be no progress without
///   that. No call waits for it, but `add`.
/// - TRANSPORT-3 A rank may send to itself. What it reads of another is what was there at some moment since the read
///   began.
///
/// Thread safety: one thread of a rank calls it at a time.
class transport {
 public:
  transport() = default;
  transport(const transport&) = delete;
  transport& operator=(const transport&) = delete;
  virtual ~transport() = default;

  virtual rank_id rank() const noexcept = 0;
  virtual rank_id ranks() const noexcept = 0;

  /// For each rank a number that ranks of one node share; none at all where each rank has a node of its own, or it is
  /// not known. The same on all ranks.
  virtual std::vector<rank_id> nodes() const { return {}; }

  /// Whether any thread of the rank may call it, one at a time. If not, only the one that made it may (MPI_THREAD_FUNNELED).
  virtual bool serves_any_thread() const noexcept { return true; }

  /// Sends a copy of these bytes. Does not wait for the receiver: the copy is kept until it has it.
  virtual void send(rank_id to, std::span<const std::byte> bytes) = 0;

  /// Whether all that this rank sent and wrote can do without its calls from here on: it may stay away from now.
  virtual bool all_sent() const noexcept { return true; }

  /// Takes a message, if one has come. This is also the progress call: it must be called every few tens of
  /// microseconds.
  virtual bool receive(message& into) = 0;

  /// Makes this rank's window, all zero, of as many words and bytes of landing zone. Once, by all ranks together.
  virtual void open_window(std::size_t words, std::size_t landing_bytes) = 0;

  /// Copies words of this rank's own window, from `first` on, as they stand after all that has taken effect by now.
  /// Each is whole, but others may change between two of them.
  virtual void load(std::size_t first, std::span<std::uint64_t> into) = 0;

  /// Writes a word of this rank's own window.
  virtual void store(std::size_t word, std::uint64_t value) = 0;

  /// Copies the first bytes of this rank's own landing zone.
  virtual void take_landed(std::span<std::byte> into) = 0;

  /// Begins to read a word of another rank's window. One read at a time.
  virtual void read(rank_id of, std::size_t word) = 0;

  /// The value of the read that was begun, once it is here. Then it is taken, and another may begin.
  virtual std::optional<std::uint64_t> take_read() = 0;

  /// Writes bytes to the landing zone of another rank, or none, and then, when they are there, a word of its window.
  virtual void write(rank_id to, std::span<const std::byte> landing, std::size_t word, std::uint64_t value) = 0;

  /// Adds to a word of any rank's window, atomically among all that add, and returns what it was. Waits for it.
  virtual std::uint64_t add(rank_id of, std::size_t word, std::uint64_t addend) = 0;

  /// Some rank no longer answers, for this reason: the end of this object must not wait for it. Where ranks are
  /// processes that means to end them all.
  virtual void abandon(std::string_view why) = 0;
};

}  // namespace leat::inline LEAT_ABI::ranks
