#include "kept_results.hpp"

#include "installed_file.hpp"
#include "json_text.hpp"
#include "sibling_program.hpp"
#include "whole_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

namespace leat::cli {

namespace {

using nlohmann::ordered_json;

// FNV-1a (Fowler, Noll, Vo), of 64 bits: to tell builds apart, not to withstand anybody.
std::string digest(std::string_view text) {
  constexpr std::uint64_t basis = 0xcbf29ce484222325, prime = 0x100000001b3;
  std::uint64_t value = basis;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * prime;
  return fmt::format("{:016x}", value);
}

}  // namespace

std::string program_of(const command_words& command) {
  return sibling_program(command.command() == "sim" ? "leat-sim" : "leat");
}

const std::string& kept_results::digest_of(const std::filesystem::path& file) {
  const auto known = digests_.find(file.string());
  if (known != digests_.end()) return known->second;
  std::string of_file = "none";
  std::error_code unknown;
  if (std::filesystem::is_regular_file(file, unknown)) of_file = digest(read_whole(file));
  return digests_[file.string()] = of_file;
}

kept_results::place kept_results::place_of(const command_words& command) {
  place p;
  p.build = digest_of(program_of(command));
  for (const std::string& machine : command.values_of("--machine"))
    p.build += "-" + digest_of(installed_file("machines", machine));
  p.file = folder_ / (digest(command.text() + '\n' + p.build) + ".json");
  return p;
}

const ordered_json* kept_results::find(const command_words& command) {
  const auto known = read_.find(command.text());
  if (known != read_.end()) return &known->second;
  const place at = place_of(command);
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(at.file, unknown)) return nullptr;
  try {
    const ordered_json kept = parsed(read_whole(at.file));
    if (kept.at("command") != command.text() || kept.at("build") != at.build || !kept.at("output").is_object())
      return nullptr;
    return &(read_[command.text()] = kept.at("output"));
  } catch (const std::exception&) {
    return nullptr;  // whatever ended in the middle is run again
  }
}

void kept_results::keep(const command_words& command, ordered_json output) {
  const place at = place_of(command);
  const ordered_json kept = {{"command", command.text()}, {"build", at.build}, {"output", std::move(output)}};
  write_whole(at.file, as_text(kept) + '\n');
  read_[command.text()] = kept.at("output");
}

std::filesystem::path kept_results::unfinished(const std::string& name) const {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) throw std::runtime_error(fmt::format("cannot make {}: {}", folder_.string(), error.message()));
  return folder_ / fmt::format("{}.{}.unfinished", name, getpid());
}

}  // namespace leat::cli
