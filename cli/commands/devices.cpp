#include <fathom/calls/profiles.h>
#include <fathom/reports/json/json.h>
#include <fathom/reports/text/text.h>

#include <memory>

#include "commands.h"
#include "output.h"
#include "terminal.h"

namespace fathom::cli {
void add_devices(CLI::App& fathom) {
  CLI::App* command = fathom.add_subcommand("devices", "Known profiles and GPUs present");
  command->footer("Example: fathom devices --json");
  auto output = std::make_shared<Output>();
  add_output_options(*command, *output);
  command->callback([output] {
    const Answer answer(*output);
    const auto devices = calls::known_devices(on_terminal());
    answer([&] { return reports::text(devices); }, [&] { return reports::json(devices); });
  });
}

}  // namespace fathom::cli
