// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/reporting/report.h>
#include <fathom/store/json_fields.h>
#include <fmt/format.h>

#include <memory>

#include "commands.h"
#include "options.h"
#include "output.h"
#include "terminal.h"

namespace fathom::cli {

void add_report(CLI::App& fathom) {
  struct Options {
    calls::ReportOptions report;
    std::filesystem::path file = "fathom-report.html";
    Output output;
  };
  CLI::App* command = fathom.add_subcommand(
      "report", "One self-contained HTML file: the verdict on each algorithm, figures that react, tables");
  command->footer("Example: fathom report data/h200/*.json -o report.html");
  auto options = std::make_shared<Options>();
  add_dataset_arguments(*command, options->report.datasets);
  add_options(*command, declared(options->report));
  command->get_option("--compare")
      ->expected(2)
      ->allow_extra_args()
      ->type_name("A B")
      ->excludes("datasets")
      ->excludes("--device")
      ->excludes("--law");
  command->add_option("-o,--output", options->file, "The HTML file")->capture_default_str();
  add_json_option(*command, options->output);
  command->callback([options] {
    const Answer answer(options->output);
    calls::report(options->report, options->file, as_typed, on_terminal());
    answer([&] { return options->file.string(); },
           [&] {
             return dump({{"schema", "fathom.report"}, {"version", 1}, {"file", options->file.string()}}, 2);
           });
  });
}

}  // namespace fathom::cli
