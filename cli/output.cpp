#include "output.h"

#include <fathom/store/whole_file.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdio>
#include <stdexcept>

namespace fathom::cli {

void add_json_option(CLI::App& command, Output& output) {
  command.add_flag("--json", output.json, "Print JSON");
}

void add_output_options(CLI::App& command, Output& output) {
  add_json_option(command, output);
  command.add_option("-o,--output", output.file, "Write the answer to this file instead of stdout");
}

void answer(const Output& output, const std::function<std::string()>& text,
            const std::function<std::string()>& json) {
  std::string answer = output.json ? json() : text();
  if (!answer.ends_with('\n')) answer += '\n';
  if (!output.file.empty()) {
    write_whole(output.file, answer);
  } else if (std::fwrite(answer.data(), 1, answer.size(), stdout) != answer.size() ||
             std::fflush(stdout) != 0) {
    throw std::runtime_error("only part of the answer could be written to stdout: is the disk full?");
  }
}

void check_writable(const std::filesystem::path& file) {
  const auto directory = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  if (std::filesystem::is_directory(file))
    throw std::runtime_error(fmt::format("{} is a directory: name a file", file.string()));
  if (!std::filesystem::is_directory(directory))
    throw std::runtime_error(fmt::format("{}: the directory {} does not exist: create it first",
                                         file.string(), directory.string()));
  // The file is moved into place when it is complete, so the directory must be writable.
  if (access(directory.c_str(), W_OK) != 0)
    throw std::runtime_error(
        fmt::format("{}: no permission to write in {}", file.string(), directory.string()));
}

}  // namespace fathom::cli
