// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/output_files.h>

#include <fathom/store/measurements_in.h>
#include <fmt/format.h>

#include <stdexcept>

namespace fathom::calls {

namespace fs = std::filesystem;

namespace {

void refuse_input(const fs::path& output, const std::vector<fs::path>& inputs) {
  for (const fs::path& input : inputs) {
    std::error_code missing;  // a file that is not there is not the other one
    if (fs::equivalent(output, input, missing))
      throw std::invalid_argument(
          fmt::format("{} is read by this command: choose another file for the output", output.string()));
  }
}

}  // namespace

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

}  // namespace fathom::calls
