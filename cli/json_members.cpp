#include "json_members.hpp"

#include "json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace leat::cli {

using nlohmann::ordered_json;

json_members::json_members(const ordered_json& object, std::string file, std::string place)
    : object_(&object), file_(std::move(file)), place_(std::move(place)) {
  if (object.is_object()) return;
  throw std::invalid_argument(fmt::format("{}: {}: must be an object", file_, place_.empty() ? "the file" : place_));
}

std::string json_members::place_of(std::string_view member) const {
  return place_.empty() ? std::string(member) : fmt::format("{}/{}", place_, member);
}

void json_members::refuse(std::string_view member, std::string_view why) const {
  const auto value = object_->find(member);
  const std::string shown = value == object_->end() ? std::string() : " = " + value->dump();
  throw std::invalid_argument(fmt::format("{}: {}{}: {}", file_, place_of(member), shown, why));
}

const ordered_json& json_members::operator[](const char* member) const {
  if (!has(member)) refuse(member, "is missing");
  return (*object_)[member];
}

std::string json_members::text(const char* member) const {
  const ordered_json& value = (*this)[member];
  if (!value.is_string()) refuse(member, "must be text");
  return value.get<std::string>();
}

std::string json_members::text_or(const char* member, std::string otherwise) const {
  return has(member) ? text(member) : otherwise;
}

std::optional<std::string> json_members::text_if(const char* member) const {
  return has(member) ? std::optional(text(member)) : std::nullopt;
}

double json_members::number(const char* member) const {
  const ordered_json& value = (*this)[member];
  if (!value.is_number()) refuse(member, "must be a number");
  return value.get<double>();
}

double json_members::number_or(const char* member, double otherwise) const {
  return has(member) ? number(member) : otherwise;
}

std::optional<double> json_members::number_if(const char* member) const {
  return has(member) ? std::optional(number(member)) : std::nullopt;
}

unsigned json_members::count_or(const char* member, unsigned otherwise, unsigned most) const {
  if (!has(member)) return otherwise;
  const ordered_json& value = (*this)[member];
  if (!value.is_number_unsigned() || value < 1 || value > most)
    refuse(member, fmt::format("must be between 1 and {}", most));
  return value.get<unsigned>();
}

bool json_members::flag(const char* member) const {
  if (!has(member)) return false;
  const ordered_json& value = (*this)[member];
  if (!value.is_boolean()) refuse(member, "must be true or false");
  return value.get<bool>();
}

std::vector<std::string> json_members::texts_or_none(const char* member) const {
  std::vector<std::string> all;
  if (!has(member)) return all;
  const ordered_json& value = (*this)[member];
  const auto is_text = [](const ordered_json& one) { return one.is_string(); };
  if (!value.is_array() || !std::ranges::all_of(value, is_text)) refuse(member, "must be a list of texts");
  for (const ordered_json& one : value) all.push_back(one.get<std::string>());
  return all;
}

json_members json_members::object(const char* member) const { return {(*this)[member], file_, place_of(member)}; }

void json_members::expect_only(const std::vector<std::string_view>& known) const {
  for (const auto& [member, value] : object_->items()) {
    if (std::ranges::find(known, member) != known.end()) continue;
    std::string names;
    for (const std::string_view one : known) names += fmt::format("{}{}", names.empty() ? "" : ", ", one);
    refuse(member, fmt::format("no such member; there are {}", names));
  }
}

}  // namespace leat::cli
