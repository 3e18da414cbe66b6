// SPDX-License-Identifier: Apache-2.0
// An environment variable for the lifetime of an object.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace fathom::tests {

class Environment {
 public:
  /// Unset for nullptr.
  Environment(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    set(value);
  }
  Environment(const char* name, const std::string& value) : Environment(name, value.c_str()) {}
  ~Environment() { set(before_ ? before_->c_str() : nullptr); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  void set(const char* value) const { value ? ::setenv(name_, value, 1) : ::unsetenv(name_); }
  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace fathom::tests
