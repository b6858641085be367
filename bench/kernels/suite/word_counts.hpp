// How often each word occurs in a text.

#pragma once

#include "kernels/suite/text.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace leat::kernels::suite {

class word_counts {
 public:
  static constexpr std::string_view name = "word-counts";
  static constexpr std::string_view description =
      "How often each word occurs in a text, by a table that all workers write";
  using input_kind = script;
  static constexpr std::array inputs = scripts;
  static constexpr std::int64_t n_default = 20'000'000;
  static constexpr std::int64_t n_max = 1'000'000'000;

  word_counts(std::size_t n, script);

  void restore();
  void run_serially();

  template <class Loops>
  void run(const Loops&);

  /// How many words were counted rightly; none if there is one that is not in the text, or is there twice.
  [[nodiscard]] std::uint64_t count_right() const;
  [[nodiscard]] std::uint64_t expected() const noexcept { return known_.size(); }

  struct entry {
    std::uint32_t begin = no_word;  ///< where the word begins in the text
    std::uint32_t count = 0;
  };
  static constexpr std::uint32_t no_word = ~std::uint32_t{0};
  std::vector<entry> table;

 private:
  struct known {  // of a word, by another way
    std::size_t number;
    std::uint32_t count = 0;
  };

  [[nodiscard]] bool begins_word(std::size_t i) const noexcept {
    return text_[i] != ' ' && (i == 0 || text_[i - 1] == ' ');
  }
  [[nodiscard]] std::string_view word_at(std::size_t begin) const noexcept;
  [[nodiscard]] std::size_t hash_of(std::string_view word) const noexcept;

  // Where the word is counted. If nowhere yet, enter(place) is asked to begin it there; it may find that another has done so
  // meanwhile, and then gives what is there.
  template <class Enter>
  std::size_t place_of(std::uint32_t begin, const Enter& enter);

  std::string text_;
  std::unordered_map<std::string_view, known> known_;
  std::size_t mask_;
  double letter_ns_;
};

}  // namespace leat::kernels::suite
