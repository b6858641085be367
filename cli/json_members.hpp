// Members of a JSON object that anybody may have written, each named in the message about it.

#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace leat::cli {

/// One object. All functions throw std::invalid_argument, naming the file and the member, for a value of another kind.
class json_members {
 public:
  /// \param file   named in messages
  /// \param place  where in the file the object is, such as "rows/0"; empty at the top
  json_members(const nlohmann::ordered_json& object, std::string file, std::string place);

  [[nodiscard]] bool has(const char* member) const { return object_->contains(member); }
  [[nodiscard]] const nlohmann::ordered_json& operator[](const char* member) const;

  [[nodiscard]] std::string text(const char* member) const;
  [[nodiscard]] std::string text_or(const char* member, std::string otherwise) const;
  [[nodiscard]] std::optional<std::string> text_if(const char* member) const;
  [[nodiscard]] double number(const char* member) const;
  [[nodiscard]] double number_or(const char* member, double otherwise) const;
  [[nodiscard]] std::optional<double> number_if(const char* member) const;
  [[nodiscard]] unsigned count_or(const char* member, unsigned otherwise, unsigned most) const;
  [[nodiscard]] bool flag(const char* member) const;
  [[nodiscard]] std::vector<std::string> texts_or_none(const char* member) const;
  [[nodiscard]] json_members object(const char* member) const;

  /// Refuses members that are none of these.
  void expect_only(const std::vector<std::string_view>& known) const;

  /// Throws the message about a member.
  [[noreturn]] void refuse(std::string_view member, std::string_view why) const;

  [[nodiscard]] const nlohmann::ordered_json& json() const { return *object_; }
  [[nodiscard]] const std::string& file() const { return file_; }
  /// Where a member is in the file.
  [[nodiscard]] std::string place_of(std::string_view member) const;

 private:
  const nlohmann::ordered_json* object_;
  std::string file_;
  std::string place_;
};

}  // namespace leat::cli
