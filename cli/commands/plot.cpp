#include <fathom/calls/predicting/problem.h>
#include <fathom/calls/reporting/plot.h>
#include <fathom/store/json_fields.h>
#include <memory>

#include "commands.h"
#include "options.h"
#include "output.h"
#include "report_options.h"
#include "terminal.h"

namespace fathom::cli {
namespace {

struct PlotOptions {
  std::string kind;
  ReportArguments report;
  calls::TradeOffOptions trade_off;
  std::filesystem::path file;
  Output output;
};

}  // namespace

void add_plot(CLI::App& fathom) {
  CLI::App* command =
      fathom.add_subcommand("plot", "Figures of predicted and measured times, as SVG, PNG or PDF");
  command->footer("Example: fathom plot throughput data/h200/*.json -o throughput.svg");
  auto options = std::make_shared<PlotOptions>();
  command->add_option("kind", options->kind, "One of " + reports::figure_kind_names())->required();
  add_report_options(*command, options->report);
  add_list_option(*command, "--algorithm", options->trade_off.algorithms,
                  "Only these, or files with formulas, separated by commas [default: all; tradeoff: those "
                  "measured over their first parameter]");
  command->add_option("--parameter", options->trade_off.parameter,
                      "tradeoff: the parameter to vary [default: the first]");
  command
      ->add_option(
          "-o,--output", options->file,
          "The figure: .svg, .png or .pdf. For several figures, each one's id is added to the file name")
      ->required();
  add_json_option(*command, options->output);
  command->callback([options] {
    const Answer answer(options->output);
    for (std::string& name : options->trade_off.algorithms) name = calls::algorithm_or_formula(name).slug;
    const auto files = calls::plot(reports::parse_figure_kind(options->kind), report_options(options->report),
                                   options->trade_off, options->file, on_terminal());
    answer(
        [&] {
          std::string lines;
          for (const auto& file : files) lines += file.string() + '\n';
          return lines;
        },
        [&] {
          nlohmann::ordered_json names = nlohmann::ordered_json::array();
          for (const auto& file : files) names.push_back(file.string());
          return dump({{"schema", "fathom.plot"}, {"version", 1}, {"files", names}}, 2);
        });
  });
}

}  // namespace fathom::cli
