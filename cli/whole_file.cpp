#include "whole_file.hpp"

#include <unistd.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>

namespace leat::cli {

namespace {

bool write(const std::filesystem::path& file, std::string_view text) {
  std::ofstream out(file, std::ios::binary);
  return (out << text) && out.flush();
}

}  // namespace

std::string read_whole(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw std::runtime_error("cannot read " + file.string());
  return text;
}

void write_whole(const std::filesystem::path& file, std::string_view text) {
  std::error_code error;
  // Through links: what they name is what is to be written.
  const std::filesystem::path place = std::filesystem::weakly_canonical(file, error);
  const bool is_special =
      !error && std::filesystem::exists(place, error) && !std::filesystem::is_regular_file(place, error);
  if (is_special || place.empty()) {
    if (!write(file, text)) throw std::runtime_error("cannot write " + file.string());
    return;
  }
  std::filesystem::path beside = place;
  beside += "." + std::to_string(getpid()) + ".new";
  const bool written = write(beside, text);
  if (written) std::filesystem::rename(beside, place, error);
  if (written && !error) return;
  std::filesystem::remove(beside, error);
  throw std::runtime_error("cannot write " + file.string());
}

}  // namespace leat::cli
