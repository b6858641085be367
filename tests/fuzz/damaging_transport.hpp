// A rank's end of a cluster in one process, which damages some of the messages that it sends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/script.hpp"
#include "leat/cluster/transport.hpp"

namespace leat_fuzz {

/// Passes on what it is told to, but for the messages and words that the script says are damaged. Thread safety: none.
class damaging_transport final : public leat::ranks::transport {
 public:
  using rank_id = leat::ranks::rank_id;

  /// \param damaged  counts what was damaged
  damaging_transport(std::unique_ptr<leat::ranks::transport> by, script& what, std::uint32_t& damaged)
      : by_(std::move(by)), script_(what), damaged_(damaged) {}

  rank_id rank() const noexcept override { return by_->rank(); }
  rank_id ranks() const noexcept override { return by_->ranks(); }

  void send(rank_id to, std::span<const std::byte> bytes) override {
    std::vector<std::byte> sent(bytes.begin(), bytes.end());
    damage(sent);
    by_->send(to, sent);
  }

  bool all_sent() const noexcept override { return by_->all_sent(); }
  bool receive(leat::ranks::message& into) override { return by_->receive(into); }
  void open_window(std::size_t words, std::size_t landing_bytes) override { by_->open_window(words, landing_bytes); }
  void load(std::size_t first, std::span<std::uint64_t> into) override { by_->load(first, into); }
  void store(std::size_t word, std::uint64_t value) override { by_->store(word, value); }
  void take_landed(std::span<std::byte> into) override { by_->take_landed(into); }
  void read(rank_id of, std::size_t word) override { by_->read(of, word); }
  std::optional<std::uint64_t> take_read() override { return by_->take_read(); }

  void write(rank_id to, std::span<const std::byte> landing, std::size_t word, std::uint64_t value) override {
    std::vector<std::byte> sent(landing.begin(), landing.end());
    if (script_.byte() == 1) {
      value ^= script_.word();
      ++damaged_;
    }
    by_->write(to, sent, word, value);
  }

  std::uint64_t add(rank_id of, std::size_t word, std::uint64_t addend) override { return by_->add(of, word, addend); }
  void abandon(std::string_view why) override { by_->abandon(why); }

 private:
  void damage(std::vector<std::byte>& message) {
    constexpr std::uint8_t cut_off = 1, extended = 2, other_kind = 3, other_run = 4, other_byte = 5;
    const std::uint8_t how = script_.byte();
    switch (how) {
      case cut_off: message.resize(message.size() - std::min<std::size_t>(message.size(), script_.byte())); break;
      case extended: message.resize(message.size() + script_.byte()); break;
      case other_kind: message.at(0) = std::byte{script_.byte()}; break;
      case other_run: message.at(sizeof(std::uint32_t)) = std::byte{script_.byte()}; break;
      case other_byte: message.at(script_.byte() % message.size()) ^= std::byte{script_.byte()}; break;
      default: return;
    }
    ++damaged_;
  }

  std::unique_ptr<leat::ranks::transport> by_;
  script& script_;
  std::uint32_t& damaged_;
};

}  // namespace leat_fuzz
