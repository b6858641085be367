// Which words are the most frequent in the files under a directory? Each worker counts in a map of its own, and the
// maps are combined at the end. Files are read inside leat::blocking for directories on a slow disk or a network, where
// a read may last long: another worker goes on meanwhile. For cached files, as those timed here, it gains nothing.

#include <leat/leat.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct tally {
  // Lets a map of strings be searched for a part of a text, without a copy of that part.
  struct hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::unordered_map<std::string, std::uint64_t, hash, std::equal_to<>> words;
  std::uint64_t unread = 0;  // files

  std::uint64_t& times(std::string_view word) {
    const auto found = words.find(word);
    return found != words.end() ? found->second : words.emplace(word, 0).first->second;
  }

  // The words of a file: letters in a row. A byte beyond ASCII counts as a letter, so words in UTF-8 stay whole.
  void add(std::optional<std::string> text) {
    if (!text) ++unread;
    for (std::size_t first = 0, i = 0; text && i <= text->size(); ++i) {
      char& c = (*text)[i];  // 0 at the end
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
      if ((c >= 'a' && c <= 'z') || static_cast<unsigned char>(c) >= 0x80) continue;
      if (first != i) ++times(std::string_view(*text).substr(first, i - first));
      first = i + 1;
    }
  }

  friend tally operator+(tally a, const tally& b) {
    for (const auto& [word, n] : b.words) a.times(word) += n;
    a.unread += b.unread;
    return a;
  }
  bool operator==(const tally&) const = default;
};

// Nothing if the file cannot be read.
std::optional<std::string> text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text;
  std::array<char, 16'384> part;
  while (in.read(part.data(), part.size()), in.gcount() != 0)
    text.append(part.data(), static_cast<std::size_t>(in.gcount()));
  return in.eof() ? std::optional(std::move(text)) : std::nullopt;
}

std::vector<fs::path> files_under(const fs::path& directory) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(directory, fs::directory_options::skip_permission_denied)) {
    if (entry.is_regular_file() && !entry.is_symlink()) files.push_back(entry.path());
  }
  return files;
}

tally serial(const std::vector<fs::path>& files) {
  tally all;
  for (const fs::path& file : files) all.add(text_of(file));
  return all;
}

tally parallel(leat::runtime& rt, const std::vector<fs::path>& files) {
  leat::worker_local<tally> found(rt);
  rt.run([&] {
    leat::parallel_for_each(files, [&found](const fs::path& file) {
      std::optional<std::string> text = leat::blocking([&file] { return text_of(file); });
      found.local().add(std::move(text));
    });
  });
  return found.combine(tally(), std::plus<>());
}

// A directory of its own, which is removed with all that is in it.
struct temporary_directory {
  fs::path path;

  temporary_directory() {
    std::random_device number;
    do path = fs::temp_directory_path() / ("leat_word_counts_" + std::to_string(number()));
    while (!fs::create_directory(path));
  }
  temporary_directory(const temporary_directory&) = delete;
  temporary_directory& operator=(const temporary_directory&) = delete;
  ~temporary_directory() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

// Writes files of made-up words. As in a language, the n-th most frequent word is about 1/n times as frequent as the
// first.
void generate(const fs::path& directory, std::uint64_t files, std::uint64_t words) {
  constexpr std::array syllables = {"ta", "ne", "ri", "so", "lu", "ma", "ke", "Di", "po", "vu"};
  std::mt19937 draw(1);
  for (std::uint64_t f = 0; f != files; ++f) {
    const fs::path folder = directory / std::to_string(f % 10);
    fs::create_directories(folder);
    std::ofstream out(folder / std::to_string(f), std::ios::binary);
    for (std::uint64_t w = 0; w != words; ++w) {
      auto n = static_cast<std::size_t>(std::pow(5000.0, static_cast<double>(draw()) * 0x1p-32));
      for (; n != 0; n /= syllables.size()) out << syllables[n % syllables.size()];
      out << (w % 12 == 11 ? ".\n" : " ");
    }
    if (!out.flush()) throw std::runtime_error("cannot write a file in " + folder.string());
  }
}

void print_most_frequent(const tally& t) {
  std::vector<std::pair<std::uint64_t, std::string_view>> all;
  for (const auto& [word, times] : t.words) all.emplace_back(times, word);
  const std::size_t printed = std::min<std::size_t>(all.size(), 10);
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(printed), all.end(), std::greater<>());
  for (std::size_t i = 0; i != printed; ++i)
    std::printf("%10llu  %s\n", static_cast<unsigned long long>(all[i].first),
                std::string(all[i].second.substr(0, 60)).c_str());
}

template <class F>
tally timed(double& seconds, F f) {
  const auto begin = std::chrono::steady_clock::now();
  tally result = f();
  seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

bool count(const fs::path& directory) {
  if (!fs::is_directory(directory))
    throw std::invalid_argument("DIRECTORY is '" + directory.string() + "', which is no directory");
  const std::vector<fs::path> files = files_under(directory);
  for (const fs::path& file : files) static_cast<void>(text_of(file));  // neither version is the first to read them
  leat::runtime rt;
  double serial_seconds = 0, parallel_seconds = 0;
  const tally expected = timed(serial_seconds, [&] { return serial(files); });
  const tally found = timed(parallel_seconds, [&] { return parallel(rt, files); });
  std::printf("%zu files, %llu of them unread; %zu different words\n", files.size(),
              static_cast<unsigned long long>(found.unread), found.words.size());
  std::printf("%10s %10s %6s\n%10.3f %10.3f %6.2f\n", "serial s", "parallel s", "ratio", serial_seconds,
              parallel_seconds, serial_seconds / parallel_seconds);
  print_most_frequent(found);
  if (found != expected) std::fprintf(stderr, "word_counts: the counts differ; do the files change?\n");
  return found == expected;
}

std::uint64_t number_of(const char* name, const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc{} && end == text.data() + text.size() && number <= 1'000'000) return number;
  throw std::invalid_argument(std::string(name) + " is '" + text + "', not a whole number up to 1000000");
}

bool count_as_told(std::vector<std::string> arguments) {
  if (arguments.size() == 1) return count(arguments[0]);
  if (arguments.empty()) arguments = {"100", "30000"};
  if (arguments.size() > 2) throw std::invalid_argument("there is one argument too many: '" + arguments[2] + "'");
  const std::uint64_t files = number_of("FILES", arguments[0]), words = number_of("WORDS", arguments[1]);
  const temporary_directory made;
  generate(made.path, files, words);
  return count(made.path);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return count_as_told({argv + 1, argv + argc}) ? 0 : 1;
  } catch (const std::invalid_argument& e) {
    std::fprintf(stderr, "word_counts: %s\nusage: word_counts [DIRECTORY | FILES WORDS]\n", e.what());
    return 2;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "word_counts: %s\n", e.what());
    return 1;
  }
}
