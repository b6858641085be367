// Lines of text pass three steps at once: one makes them, one counts their words, one adds up. Each step is a task with a worker of
// its own, and a channel leads from each to the next. A full channel holds back a step that is faster than the next one.

#include <leat/leat.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>

namespace {

constexpr int lines = 20'000;
constexpr std::size_t room = 64;

template <class T>
using pipe_of = leat::channel<T, leat::ends::one, leat::ends::one>;

std::string line_of(int number) {
  std::string text = "a";
  for (int i = 0; i < number % 7; ++i) text += " word";
  return text;
}

}  // namespace

int main() {
  leat::runtime rt({.workers = 3});
  std::ptrdiff_t words = 0;
  rt.run([&] {
    pipe_of<std::string> texts(room);
    pipe_of<std::ptrdiff_t> counts(room);
    leat::task_group steps;
    steps.spawn([&] {
      for (int i = 0; i < lines; ++i) texts.send(line_of(i));
      texts.close();
    });
    steps.spawn([&] {
      for (const std::string& text : texts) counts.send(1 + std::count(text.begin(), text.end(), ' '));
      counts.close();
    });
    for (const std::ptrdiff_t count : counts) words += count;
    steps.wait();
  });
  std::ptrdiff_t wanted = 0;
  for (int i = 0; i < lines; ++i) wanted += 1 + i % 7;
  std::printf("%td words in %d lines\n", words, lines);
  return words == wanted ? 0 : 1;
}
