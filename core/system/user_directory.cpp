// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/system/user_directory.h>

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>

namespace fathom {

namespace fs = std::filesystem;

namespace {

std::optional<fs::path> absolute(const char* path) {
  if (!path || !fs::path(path).is_absolute()) return std::nullopt;
  return path;
}

std::optional<fs::path> home() {
  if (auto found = absolute(std::getenv("HOME"))) return found;
  const passwd* user = ::getpwuid(::geteuid());
  return user ? absolute(user->pw_dir) : std::nullopt;
}

}  // namespace

std::optional<fs::path> user_directory(const char* variable, const char* in_home) {
  if (auto found = absolute(std::getenv(variable))) return found;
  if (const auto directory = home()) return *directory / in_home;
  return std::nullopt;
}

}  // namespace fathom
