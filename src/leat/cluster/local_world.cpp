#include "leat/cluster/local_world.hpp"

#include <algorithm>
#include <utility>

#include "leat/cluster/victims.hpp"
#include "leat/platform/order.hpp"

namespace leat::inline LEAT_ABI::ranks {

// A lock for what takes a microsecond at most. Each call of an end is one, so each is a step of the world's time.
class local_world::guard {
 public:
  explicit guard(local_world& w) noexcept : world_(w) {
    // acquire: pairs with the release of the rank that had it last.
    while (world_.locked_.exchange(1, platform::acquire) != 0) platform::chosen::yield();
    world_.tick();
  }
  ~guard() { world_.locked_.store(0, platform::release); }  // pairs with the acquire above
  guard(const guard&) = delete;
  guard& operator=(const guard&) = delete;

 private:
  local_world& world_;
};

// A rank's end. What is late comes to the rank in its own calls alone, receive and load: as with MPI, there is no
// progress without them (TRANSPORT-2).
class local_end final : public transport {
 public:
  local_end(local_world& w, rank_id self) : world_(w), self_(self) {}

  rank_id rank() const noexcept override { return self_; }
  rank_id ranks() const noexcept override { return static_cast<rank_id>(world_.boxes_.size()); }

  bool serves_any_thread() const noexcept override { return world_.options_.any_thread; }
  std::vector<rank_id> nodes() const override { return nodes_in_a_row(ranks(), world_.options_.ranks_per_node); }

  void send(rank_id to, std::span<const std::byte> bytes) override {
    const local_world::guard locked(world_);
    world_.post(self_, to, {0, {bytes.begin(), bytes.end()}, false, 0, 0});
  }

  // What is due by now arrives first, of all senders; then it is given out one by one.
  bool receive(message& into) override {
    const local_world::guard locked(world_);
    world_.arrive(self_);
    std::deque<message>& arrived = world_.boxes_[self_].arrived;
    if (arrived.empty()) return false;
    into = std::move(arrived.front());
    arrived.pop_front();
    return true;
  }

  void open_window(std::size_t words, std::size_t landing_bytes) override {
    const local_world::guard locked(world_);
    // The first rank to come does it for all, as another rank may write as soon as it has been here. For the others it
    // changes nothing.
    for (local_world::mailbox& box : world_.boxes_) {
      box.words.resize(words);
      box.landing.resize(landing_bytes);
    }
  }

  void load(std::size_t first, std::span<std::uint64_t> into) override {
    const local_world::guard locked(world_);
    world_.arrive(self_);
    std::copy_n(box().words.begin() + static_cast<std::ptrdiff_t>(first), into.size(), into.begin());
  }

  void store(std::size_t word, std::uint64_t value) override {
    const local_world::guard locked(world_);
    box().words.at(word) = value;
  }

  void take_landed(std::span<std::byte> into) override {
    const local_world::guard locked(world_);
    std::copy_n(box().landing.begin(), into.size(), into.begin());
  }

  // Drawn: what is there now, or what will be there at the end. TRANSPORT-3 allows both, and all in between.
  void read(rank_id of, std::size_t word) override {
    const local_world::guard locked(world_);
    box().read = {world_.drawn_due(), of, word, std::nullopt};
    if (world_.random_.below(2) == 0) box().read->value = world_.boxes_[of].words.at(word);
  }

  // Before it is due there is no answer, however often it is asked for.
  std::optional<std::uint64_t> take_read() override {
    const local_world::guard locked(world_);
    const auto pending = box().read;
    if (!pending || pending->due > world_.now_) return std::nullopt;
    box().read.reset();
    return pending->value ? *pending->value : world_.boxes_[pending->of].words.at(pending->word);
  }

  // A copy, so that the caller's bytes may change at once.
  void write(rank_id to, std::span<const std::byte> landing, std::size_t word, std::uint64_t value) override {
    const local_world::guard locked(world_);
    world_.post(self_, to, {0, {landing.begin(), landing.end()}, true, word, value});
  }

  // At once, before what the caller has written and is still on its way: TRANSPORT-1 is about messages and writes.
  std::uint64_t add(rank_id of, std::size_t word, std::uint64_t addend) override {
    const local_world::guard locked(world_);
    std::uint64_t& at = world_.boxes_[of].words.at(word);
    return std::exchange(at, at + addend);
  }

  void abandon(std::string_view) override {}

 private:
  local_world::mailbox& box() noexcept { return world_.boxes_[self_]; }

  local_world& world_;
  rank_id self_;
};

// Each rank has a row of parcels for each sender: rows are in order, and none waits for another. O(ranks squared) of
// them.
local_world::local_world(rank_id ranks, const world_options& o) : options_(o), random_(o.seed), boxes_(ranks) {
  for (mailbox& box : boxes_) box.from.resize(ranks);
}

local_world::~local_world() = default;

std::unique_ptr<transport> local_world::end_of(rank_id self) { return std::make_unique<local_end>(*this, self); }

// No parcel is due before the one that the same sender sent before it to the same rank. Between pairs nothing is in order.
void local_world::post(rank_id from, rank_id to, parcel p) {
  std::deque<parcel>& way = boxes_.at(to).from[from];
  p.due = drawn_due();
  if (!way.empty()) p.due = std::max(p.due, way.back().due);
  way.push_back(std::move(p));
}

// All that is due, sender by sender, beginning with one that is drawn: else rank 0 would always be heard first.
// O(ranks).
void local_world::arrive(rank_id at) {
  mailbox& box = boxes_[at];
  const auto senders = static_cast<rank_id>(boxes_.size());
  const rank_id first = random_.below(senders);
  for (rank_id i = 0; i < senders; ++i) {
    const rank_id sender = (first + i) % senders;
    std::deque<parcel>& way = box.from[sender];
    for (; !way.empty() && way.front().due <= now_; way.pop_front()) {
      parcel& p = way.front();
      // The bytes before the word, as a thief reads them when it has seen the word (RMA-3).
      if (p.is_write) {
        std::ranges::copy(p.bytes, box.landing.begin());
        box.words.at(p.word) = p.value;
      } else {
        box.arrived.push_back({sender, std::move(p.bytes)});
      }
    }
  }
}

}  // namespace leat::inline LEAT_ABI::ranks
