#include <fathom/reports/html.h>
#include <fathom/store/whole_file.h>
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "output.h"
#include "report_input.h"

namespace fathom::cli {

void add_report(CLI::App& fathom) {
  struct Options {
    ReportOptions report;
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
    check_writable(options->file);
    reports::ReportInput input = report_input(options->report);
    add_predictions(input, options->report, Predicted::every_algorithm);
    add_trade_offs(input, options->report);
    add_counts(input);
    write_whole(options->file, reports::html_report(input));
    answer(
        options->output, [&] { return options->file.string(); },
        [&] {
          return nlohmann::json{{"schema", "fathom.report"}, {"version", 1}, {"file", options->file.string()}}
              .dump(2);
        });
  });
}

}  // namespace fathom::cli
