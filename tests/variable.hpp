// The environment, for the length of a test.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace leat_test {

/// Sets an environment variable, or unsets it for null, and puts everything back in the end.
class variable {
 public:
  variable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) before_ = old;
    set(value);
  }
  ~variable() { set(before_ ? before_->c_str() : nullptr); }
  variable(const variable&) = delete;
  variable& operator=(const variable&) = delete;

 private:
  void set(const char* value) {
    if (value != nullptr) setenv(name_, value, 1);
    else unsetenv(name_);
  }

  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace leat_test
