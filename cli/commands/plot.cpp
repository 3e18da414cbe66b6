#include <fathom/reports/figures.h>
#include <fmt/format.h>

#include <fathom/store/json_fields.h>
#include <memory>

#include "commands.h"
#include "options.h"
#include "output.h"
#include "problem.h"
#include "profiles.h"
#include "report_input.h"
#include "terminal.h"

namespace fathom::cli {
namespace {

struct Options {
  std::string kind;
  ReportOptions report;
  TradeOffOptions trade_off;
  std::filesystem::path file;
  Output output;
};

/// The file itself for a single figure; otherwise the figure's id is inserted before the extension.
std::filesystem::path file_of(const reports::Figure& figure, std::size_t figures,
                              const std::filesystem::path& file) {
  if (figures == 1) return file;
  return file.parent_path() /
         fmt::format("{}-{}{}", file.stem().string(), figure.id, file.extension().string());
}

reports::ReportInput input_of(reports::FigureKind kind, const Options& options, const Progress& progress) {
  ReportInputs inputs(options.report, progress);
  if (kind != reports::FigureKind::tradeoff) inputs.keep_only(options.trade_off.algorithms);
  switch (kind) {
    case reports::FigureKind::tradeoff:
      inputs.add_trade_offs(options.trade_off);
      break;
    case reports::FigureKind::machines:
      inputs.add_counts();
      break;
    case reports::FigureKind::saturation:
    case reports::FigureKind::footprint:
    case reports::FigureKind::conflicts:
      break;
    case reports::FigureKind::parity:
    case reports::FigureKind::inputs:
    case reports::FigureKind::types:
      inputs.add_comparisons();
      break;
    case reports::FigureKind::throughput:
    case reports::FigureKind::algorithms:
    case reports::FigureKind::sweep:
    case reports::FigureKind::terms:
      inputs.add_comparisons();
      inputs.add_predictions(Predicted::measured_ones);
  }
  return inputs.finish();
}

std::vector<std::filesystem::path> plot(const Options& options) {
  const reports::FigureKind kind = reports::parse_figure_kind(options.kind);
  reports::check_format(options.file);
  const OutputFile file = claim(options.file, inputs_of(options.report.datasets, options.report.device));
  std::vector<reports::Figure> figures;
  std::string missing_data;
  const Progress progress = progress_on_terminal();
  const reports::ReportInput input = input_of(kind, options, progress);
  for (auto& one : reports::figures(input, kind)) {
    if (auto* figure = std::get_if<reports::Figure>(&one)) {
      figures.push_back(std::move(*figure));
    } else {
      const auto& missing = std::get<reports::Missing>(one);
      missing_data = fmt::format("{}: {}; to get it: {}", missing.figure, missing.what, missing.command);
      if (!figures.empty()) note(missing_data);
    }
  }
  if (figures.empty())
    throw std::runtime_error(missing_data.empty() ? "there is nothing to draw" : missing_data);
  std::vector<std::filesystem::path> files;
  for (const auto& figure : figures) {
    progress("drawing " + figure.id, files.size(), figures.size());
    files.push_back(file_of(figure, figures.size(), options.file));
    reports::draw(figure, files.back());
  }
  clear_progress();
  return files;
}

}  // namespace

void add_plot(CLI::App& fathom) {
  CLI::App* command =
      fathom.add_subcommand("plot", "Figures of predicted and measured times, as SVG, PNG or PDF");
  command->footer("Example: fathom plot throughput data/h200/*.json -o throughput.svg");
  auto options = std::make_shared<Options>();
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
    for (std::string& name : options->trade_off.algorithms) name = algorithm_or_formula(name).slug;
    const auto files = plot(*options);
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
