// Files that are written whole, or stay as they were.

#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace leat::cli {

/// All that is in a file. Throws std::runtime_error, naming it, where it cannot be read.
[[nodiscard]] std::string read_whole(const std::filesystem::path& file);

/// Writes a file, in place of one that is there. Throws std::runtime_error, naming it, where that fails; then what was
/// there is there still. (What is no regular file, such as /dev/stdout, is written to as it is.)
void write_whole(const std::filesystem::path& file, std::string_view text);

/// Throws what write_whole would, if it would now: for who writes only after long work.
void expect_writable(const std::filesystem::path& file);

}  // namespace leat::cli
