// SPDX-License-Identifier: Apache-2.0
// Where a command's answer goes: stdout or -o FILE, as text or as JSON.
#pragma once

#include <fathom/core/system/whole_file.h>
#include <fathom/reports/text/text.h>

#include <CLI/App.hpp>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace fathom::cli {

struct Output {
  bool json = false;
  std::filesystem::path file;  ///< empty: stdout
};

void add_json_option(CLI::App& command, Output& output);
/// --json, and -o for commands whose file is the answer itself.
void add_output_options(CLI::App& command, Output& output);

/// -v and --verbose; `help` says what it adds to the answer.
void add_verbose_option(CLI::App& command, reports::Verbosity& verbosity, const std::string& help);

/// The answer of a command: claims its file at construction, before the command's work.
class Answer {
 public:
  explicit Answer(const Output& output, const std::vector<std::filesystem::path>& inputs = {});

  /// Writes the answer in the requested form. Only that form is generated. Text is escaped for
  /// the terminal.
  void operator()(const std::function<std::string()>& text, const std::function<std::string()>& json) const;

 private:
  bool json_;
  std::optional<OutputFile> file_;  ///< absent: stdout
};

}  // namespace fathom::cli
