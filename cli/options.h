// SPDX-License-Identifier: Apache-2.0
// The options of commands.
#pragma once

#include <fathom/calls/options.h>

#include <CLI/App.hpp>
#include <filesystem>
#include <string>
#include <vector>

namespace fathom::cli {

/// Adds the options of a call. What they were declared of must outlive the command.
void add_options(CLI::App& command, const calls::Declarations& declarations);

/// `--gpus`, which stands for a value or several of the parameter `gpus` (set_gpus()).
void add_gpus_option(CLI::App& command, std::string& gpus, const std::string& usual);

CLI::Option* add_dataset_arguments(CLI::App& command, std::vector<std::filesystem::path>& files);

inline constexpr const char* algorithm_help = "As listed by fathom algorithms, or a file with a formula";
inline constexpr const char* algorithms_help =
    "As listed by fathom algorithms, or a file with a formula; several, separated by commas, or all of a "
    "kind (sort, segmented-sort, scan, reduce) are compared";

}  // namespace fathom::cli
