// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/system/wheels.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <utility>

namespace fathom {
namespace {

using std::filesystem::path;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

/// The environment of the first python3 in PATH is /opt/tools for /opt/tools/bin/python3. In a virtual
/// environment that is a link to the system's, which is not followed.
path environment_in_path() {
  std::istringstream folders(variable("PATH"));
  std::error_code missing;
  for (std::string folder; std::getline(folders, folder, ':');)
    if (std::filesystem::exists(path(folder) / "python3", missing)) return path(folder).parent_path();
  return {};
}

std::vector<path> environments() {
  std::vector<path> all;
  for (path one : {path(variable("VIRTUAL_ENV")), path(variable("CONDA_PREFIX")), environment_in_path()})
    if (one.is_absolute()) all.push_back(std::move(one));
  if (const path home = variable("HOME"); home.is_absolute()) all.push_back(home / ".local");
  all.insert(all.end(), {"/usr/local", "/usr"});
  return all;
}

/// The folders lib/python3.N of an environment, newest first.
std::vector<path> versions(const path& environment) {
  constexpr std::string_view python = "python3";
  std::vector<std::pair<int, path>> found;
  std::error_code failed;
  for (std::filesystem::directory_iterator each(environment / "lib", failed), end; !failed && each != end;
       each.increment(failed)) {
    const std::string name = each->path().filename().string();
    if (!name.starts_with(python)) continue;
    int minor = 0;
    if (name.size() > python.size() + 1)
      std::from_chars(name.data() + python.size() + 1, name.data() + name.size(), minor);
    found.emplace_back(minor, each->path());
  }
  std::ranges::sort(found, std::greater{});
  std::vector<path> folders;
  for (auto& [minor, folder] : found) folders.push_back(std::move(folder));
  return folders;
}

}  // namespace

std::vector<std::string> files_of_wheels(std::string_view name) {
  std::vector<std::string> files;
  std::error_code missing;
  for (const path& environment : environments())
    for (const path& version : versions(environment))
      for (const char* packages : {"site-packages", "dist-packages"})
        if (const path file = version / packages / "nvidia" / name;
            std::filesystem::is_regular_file(file, missing) &&
            std::ranges::find(files, file.string()) == files.end())
          files.push_back(file.string());
  return files;
}

}  // namespace fathom
