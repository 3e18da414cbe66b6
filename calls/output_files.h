// SPDX-License-Identifier: Apache-2.0
// Files that are about to be written.
#pragma once

#include <fathom/core/system/whole_file.h>

#include <filesystem>
#include <vector>

namespace fathom::calls {

/// Claims a file that a call writes, before its work starts (core/system/whole_file.h). Throws
/// std::invalid_argument if it is one of the call's `inputs`, std::runtime_error if measurements, a profile
/// or a dataset, would be replaced by something else, and what OutputFile throws.
OutputFile claim(const std::filesystem::path& file, const std::vector<std::filesystem::path>& inputs = {});
/// The same for a file that is to hold a profile: only a profile is replaced.
OutputFile claim_profile(const std::filesystem::path& file,
                         const std::vector<std::filesystem::path>& inputs = {});

}  // namespace fathom::calls
