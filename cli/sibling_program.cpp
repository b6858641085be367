#include "sibling_program.hpp"

#include <filesystem>
#include <system_error>

namespace leat::cli {

std::string sibling_program(std::string_view name) {
  std::error_code unknown;
  std::filesystem::path file = std::filesystem::read_symlink("/proc/self/exe", unknown);
  if (unknown) file = "leat";
  return file.replace_filename(name).string();
}

}  // namespace leat::cli
