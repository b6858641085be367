// What commands printed, kept in a folder, so that none runs twice.

#pragma once

#include "command_words.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace leat::cli {

/// A folder of files, one for each command and build. The build is the contents of the program that the command runs, and of
/// its machine file. So a change of either leaves what is kept alone, and has the command run again.
///
/// Thread safety: none. Two processes may share a folder: each file is written whole.
class kept_results {
 public:
  /// \param folder  is made when something is kept
  explicit kept_results(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// What the command printed under this build; null if nothing, or nothing that can be read. The pointer stays valid until
  /// the object goes.
  [[nodiscard]] const nlohmann::ordered_json* find(const command_words&);

  /// Keeps what a command printed. Throws std::runtime_error, naming the file, if it cannot be written.
  void keep(const command_words&, nlohmann::ordered_json output);

  /// A new file of this folder, for a run that is under way. Makes the folder; throws std::runtime_error, naming it, if it cannot be made.
  [[nodiscard]] std::filesystem::path unfinished(const std::string& name) const;

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  struct place {
    std::string build;
    std::filesystem::path file;
  };

  [[nodiscard]] place place_of(const command_words&);
  [[nodiscard]] const std::string& digest_of(const std::filesystem::path& file);

  std::filesystem::path folder_;
  std::map<std::string, std::string> digests_;  // of files, by path
  std::map<std::string, nlohmann::ordered_json> read_;  // by command
};

/// The program that a command of leat runs: leat-sim for `sim`, else leat.
[[nodiscard]] std::string program_of(const command_words&);

}  // namespace leat::cli
