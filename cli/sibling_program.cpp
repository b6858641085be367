#include "sibling_program.hpp"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace leat::cli {

std::string sibling_program(std::string_view name) {
  std::error_code unknown;
  std::filesystem::path file = std::filesystem::read_symlink("/proc/self/exe", unknown);
  if (unknown) file = "leat";
  return file.replace_filename(name).string();
}

void become_sibling(std::string_view name, std::string called, std::vector<std::string> words) {
  const std::string file = sibling_program(name);
  std::vector<char*> arguments{called.data()};
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execv(file.c_str(), arguments.data());
  throw std::runtime_error("cannot run '" + file + "': " + std::generic_category().message(errno));
}

}  // namespace leat::cli
