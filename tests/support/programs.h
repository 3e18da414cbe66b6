// SPDX-License-Identifier: Apache-2.0
// Programs that tests run in place of others.
#pragma once

#include "temporary_directory.h"

#include <fstream>

namespace fathom::tests {

/// Writes a program of the shell, and returns its path.
inline std::filesystem::path put_program(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file) << "#!/bin/sh\n" << text << '\n';
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  return file;
}

}  // namespace fathom::tests
