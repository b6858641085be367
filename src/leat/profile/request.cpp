#include "leat/profile/request.hpp"

#include <charconv>
#include <stdexcept>
#include <system_error>

namespace leat::inline LEAT_ABI::profile {

namespace {

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
  throw std::invalid_argument("leat: LEAT_PROFILE = '" + std::string(text) + "': " + why);
}

std::string with_process(std::string_view file, std::uint64_t process) {
  std::string name(file);
  const std::string number = std::to_string(process);
  for (std::size_t at = 0; (at = name.find("%p", at)) != std::string::npos; at += number.size())
    name.replace(at, 2, number);
  return name;
}

// The number behind a word, from 1 on.
std::uint64_t number_behind(std::string_view text, std::string_view word, std::uint64_t most, const char* unit) {
  const std::size_t equals = word.find('=');
  const std::string_view number = word.substr(equals + 1);
  std::uint64_t n = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), n);
  if (error != std::errc() || end != number.data() + number.size() || n < 1 || n > most) {
    refuse(text, "'" + std::string(number) + "' behind " + std::string(word.substr(0, equals + 1)) +
                     " must be between 1 and " + std::to_string(most) + unit);
  }
  return n;
}

}  // namespace

request read_request(std::string_view text, std::uint64_t process) {
  constexpr std::uint64_t megabyte = 1'000'000, megabytes_max = 1'000'000;
  constexpr std::uint64_t workers_max = 4096;  // as leat::workers_max
  request r;
  std::size_t comma = text.find(',');
  r.file = with_process(text.substr(0, comma), process);
  if (r.file.empty()) refuse(text, "must begin with the name of a file");
  while (comma != text.npos) {
    const std::size_t next = text.find(',', comma + 1);
    const std::string_view word = text.substr(comma + 1, next == text.npos ? next : next - comma - 1);
    if (word == "span") r.span = true;
    else if (word == "record") r.record = true;
    else if (word.starts_with("record="))
      r.record = true, r.record_bytes = number_behind(text, word, megabytes_max, " MB") * megabyte;
    else if (word.starts_with("for=")) r.workers = number_behind(text, word, workers_max, "");
    else refuse(text, "'" + std::string(word) + "' behind the file must be 'span', 'record' or 'for=WORKERS'");
    comma = next;
  }
  return r;
}

}  // namespace leat::inline LEAT_ABI::profile
