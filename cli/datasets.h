// Datasets named on the command line.
#pragma once

#include <fathom/store/dataset.h>

#include <CLI/App.hpp>
#include <filesystem>
#include <vector>

namespace fathom::cli {

CLI::Option* add_dataset_arguments(CLI::App& command, std::vector<std::filesystem::path>& files);

std::vector<Dataset> read_datasets(const std::vector<std::filesystem::path>& files);

/// All runs in one dataset, with the provenance of the first. Throws UsageError if they come from different
/// GPUs: a profile describes one.
Dataset joined(const std::vector<std::filesystem::path>& files);

}  // namespace fathom::cli
