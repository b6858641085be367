// The transport of a rank that has no others.
#pragma once

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "leat/cluster/transport.hpp"

namespace leat::inline LEAT_ABI::ranks {

/// One rank, no launcher, no library. What it sends to itself has come at once, in the order in which it was sent, so
/// TRANSPORT-1 to TRANSPORT-3 hold by themselves. The manager's messages, the
/// counter and the end word of an engine go to the rank itself.
class alone : public transport {
 public:
  rank_id rank() const noexcept override { return 0; }
  rank_id ranks() const noexcept override { return 1; }

  void send(rank_id, std::span<const std::byte> bytes) override { sent_.push_back({0, {bytes.begin(), bytes.end()}}); }

  bool receive(message& into) override {
    if (sent_.empty()) return false;
    into = std::move(sent_.front());
    sent_.pop_front();
    return true;
  }

  void open_window(std::size_t words, std::size_t landing_bytes) override {
    words_.assign(words, 0);
    landing_.resize(landing_bytes);
  }

  void load(std::size_t first, std::span<std::uint64_t> into) override {
    std::copy_n(words_.begin() + static_cast<std::ptrdiff_t>(first), into.size(), into.begin());
  }

  void store(std::size_t word, std::uint64_t value) override { words_[word] = value; }

  void take_landed(std::span<std::byte> into) override { std::copy_n(landing_.begin(), into.size(), into.begin()); }

  /// The value is the one of now; take_read gives it once.
  void read(rank_id, std::size_t word) override { read_ = words_[word]; }

  std::optional<std::uint64_t> take_read() override { return std::exchange(read_, std::nullopt); }

  void write(rank_id, std::span<const std::byte> landing, std::size_t word, std::uint64_t value) override {
    std::ranges::copy(landing, landing_.begin());
    words_[word] = value;
  }

  /// There is no other rank to add at the same time.
  std::uint64_t add(rank_id, std::size_t word, std::uint64_t addend) override {
    return std::exchange(words_[word], words_[word] + addend);
  }

  /// There is no other rank that could fail to hear.
  void abandon(std::string_view) override {}

 private:
  std::deque<message> sent_;
  std::vector<std::uint64_t> words_;
  std::vector<std::byte> landing_;
  std::optional<std::uint64_t> read_;
};

}  // namespace leat::inline LEAT_ABI::ranks
