#include <fathom/calls/measuring/calibrate.h>
#include <fathom/reports/text/text.h>
#include <fmt/format.h>

#include <memory>

#include "arguments.h"
#include "commands.h"
#include "options.h"
#include "output.h"
#include "terminal.h"

namespace fathom::cli {
namespace {

struct CalibrateOptions {
  int gpu = 0;
  bool quick = false, force = false;
  std::string name;
  std::filesystem::path file;
  Output output;
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
  auto options = std::make_shared<CalibrateOptions>();
  add_whole_option(*command, "--gpu", options->gpu, gpu_indices, "Which GPU, numbered from 0");
  command->add_flag("--quick", options->quick, "Coarser sweeps, about 10 s");
  command->add_flag("--force", options->force,
                    "Write the profile even if its measurements are implausible, and mark it so");
  command->add_option("--name", options->name, "The profile's name [default: derived from the GPU's]");
  command->add_option(
      "-o,--output", options->file,
      "Write the profile here [default: in the user's profile directory, where --device finds it by name]");
  add_json_option(*command, options->output);
  command->callback([options, command_line] {
    if (!options->name.empty()) check_profile_name(options->name);
    const Answer answer(options->output);
    const calls::Calibrated calibrated = calls::calibrate(
        {options->file, options->name, options->gpu, options->quick, options->force, command_line},
        on_terminal());
    const DeviceProfile& profile = calibrated.profile;
    const bool is_found_by_name = options->file.empty();
    const std::string device = is_found_by_name ? profile.name : options->file.string();
    answer([&] { return reports::text(profile) + next_questions(device); }, [&] { return to_json(profile); });
  });
}

}  // namespace fathom::cli
