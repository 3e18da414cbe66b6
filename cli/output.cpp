#include "output.h"

#include <fathom/core/escape.h>
#include <fmt/format.h>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <array>
#include <cstdio>
#include <fstream>
#include <stdexcept>

#include "arguments.h"

namespace fathom::cli {

namespace fs = std::filesystem;

namespace {

void refuse_input(const fs::path& output, const std::vector<fs::path>& inputs) {
  for (const fs::path& input : inputs) {
    std::error_code missing;  // a file that is not there is not the other one
    if (fs::equivalent(output, input, missing))
      throw UsageError(
          fmt::format("{} is read by this command: choose another file for the output", output.string()));
  }
}

/// "profile" or "dataset" if the file is one, else empty. Its first line after the brace says so.
std::string measurements_in(const fs::path& file) {
  if (!fs::is_regular_file(file)) return "";
  std::array<char, 256> head{};
  std::ifstream(file, std::ios::binary).read(head.data(), head.size() - 1);
  for (const char* kind : {"profile", "dataset"})
    if (std::string_view(head.data()).find(fmt::format("\"fathom.{}\"", kind)) != std::string_view::npos)
      return kind;
  return "";
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

OutputFile claim(const fs::path& file, const std::vector<fs::path>& inputs) {
  refuse_input(file, inputs);
  OutputFile claimed(file);
  if (const std::string found = measurements_in(file); !found.empty())
    throw std::runtime_error(fmt::format("{} holds a {}, which the answer would replace: choose another file",
                                         file.string(), found));
  return claimed;
}

OutputFile claim_profile(const fs::path& file, const std::vector<fs::path>& inputs) {
  refuse_input(file, inputs);
  OutputFile claimed(file);
  if (fs::is_regular_file(file) && !fs::is_empty(file) && measurements_in(file) != "profile")
    throw std::runtime_error(fmt::format(
        "{} exists and is not a profile: choose another file, or remove it first", file.string()));
  return claimed;
}

Answer::Answer(const Output& output, const std::vector<fs::path>& inputs) : json_(output.json) {
  if (!output.file.empty()) file_ = claim(output.file, inputs);
}

void Answer::operator()(const std::function<std::string()>& text,
                        const std::function<std::string()>& json) const {
  std::string answer = json_ ? json() : for_terminal(text());
  if (!answer.ends_with('\n')) answer += '\n';
  if (file_) {
    file_->write(answer);
  } else if (std::fwrite(answer.data(), 1, answer.size(), stdout) != answer.size() ||
             std::fflush(stdout) != 0) {
    throw std::runtime_error("only part of the answer could be written to stdout: is the disk full?");
  }
}

}  // namespace fathom::cli
