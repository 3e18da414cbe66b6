#include <fathom/calls/output_files.h>
#include <fathom/calls/profiles.h>
#include <fathom/calls/reporting/report.h>
#include <fathom/store/json_fields.h>
#include <fmt/format.h>

#include <memory>

#include "commands.h"
#include "output.h"
#include "report_options.h"
#include "terminal.h"

namespace fathom::cli {
namespace {

struct ReportOptions {
  ReportArguments report;
  std::vector<std::string> compared;  ///< two, or none
  std::filesystem::path file = "fathom-report.html";
  Output output;
};

std::vector<std::filesystem::path> files_read(const ReportOptions& options) {
  if (options.compared.empty()) return calls::inputs_of(options.report.datasets, options.report.device);
  return {options.compared.begin(), options.compared.end()};
}

}  // namespace

void add_report(CLI::App& fathom) {
  CLI::App* command = fathom.add_subcommand(
      "report", "One self-contained HTML file: the verdict on each algorithm, figures that react, tables");
  command->footer("Example: fathom report data/h200/*.json -o report.html");
  auto options = std::make_shared<ReportOptions>();
  add_report_options(*command, options->report);
  command
      ->add_option("--compare", options->compared,
                   "Two datasets, before and after a change, or two profiles, each a name or a path")
      ->expected(2)
      ->type_name("A B")
      ->excludes("datasets")
      ->excludes("--device")
      ->excludes("--law");
  command->add_option("-o,--output", options->file, "The HTML file")->capture_default_str();
  add_json_option(*command, options->output);
  command->callback([options] {
    const OutputFile file = calls::claim(options->file, files_read(*options));
    const Answer answer(options->output);
    const calls::Listener listener = on_terminal();
    file.write(as_typed(options->compared.empty() ? calls::report(report_options(options->report), listener)
                                                  : calls::comparing_report(options->compared, listener)));
    answer([&] { return options->file.string(); },
           [&] {
             return dump({{"schema", "fathom.report"}, {"version", 1}, {"file", options->file.string()}}, 2);
           });
  });
}

}  // namespace fathom::cli
