// The suffix array of a text: where its suffixes begin, in the order of the dictionary.

#pragma once

#include "kernels/suite/text.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace leat::kernels::suite {

class suffix_array {
 public:
  static constexpr std::string_view name = "suffix-array";
  static constexpr std::string_view description =
      "The suffix array of a text, by prefixes whose length doubles in each round";
  using input_kind = script;
  static constexpr std::array inputs = scripts;
  static constexpr std::int64_t n_default = 3'000'000;
  static constexpr std::int64_t n_max = 100'000'000;

  suffix_array(std::size_t n, script);

  void restore();

  /// The same without tasks, but for std::sort.
  void run_serially();

  template <class Loops>
  void run(const Loops&);

  /// How many suffixes are greater than the one before; none if they are not all of the text's.
  [[nodiscard]] std::uint64_t count_right() const;
  [[nodiscard]] std::uint64_t expected() const noexcept { return text_.size(); }

  std::vector<std::uint32_t> begins;  ///< of the suffixes, in order

 private:
  struct suffix {
    std::uint64_t key;  // by which it is sorted next
    std::uint32_t begin;
  };

  // Suffixes, by place, that are equal as far as they have been compared.
  struct equals {
    std::uint32_t first;
    std::uint32_t last;
  };

  [[nodiscard]] std::uint64_t first_letters(std::size_t begin) const noexcept;

  template <class Loops>
  void sort(const Loops&, std::size_t first, std::size_t last);

  // Gives all suffixes with equal keys that begin at places [first, last) their rank, and keeps where they are if there are
  // more than one. `end`: how far such may reach.
  void rank(std::size_t first, std::size_t last, std::size_t end);

  std::string text_;
  std::vector<suffix> suffixes_;
  std::vector<suffix> spare_;
  std::vector<std::uint32_t> rank_;  // of the suffix that begins there: the place of the first of its equals
  std::vector<equals> equals_;
  std::vector<equals> next_;
  std::uint32_t next_end_ = 0;
  double compared_ns_;
};

}  // namespace leat::kernels::suite
