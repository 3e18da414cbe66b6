// SPDX-License-Identifier: Apache-2.0
// Datasets of one GPU.
#pragma once

#include <fathom/core/progress.h>
#include <fathom/store/dataset.h>

#include <filesystem>
#include <vector>

namespace fathom::calls {

/// Throws std::invalid_argument for a file listed twice and for files of different GPUs, and what
/// read_dataset() and `progress` throw.
std::vector<Dataset> read_datasets(const std::vector<std::filesystem::path>& files, const Progress& progress);

/// All runs in one dataset, with the provenance of the first. Throws what read_datasets() throws.
Dataset joined(const std::vector<std::filesystem::path>& files, const Progress& progress);

}  // namespace fathom::calls
