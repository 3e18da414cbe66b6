// SPDX-License-Identifier: Apache-2.0
// Where pip installs NVIDIA's packages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fathom {

/// The files of this name below the folders nvidia/ of Python environments, best first: of the one that is
/// active ($VIRTUAL_ENV, $CONDA_PREFIX), of the python3 in PATH, of the user, of the system. `name` is
/// "cu13/bin/nvdisasm". Only files that exist are listed; folders that cannot be read have none.
std::vector<std::string> files_of_wheels(std::string_view name);

}  // namespace fathom
