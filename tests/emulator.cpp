// In a program that an emulator runs. A death test executes the program anew, and the system does not know programs of that
// processor: the emulator has to execute it.
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>

extern "C" int execv(const char* path, char* const* arguments) noexcept {
  constexpr std::size_t words_max = 64;
  static char emulator[] = LEAT_TEST_EMULATOR;
  std::array<char*, words_max + 1> words{emulator, const_cast<char*>(path)};
  std::size_t end = 2;
  for (char* const* word = arguments + 1; *word != nullptr; ++word) {
    if (end == words_max) return errno = E2BIG, -1;
    words[end++] = *word;
  }
  return execvp(emulator, words.data());
}
