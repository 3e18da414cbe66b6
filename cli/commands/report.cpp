#include <fathom/calls/output_files.h>
#include <fathom/calls/profiles.h>
#include <fathom/reports/html.h>
#include <fmt/format.h>

#include <fathom/store/json_fields.h>
#include <memory>

#include "commands.h"
#include "output.h"
#include "report_options.h"
#include "terminal.h"

namespace fathom::cli {

void add_report(CLI::App& fathom) {
  struct Options {
    ReportArguments report;
    std::filesystem::path file = "fathom-report.html";
    Output output;
  };
  CLI::App* command = fathom.add_subcommand("report", "Tables and figures in one self-contained HTML file");
  command->footer("Example: fathom report data/h200/*.json -o report.html");
  auto options = std::make_shared<Options>();
  add_report_options(*command, options->report);
  command->add_option("-o,--output", options->file, "The HTML file")->capture_default_str();
  add_json_option(*command, options->output);
  command->callback([options] {
    const OutputFile file =
        calls::claim(options->file, calls::inputs_of(options->report.datasets, options->report.device));
    const Answer answer(options->output);
    const calls::Listener listener = on_terminal();
    calls::ReportInputs inputs(report_options(options->report), listener);
    inputs.add_comparisons();
    inputs.add_predictions(inputs.has_runs() ? calls::Predicted::measured_ones
                                             : calls::Predicted::every_algorithm);
    inputs.add_explanations();
    inputs.add_trade_offs();
    inputs.add_counts();
    if (const auto why_not = reports::why_not_drawn())
      listener.note("the report has no figures: " + *why_not);
    file.write(reports::html_report(inputs.finish(), listener.progress));
    answer([&] { return options->file.string(); },
           [&] {
             return dump({{"schema", "fathom.report"}, {"version", 1}, {"file", options->file.string()}}, 2);
           });
  });
}

}  // namespace fathom::cli
