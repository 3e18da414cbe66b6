// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/predicting/papers.h>
#include <fathom/calls/reporting/plot.h>
#include <fathom/store/json_fields.h>
#include <memory>

#include "commands.h"
#include "options.h"
#include "output.h"
#include "terminal.h"

namespace fathom::cli {

void add_plot(CLI::App& fathom) {
  struct Options {
    std::string kind;
    calls::PlotOptions plot;
    std::filesystem::path file;
    Output output;
  };
  CLI::App* command =
      fathom.add_subcommand("plot", "Figures of predicted and measured times, as SVG, PNG or PDF");
  std::string papers;
  for (const std::string& runs : calls::paper_bench_commands()) papers += "\n  " + runs;
  command->footer(
      "Examples: fathom plot throughput data/h200/*.json -o throughput.svg\n"
      "          fathom plot inputs --parameter sortedness -o sortedness.svg\n"
      "          fathom plot crossover --algorithm scan --device h200 -o crossover.svg\n"
      "          fathom plot scaling data/h200-gpus/sorts.json --device data/h200-gpus/links.json -o s.svg\n"
      "          fathom plot papers data/h200*/*grid.json -o papers.svg\n"
      "scaling draws time and speed-up over the number of GPUs, and where the time goes. It takes runs of "
      "sort-gpus, scan-gpus and reduce-gpus, with those of one GPU to compare with, and a profile with links "
      "(fathom calibrate --links).\n"
      "papers draws figures of the papers for their GPUs and, beside them, what is predicted and measured "
      "here. It takes the runs of" +
      papers +
      "\ninputs draws time and bank conflicts over sortedness and entropy. It takes runs of two degrees or "
      "more:\n"
      "  fathom bench sort-pairwise sort-mms --sizes 2^26 --input sortedness=0,sortedness=0.5,sortedness=1\n"
      "Without them it predicts, under the law published; with --law counted it first counts the kernels' "
      "work, for minutes.");
  auto options = std::make_shared<Options>();
  command->add_option("kind", options->kind, "One of " + reports::figure_kind_names())->required();
  add_dataset_arguments(*command, options->plot.datasets);
  add_options(*command, declared(options->plot));
  command
      ->add_option(
          "-o,--output", options->file,
          "The figure: .svg, .png or .pdf. For several figures, each one's id is added to the file name")
      ->required();
  add_json_option(*command, options->output);
  command->callback([options] {
    const Answer answer(options->output);
    const auto files =
        calls::plot(reports::parse_figure_kind(options->kind), options->plot, options->file, on_terminal());
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
