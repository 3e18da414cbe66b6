// SPDX-License-Identifier: Apache-2.0
// Where a user's own files live.
#pragma once

#include <filesystem>
#include <optional>

namespace fathom {

/// $variable if it is an absolute path (else it counts as unset: XDG base directory specification), otherwise
/// `in_home` in the home directory, which is $HOME or what the system's user database says. Absent if the
/// user has no home. `user_directory("XDG_CACHE_HOME", ".cache")` is where caches go.
std::optional<std::filesystem::path> user_directory(const char* variable, const char* in_home);

}  // namespace fathom
