// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/predicting/influences.h>
#include <fathom/calls/profiles.h>
#include <fathom/reports/json/json.h>
#include <fathom/reports/text/text.h>

#include <memory>

#include "commands.h"
#include "output.h"
#include "terminal.h"

namespace fathom::cli {

void add_devices(CLI::App& fathom) {
  struct Options {
    std::string device;
    Output output;
  };
  CLI::App* command =
      fathom.add_subcommand("devices", "Known profiles and GPUs present, or one profile's constants");
  command->footer("Examples: fathom devices --json\n          fathom devices h200");
  auto options = std::make_shared<Options>();
  command->add_option("device", options->device,
                      "A profile, whose constants are listed, and how much each moves predictions: a "
                      "built-in name or a path");
  add_output_options(*command, options->output);
  command->callback([options] {
    const std::string& device = options->device;
    const Answer answer(options->output, calls::inputs_of({}, {device}));
    if (!device.empty()) {
      const DeviceProfile profile = calls::find_profile(device, on_terminal());
      const auto influences = calls::typical_influences(profile);
      return answer([&] { return reports::text(profile, influences); },
                    [&] { return reports::json(profile, influences); });
    }
    const auto devices = calls::known_devices(on_terminal());
    answer([&] { return reports::text(devices); }, [&] { return reports::json(devices); });
  });
}

}  // namespace fathom::cli
