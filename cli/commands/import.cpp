// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/launches/import.h>
#include <fathom/reports/launches.h>

#include <memory>

#include "commands.h"
#include "options.h"
#include "output.h"

namespace fathom::cli {

void add_import(CLI::App& fathom, const std::string& command_line) {
  struct Options {
    std::filesystem::path report, file;
    Output output;
  };
  CLI::App* command = fathom.add_subcommand(
      "import", "Take the launches of your own kernels from a profiler's report, to predict them");
  command->footer(
      "Examples: fathom import report.csv -o mine.work && fathom predict mine.work --device h100\n"
      "The report: ncu --set full --clock-control none --csv --page raw --print-units base ./mine > "
      "report.csv");
  auto options = std::make_shared<Options>();
  command
      ->add_option("report", options->report,
                   "Of NVIDIA Nsight Compute: what ncu --csv prints, or a .ncu-rep")
      ->required();
  command->add_option("-o,--output", options->file, "Write the launches here; the name ends in .work")
      ->required();
  add_json_option(*command, options->output);
  command->callback([options, command_line] {
    const Answer answer(options->output);
    const auto imported = calls::import_report(options->report, options->file, command_line);
    answer([&] { return reports::text(imported); }, [&] { return reports::json(imported); });
  });
}

}  // namespace fathom::cli
