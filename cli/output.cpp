// SPDX-License-Identifier: Apache-2.0
#include "output.h"

#include <fathom/calls/output_files.h>
#include <fathom/core/text/escape.h>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "terminal.h"

namespace fathom::cli {
namespace {

/// Whoever reads the answer has read enough, as head does: no reason for a message.
[[noreturn]] void end_as_by_sigpipe() {
  std::signal(SIGPIPE, SIG_DFL);
  std::raise(SIGPIPE);
  std::_Exit(1);
}

}  // namespace

void add_json_option(CLI::App& command, Output& output) {
  command.add_flag("--json", output.json, "Print JSON");
}

void add_output_options(CLI::App& command, Output& output) {
  add_json_option(command, output);
  command.add_option("-o,--output", output.file, "Write the answer to this file instead of stdout");
}

void add_verbose_option(CLI::App& command, reports::Verbosity& verbosity, const std::string& help) {
  command.add_flag_callback(
      "-v,--verbose", [&verbosity] { verbosity = reports::Verbosity::full; }, help);
}

Answer::Answer(const Output& output, const std::vector<std::filesystem::path>& inputs) : json_(output.json) {
  if (!output.file.empty()) file_ = calls::claim(output.file, inputs);
}

void Answer::operator()(const std::function<std::string()>& text,
                        const std::function<std::string()>& json) const {
  std::string answer = as_typed(json_ ? json() : for_terminal(text()));
  if (!answer.ends_with('\n')) answer += '\n';
  if (file_) {
    file_->write(answer);
  } else if (std::fwrite(answer.data(), 1, answer.size(), stdout) != answer.size() ||
             std::fflush(stdout) != 0) {
    if (errno == EPIPE) end_as_by_sigpipe();
    throw std::runtime_error("only part of the answer could be written to stdout: is the disk full?");
  }
}

}  // namespace fathom::cli
