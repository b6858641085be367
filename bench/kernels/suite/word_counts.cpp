#include "kernels/suite/word_counts.hpp"

#include "kernels/suite/costs.hpp"
#include "kernels/suite/loops.hpp"

#include <leat/platform/counted.hpp>

#include <algorithm>
#include <atomic>
#include <bit>

namespace leat::kernels::suite {

namespace {

constexpr costs letter_ns = {7, 3.2, 1.8};  // in worlds

// Counts that one worker has not yet added to the table. Frequent words would else be written by all at once.
class gathered_counts {
 public:
  explicit gathered_counts(std::vector<word_counts::entry>& table) : table_(table) {}

  void add(std::size_t place) noexcept {
    kept& its = kept_[place % kept_.size()];
    if (its.place != place) hand_in(its, place);
    ++its.count;
  }

  void hand_in() noexcept {
    for (kept& its : kept_) hand_in(its, 0);
  }

 private:
  struct kept {
    std::size_t place = 0;
    std::uint32_t count = 0;
  };

  void hand_in(kept& its, std::size_t next) noexcept {
    // Relaxed: the end of the loop comes before the counts are read.
    if (its.count != 0) std::atomic_ref(table_[its.place].count).fetch_add(its.count, std::memory_order_relaxed);
    its = {next, 0};
  }

  std::vector<word_counts::entry>& table_;
  std::array<kept, 64> kept_;
};

}  // namespace

word_counts::word_counts(std::size_t n, script s) : text_(draw_text(n, s)), letter_ns_(cost_of(letter_ns, s)) {
  std::size_t words = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (!begins_word(i)) continue;
    ++words;
    ++known_.try_emplace(word_at(i), known{known_.size()}).first->second.count;
  }
  table.resize(std::bit_ceil(2 * words + 1));
  mask_ = table.size() - 1;
}

void word_counts::restore() { std::ranges::fill(table, entry()); }

std::string_view word_counts::word_at(std::size_t begin) const noexcept {
  return std::string_view(text_).substr(begin, std::min(text_.find(' ', begin), text_.size()) - begin);
}

std::size_t word_counts::hash_of(std::string_view word) const noexcept {
  std::uint64_t hash = 0;
  for (const char c : word) hash = (hash + static_cast<unsigned char>(c)) * 0x9e3779b97f4a7c15;
  return hash >> 32 & mask_;
}

template <class Enter>
std::size_t word_counts::place_of(std::uint32_t begin, const Enter& enter) {
  const std::string_view word = word_at(begin);
  for (std::size_t place = hash_of(word);; place = (place + 1) & mask_) {
    const std::uint32_t there = enter(place);
    if (there == begin || word_at(there) == word) return place;
  }
}

void word_counts::run_serially() {
  declare(letter_ns_, text_.size());
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (!begins_word(i)) continue;
    const auto begin = static_cast<std::uint32_t>(i);
    const std::size_t place = place_of(begin, [&](std::size_t at) {
      if (table[at].begin == no_word) table[at].begin = begin;
      return table[at].begin;
    });
    ++table[place].count;
  }
}

template <class Loops>
void word_counts::run(const Loops& by) {
  by.blocks(text_.size(), letter_ns_, [this](std::size_t first, std::size_t last) {
    gathered_counts gathered(table);
    for (std::size_t i = first; i < last; ++i) {
      if (!begins_word(i)) continue;
      const auto begin = static_cast<std::uint32_t>(i);
      gathered.add(place_of(begin, [&](std::size_t at) {
        // Relaxed: the words lie in the text, and no worker writes that.
        const std::atomic_ref<std::uint32_t> its(table[at].begin);
        std::uint32_t there = its.load(std::memory_order_relaxed);
        if (there == no_word && its.compare_exchange_strong(there, begin, std::memory_order_relaxed)) return begin;
        return there;
      }));
    }
    gathered.hand_in();
  });
}

template void word_counts::run(const loops<platform::chosen>&);
template void word_counts::run(const loops<platform::counted>&);

std::uint64_t word_counts::count_right() const {
  std::vector<bool> seen(known_.size());
  std::uint64_t right = 0;
  for (const entry& e : table) {
    if (e.begin == no_word) continue;
    const auto its = known_.find(word_at(e.begin));
    if (its == known_.end() || seen[its->second.number]) return 0;
    seen[its->second.number] = true;
    right += its->second.count == e.count ? 1 : 0;
  }
  return right;
}

}  // namespace leat::kernels::suite
