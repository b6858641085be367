#include "whole_file.hpp"

#include <unistd.h>

#include <cerrno>
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

// Where a file is written before it takes its place.
struct whole_file {
  explicit whole_file(const std::filesystem::path& file) {
    std::error_code error;
    // Through links: what they name is what is to be written.
    place = std::filesystem::weakly_canonical(file, error);
    is_special = !error && std::filesystem::exists(place, error) && !std::filesystem::is_regular_file(place, error);
    beside = place;
    beside += "." + std::to_string(getpid()) + ".new";
  }

  std::filesystem::path place;
  std::filesystem::path beside;
  bool is_special;
};

[[noreturn]] void refuse(const std::filesystem::path& file) {
  throw std::runtime_error("cannot write " + file.string());
}

}  // namespace

std::string read_whole(const std::filesystem::path& file) {
  const auto refuse_reading = [&file](const std::string& why) {
    throw std::invalid_argument("cannot read '" + file.string() + "': " + why);
  };
  std::error_code error;
  using std::filesystem::file_type;
  const file_type type = std::filesystem::status(file, error).type();
  // A device may have no end.
  if (!error && type != file_type::regular && type != file_type::fifo)
    refuse_reading("it is neither a regular file nor a pipe");
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  std::string text;
  if (in) text.assign(std::istreambuf_iterator<char>(in), {});
  if (!in) refuse_reading(std::generic_category().message(errno));
  return text;
}

void write_whole(const std::filesystem::path& file, std::string_view text) {
  const whole_file whole(file);
  if (whole.is_special || whole.place.empty()) {
    if (!write(file, text)) refuse(file);
    return;
  }
  std::error_code error;
  const bool written = write(whole.beside, text);
  if (written) std::filesystem::rename(whole.beside, whole.place, error);
  if (written && !error) return;
  std::filesystem::remove(whole.beside, error);
  refuse(file);
}

void expect_writable(const std::filesystem::path& file) {
  const whole_file whole(file);
  if (whole.is_special && !std::filesystem::is_directory(whole.place)) return;
  const bool written = !whole.is_special && write(whole.beside, "");
  std::error_code error;
  std::filesystem::remove(whole.beside, error);
  if (!written) refuse(file);
}

}  // namespace leat::cli
