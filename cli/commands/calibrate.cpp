// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/measuring/calibrate.h>
#include <fathom/calls/predicting/influences.h>
#include <fathom/reports/text/text.h>
#include <fmt/format.h>

#include <memory>

#include "commands.h"
#include "options.h"
#include "output.h"
#include "terminal.h"

namespace fathom::cli {
namespace {

struct Options {
  calls::CalibrateOptions calibrate;
  Output output;
  reports::Verbosity verbosity = reports::Verbosity::brief;
};

std::string next_questions(const std::string& device) {
  return fmt::format(
      "\nWhat can be asked now\n\n"
      "fathom predict sort-kway -n 1e8 --device {0}\n"
      "fathom tune scan-lookback -n 2^26 --device {0} --verify\n"
      "fathom bench sort-pairwise cub-merge --sizes 2^16..2^26:2 -o runs.json\n"
      "fathom validate runs.json --device {0}\n",
      device);
}

}  // namespace

void add_calibrate(CLI::App& fathom, const std::string& command_line) {
  CLI::App* command = fathom.add_subcommand("calibrate", "Measure the GPU and write its profile");
  command->footer("Example: fathom calibrate --quick -o profile.json");
  auto options = std::make_shared<Options>();
  options->calibrate.command = command_line;
  add_options(*command, declared(options->calibrate));
  command->add_option(
      "-o,--output", options->calibrate.file,
      "Write the profile here [default: in the user's profile directory, where --device finds it by name]");
  add_json_option(*command, options->output);
  add_verbose_option(*command, options->verbosity, "Also where the time went, on stderr");
  command->callback([options] {
    const calls::CalibrateOptions& asked = options->calibrate;
    const Answer answer(options->output);
    const calls::Calibrated calibrated = calls::calibrate(asked, on_terminal());
    if (options->verbosity == reports::Verbosity::full) show_on_stderr(reports::text(calibrated.spent));
    const DeviceProfile& profile = calibrated.profile;
    const bool is_found_by_name = asked.file.empty();
    const std::string device = is_found_by_name ? profile.name : asked.file.string();
    answer(
        [&] { return reports::text(profile, calls::typical_influences(profile)) + next_questions(device); },
        [&] { return to_json(profile); });
  });
}

}  // namespace fathom::cli
