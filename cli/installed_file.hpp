// Files that come with the program.

#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace leat::cli {

/// Where files of a kind, such as "machines", may lie: beside the program, or where it was installed. Only folders that are
/// there.
[[nodiscard]] std::vector<std::filesystem::path> installed_folders(const std::string& kind);

/// The file that `given` names, if there is one; else the one of that name with ".json" among those of its kind that come with
/// the program; else `given`, which the message about it then names.
[[nodiscard]] std::string installed_file(const std::string& kind, const std::string& given);

}  // namespace leat::cli
