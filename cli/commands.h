// SPDX-License-Identifier: Apache-2.0
// One function per command: it declares the command's options and runs it. Nothing below these functions
// prints, prompts or exits.
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace fathom::cli {

/// Thrown by a command that has failed in one of several processes, of which the first says why.
struct SaidByFirstProcess {};

void add_devices(CLI::App& fathom);
void add_algorithms(CLI::App& fathom);
void add_calibrate(CLI::App& fathom, const std::string& command_line);
void add_predict(CLI::App& fathom);
void add_import(CLI::App& fathom, const std::string& command_line);
void add_tune(CLI::App& fathom);
void add_bench(CLI::App& fathom, const std::string& command_line);
void add_count(CLI::App& fathom);
void add_fit(CLI::App& fathom);
void add_validate(CLI::App& fathom);
void add_plot(CLI::App& fathom);
void add_report(CLI::App& fathom);
void add_completion(CLI::App& fathom);
void add_manual(CLI::App& fathom);

}  // namespace fathom::cli
