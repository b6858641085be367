#include "kernels/suite/text.hpp"

#include "kernels/suite/fraction.hpp"

namespace leat::kernels::suite {

namespace {

constexpr std::uint32_t characters = 27;  // with the space
constexpr std::size_t period = 1000;
constexpr std::uint32_t errors_one_of = 10'000;

char character(std::uint32_t number) noexcept { return number == 0 ? ' ' : static_cast<char>('a' + number - 1); }

// A word ends behind every sixth character, in the mean. Else each character has a rank by the two before it, and is half as
// likely as that of the rank before.
std::uint32_t draw_after(protocol::random& source, std::uint32_t before, std::uint32_t last) {
  if (source.below(6) == 0) return 0;
  std::uint32_t rank = 0;
  while (rank + 1 < characters && source.below(2) != 0) ++rank;
  protocol::random order(before * characters + last);
  // Rank r is at place (first + r step) modulo 27, which each r has alone: 3 does not divide the step.
  const std::uint32_t first = order.below(characters);
  const std::uint32_t thirds = order.below(characters / 3);
  const std::uint32_t step = 3 * thirds + 1 + order.below(2);
  return (first + rank * step) % characters;
}

std::string draw_words(std::size_t n) {
  protocol::random source(1);
  std::string text(n, ' ');
  std::uint32_t before = 0;
  std::uint32_t last = 0;
  for (char& c : text) {
    const std::uint32_t next = draw_after(source, before, last);
    before = last;
    last = next;
    c = character(next);
  }
  return text;
}

std::string draw_letters(std::size_t n) {
  protocol::random source(1);
  std::string text(n, ' ');
  for (char& c : text) c = character(source.below(characters));
  return text;
}

std::string draw_repeated(std::size_t n) {
  protocol::random source(2);
  const std::string once = draw_letters(period);
  std::string text(n, ' ');
  for (std::size_t i = 0; i < n; ++i) {
    text[i] = source.below(errors_one_of) == 0 ? character(source.below(characters)) : once[i % period];
  }
  return text;
}

}  // namespace

std::string_view name(script s) noexcept {
  switch (s) {
    case script::words: return "words";
    case script::letters: return "letters";
    case script::repeated: return "repeated";
  }
  return "unknown";
}

std::string draw_text(std::size_t n, script s) {
  switch (s) {
    case script::words: return draw_words(n);
    case script::letters: return draw_letters(n);
    case script::repeated: return draw_repeated(n);
  }
  return {};
}

}  // namespace leat::kernels::suite
