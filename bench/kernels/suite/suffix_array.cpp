#include "kernels/suite/suffix_array.hpp"

#include "kernels/suite/costs.hpp"
#include "kernels/suite/merge_sort.hpp"

#include <leat/platform/counted.hpp>

#include <algorithm>
#include <atomic>

namespace leat::kernels::suite {

namespace {

constexpr std::size_t letters_first = 8;  // as many as fit into a key
constexpr costs suffix_compared_ns = {3, 3, 1};  // in worlds
constexpr double keyed_ns = 4;
constexpr double ranked_ns = 4;

}  // namespace

suffix_array::suffix_array(std::size_t n, script s)
    : begins(n),
      text_(draw_text(n, s)),
      suffixes_(n),
      spare_(n),
      rank_(n),
      equals_(n / 2 + 1),
      next_(n / 2 + 1),
      compared_ns_(cost_of(suffix_compared_ns, s)) {}

void suffix_array::restore() {
  std::ranges::fill(begins, 0);
  next_end_ = 0;
}

// Behind the text's end come zeros, which are in no text.
std::uint64_t suffix_array::first_letters(std::size_t begin) const noexcept {
  std::uint64_t letters = 0;
  for (std::size_t i = begin; i < begin + letters_first; ++i) {
    letters = letters << 8 | (i < text_.size() ? static_cast<unsigned char>(text_[i]) : 0);
  }
  return letters;
}

template <class Loops>
void suffix_array::sort(const Loops& by, std::size_t first, std::size_t last) {
  sort_by_merges(by, suffixes_.data() + first, spare_.data() + first, last - first, compared_ns_,
                 [](const suffix& a, const suffix& b) { return a.key < b.key; });
}

void suffix_array::rank(std::size_t first, std::size_t last, std::size_t end) {
  declare(ranked_ns, last - first);
  for (std::size_t at = first; at < last;) {
    const std::size_t begin = at;
    do rank_[suffixes_[at].begin] = static_cast<std::uint32_t>(begin);
    while (++at < end && suffixes_[at].key == suffixes_[begin].key);
    if (at - begin == 1) continue;
    // Relaxed: the end of the loop comes before the list is read.
    const std::atomic_ref<std::uint32_t> next_end(next_end_);
    const std::uint32_t place = next_end.fetch_add(1, std::memory_order_relaxed);
    next_[place] = {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at)};
  }
}

template <class Loops>
void suffix_array::run(const Loops& by) {
  const std::size_t n = text_.size();
  by.each(n, keyed_ns, [this](std::size_t i) { suffixes_[i] = {first_letters(i), static_cast<std::uint32_t>(i)}; });
  sort(by, 0, n);
  by.blocks(n, 0, [this, n](std::size_t first, std::size_t last) {
    // Equals that begin in another block are ranked there.
    while (first != 0 && first != last && suffixes_[first].key == suffixes_[first - 1].key) ++first;
    rank(first, last, n);
  });
  for (std::size_t compared = letters_first; next_end_ != 0; compared *= 2) {
    equals_.swap(next_);
    const std::size_t many = next_end_;
    next_end_ = 0;
    const auto one_each = by.one_each();
    // All ranks are read before any is written.
    one_each.each(many, 0, [&, compared](std::size_t e) {
      const auto [first, last] = equals_[e];
      declare(keyed_ns, last - first);
      for (std::size_t i = first; i < last; ++i) {
        const std::size_t next = suffixes_[i].begin + compared;
        suffixes_[i].key = next < n ? rank_[next] + std::uint64_t{1} : 0;
      }
      sort(by, first, last);
    });
    one_each.each(many, 0, [&](std::size_t e) { rank(equals_[e].first, equals_[e].last, equals_[e].last); });
  }
  by.each(n, 1, [this](std::size_t i) { begins[i] = suffixes_[i].begin; });
}

void suffix_array::run_serially() { run(alone()); }

template void suffix_array::run(const loops<platform::chosen>&);
template void suffix_array::run(const loops<platform::counted>&);

// Two neighbours are in order if their first letters are, or these are equal and what follows them is (Burkhardt and
// Kaerkkaeinen, 2003).
std::uint64_t suffix_array::count_right() const {
  const std::size_t n = text_.size();
  std::vector<std::uint32_t> place(n + 1, 0);  // of each suffix, from 1 on; the empty one is before all
  for (std::size_t i = 0; i < n; ++i) {
    if (begins[i] >= n || place[begins[i]] != 0) return 0;
    place[begins[i]] = static_cast<std::uint32_t>(i + 1);
  }
  std::uint64_t right = n == 0 ? 0 : 1;
  for (std::size_t i = 1; i < n; ++i) {
    const std::uint32_t a = begins[i - 1];
    const std::uint32_t b = begins[i];
    right += text_[a] != text_[b] ? text_[a] < text_[b] : place[a + 1] < place[b + 1];
  }
  return right;
}

}  // namespace leat::kernels::suite
