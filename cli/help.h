// SPDX-License-Identifier: Apache-2.0
// The command line described to people: help texts that fit the terminal, and what a manual page and
// completions are made of.
#pragma once

#include <CLI/App.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::cli {

/// CLI11's, with lines of at most reports::line_width columns.
std::shared_ptr<CLI::FormatterBase> help_formatter();

/// The heading of the options that only this takes.
std::string only_for(std::string_view what);

/// The commands in the order of the help.
std::vector<const CLI::App*> commands_of(const CLI::App& fathom);

/// An option or a positional argument of a command.
struct OptionHelp {
  std::vector<std::string> names;  ///< as typed, "-o", "--output"; of a positional argument its name
  bool is_positional = false;
  bool takes_value = false;
  std::string description;  ///< with its default, and what alone takes it
};
std::vector<OptionHelp> options_of(const CLI::App& command);

}  // namespace fathom::cli
