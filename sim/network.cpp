#include "network.hpp"

#include <leat/cluster/victims.hpp>
#include <leat/platform/chosen.hpp>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <queue>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace leat::sim {

using ranks::rank_id;
using time_of_world = platform::chosen;

// A message, or a write of bytes and a word.
struct network::parcel {
  std::uint64_t due_ns = 0;
  std::uint64_t number = 0;  // of all that were posted: of two that are due at once the first lands first
  rank_id from = 0;
  bool is_write = false;
  std::size_t word = 0;
  std::uint64_t value = 0;
  std::vector<std::byte> bytes;

  friend bool operator>(const parcel& a, const parcel& b) {
    return std::pair(a.due_ns, a.number) > std::pair(b.due_ns, b.number);
  }
};

// One rank's window, what is on its way there, and what has come.
struct network::box {
  std::priority_queue<parcel, std::vector<parcel>, std::greater<>> coming;
  std::unordered_map<rank_id, std::uint64_t> last_due_ns;  // by sender
  std::deque<ranks::message> come;
  std::vector<std::uint64_t> words;
  std::vector<std::byte> landing;
};

class network_end final : public ranks::transport {
 public:
  network_end(network& n, rank_id self) : network_(n), self_(self) {}

  rank_id rank() const noexcept override { return self_; }
  rank_id ranks() const noexcept override { return static_cast<rank_id>(network_.boxes_.size()); }
  std::vector<rank_id> nodes() const override { return ranks::nodes_in_a_row(ranks(), network_.ranks_of_a_node_); }

  void send(rank_id to, std::span<const std::byte> bytes) override {
    pay_call();
    network_.post(self_, to, {.bytes = {bytes.begin(), bytes.end()}});
  }

  bool receive(ranks::message& into) override {
    pay_call();
    network::box& mine = landed(self_);
    if (mine.come.empty()) return false;
    into = std::move(mine.come.front());
    mine.come.pop_front();
    return true;
  }

  // The first rank to come does it for all, as another rank may write as soon as it has been here.
  void open_window(std::size_t words, std::size_t landing_bytes) override {
    pay_call();
    for (network::box& box : network_.boxes_) {
      box.words.resize(words);
      box.landing.resize(landing_bytes);
    }
  }

  void load(std::size_t first, std::span<std::uint64_t> into) override {
    time_of_world::spin_ns(static_cast<std::uint64_t>(1 + network_.times_.word_ns * static_cast<double>(into.size())));
    std::copy_n(landed(self_).words.begin() + static_cast<std::ptrdiff_t>(first), into.size(), into.begin());
  }

  void store(std::size_t word, std::uint64_t value) override { network_.boxes_[self_].words.at(word) = value; }

  void take_landed(std::span<std::byte> into) override {
    std::copy_n(landed(self_).landing.begin(), into.size(), into.begin());
  }

  // There and back again.
  void read(rank_id of, std::size_t word) override {
    pay_call();
    reading_ = {of, word, time_of_world::now_ns() + 2 * network_.way_ns(of, self_, sizeof(std::uint64_t))};
  }

  std::optional<std::uint64_t> take_read() override {
    pay_call();
    if (!reading_ || reading_->due_ns > time_of_world::now_ns()) return std::nullopt;
    const reading was = *std::exchange(reading_, std::nullopt);
    return landed(was.of).words.at(was.word);
  }

  void write(rank_id to, std::span<const std::byte> landing, std::size_t word, std::uint64_t value) override {
    pay_call();
    network_.post(self_, to,
                  {.is_write = true, .word = word, .value = value, .bytes = {landing.begin(), landing.end()}});
  }

  std::uint64_t add(rank_id of, std::size_t word, std::uint64_t addend) override {
    time_of_world::spin_ns(call_ns() + 2 * network_.way_ns(self_, of, sizeof addend));
    std::uint64_t& at = landed(of).words.at(word);
    return std::exchange(at, at + addend);
  }

  void abandon(std::string_view) override {}

 private:
  struct reading {
    rank_id of;
    std::size_t word;
    std::uint64_t due_ns;
  };

  // At least a nanosecond: so that each call is a step of the world.
  std::uint64_t call_ns() const { return static_cast<std::uint64_t>(std::max(1.0, 1000 * network_.times_.call_us)); }
  void pay_call() { time_of_world::spin_ns(call_ns()); }

  network::box& landed(rank_id of) {
    network::box& box = network_.boxes_[of];
    network_.land(box, time_of_world::now_ns());
    return box;
  }

  network& network_;
  rank_id self_;
  std::optional<reading> reading_;
};

network::network(rank_id ranks, rank_id ranks_of_a_node, const network_times& times, std::uint64_t seed)
    : ranks_of_a_node_(ranks_of_a_node), times_(times), boxes_(ranks) {
  if (seed != 0) drawn_.emplace(seed);
}

network::~network() = default;

std::unique_ptr<ranks::transport> network::end_of(rank_id self) { return std::make_unique<network_end>(*this, self); }

std::uint64_t network::way_ns(rank_id from, rank_id to, std::size_t bytes) {
  const bool near = from / ranks_of_a_node_ == to / ranks_of_a_node_;
  const double us = near ? times_.same_node_us : times_.latency_us;
  const double longer = drawn_ ? 1 + 1e-5 * drawn_->below(1000) : 1;
  return static_cast<std::uint64_t>(longer * (1000 * us + static_cast<double>(bytes) / times_.gb_s));
}

// TRANSPORT-1: nothing overtakes what the same rank has sent before.
void network::post(rank_id from, rank_id to, parcel p) {
  box& at = boxes_.at(to);
  std::uint64_t& last = at.last_due_ns[from];
  last = std::max(last, time_of_world::now_ns() + way_ns(from, to, p.bytes.size()));
  p.due_ns = last;
  p.number = ++posted_;
  p.from = from;
  at.coming.push(std::move(p));
}

void network::land(box& at, std::uint64_t now_ns) {
  for (; !at.coming.empty() && at.coming.top().due_ns <= now_ns; at.coming.pop()) {
    const parcel& p = at.coming.top();
    // The bytes before the word, as a thief reads them when it has seen the word (RMA-3).
    if (p.is_write) {
      std::ranges::copy(p.bytes, at.landing.begin());
      at.words.at(p.word) = p.value;
    } else {
      at.come.push_back({p.from, p.bytes});
    }
  }
}

}  // namespace leat::sim
