// A rank's end of a cluster whose other ranks are a script: what they send and write is whatever the input says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "fuzz/expect.hpp"
#include "fuzz/script.hpp"
#include "leat/cluster/transport.hpp"

namespace leat_fuzz {

/// Brings what the script says, and checks that the rank asks of its transport only what there is. A message is its sender, counted
/// from one, its length and its bytes; a sender of zero is none for now. Thread safety: none.
class scripted_transport final : public leat::ranks::transport {
 public:
  using rank_id = leat::ranks::rank_id;

  scripted_transport(rank_id self, rank_id ranks, script& what) : self_(self), ranks_(ranks), script_(what) {}

  rank_id rank() const noexcept override { return self_; }
  rank_id ranks() const noexcept override { return ranks_; }

  void send(rank_id to, std::span<const std::byte>) override { expect_rank(to); }

  bool receive(leat::ranks::message& into) override {
    const std::uint8_t sender = script_.byte();
    if (sender == 0) return false;
    into.from = (sender - 1) % ranks_;
    const std::span<const std::byte> bytes = script_.bytes(script_.byte());
    into.bytes.assign(bytes.begin(), bytes.end());
    return true;
  }

  void open_window(std::size_t words, std::size_t landing_bytes) override {
    words_.assign(words, 0);
    landing_.assign(landing_bytes, std::byte{});
  }

  void load(std::size_t first, std::span<std::uint64_t> into) override {
    expect(first <= words_.size() && into.size() <= words_.size() - first, "a word is read that the window has not");
    for (std::uint64_t& word : into) {
      if (script_.byte() % 4 == 1) words_[first] = script_.word();
      word = words_[first++];
    }
  }

  void store(std::size_t word, std::uint64_t value) override {
    expect_word(word);
    words_[word] = value;
  }

  void take_landed(std::span<std::byte> into) override {
    expect(into.size() <= landing_.size(), "more is taken than can have landed");
    const std::span<const std::byte> bytes = script_.bytes(into.size());
    std::ranges::copy(bytes, landing_.begin());
    std::copy_n(landing_.begin(), into.size(), into.begin());
  }

  void read(rank_id of, std::size_t word) override {
    expect_rank(of);
    expect_word(word);
    expect(!reads_, "two reads at a time");
    reads_ = true;
  }

  std::optional<std::uint64_t> take_read() override {
    expect(reads_, "a read that was not begun is taken");
    reads_ = false;
    return script_.word();
  }

  void write(rank_id to, std::span<const std::byte> landing, std::size_t word, std::uint64_t) override {
    expect_rank(to);
    expect_word(word);
    expect(landing.size() <= landing_.size(), "more is written than can land");
  }

  std::uint64_t add(rank_id of, std::size_t word, std::uint64_t) override {
    expect_rank(of);
    expect_word(word);
    return script_.byte();
  }

  void abandon(std::string_view) override {}

 private:
  void expect_rank(rank_id r) const { expect(r < ranks_, "a rank is called that there is not"); }
  void expect_word(std::size_t word) const { expect(word < words_.size(), "a word is used that the window has not"); }

  rank_id self_;
  rank_id ranks_;
  script& script_;
  std::vector<std::uint64_t> words_;
  std::vector<std::byte> landing_;
  bool reads_ = false;
};

}  // namespace leat_fuzz
