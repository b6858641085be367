#include "installed_file.hpp"

#include <system_error>

namespace leat::cli {

std::vector<std::filesystem::path> installed_folders(const std::string& kind) {
  std::error_code unknown;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", unknown);
  std::vector<std::filesystem::path> there;
  for (const char* const place : {"share/leat", "../share/leat"}) {
    const std::filesystem::path folder = (self.parent_path() / place / kind).lexically_normal();
    if (std::filesystem::is_directory(folder, unknown)) there.push_back(folder);
  }
  return there;
}

std::string installed_file(const std::string& kind, const std::string& given) {
  if (std::filesystem::exists(given)) return given;
  for (const std::filesystem::path& folder : installed_folders(kind)) {
    const std::filesystem::path known = folder / (given + ".json");
    if (std::filesystem::exists(known)) return known.string();
  }
  return given;
}

}  // namespace leat::cli
