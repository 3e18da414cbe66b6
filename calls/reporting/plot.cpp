// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/reporting/plot.h>

#include <fathom/calls/output_files.h>
#include <fathom/calls/predicting/problem.h>
#include <fathom/calls/profiles.h>
#include <fathom/core/interruption.h>
#include <fmt/format.h>

namespace fathom::calls {
namespace {

/// The file itself for a lone figure. The ids of figures of a kind begin with its name, which would repeat.
std::filesystem::path file_of(const reports::Figure& figure, std::size_t figures, reports::FigureKind kind,
                              const std::filesystem::path& file) {
  if (figures == 1) return file;
  std::string_view id = figure.id;
  if (const std::string of_kind = fmt::format("{}-", name(kind)); id.starts_with(of_kind))
    id.remove_prefix(of_kind.size());
  return file.parent_path() / fmt::format("{}-{}{}", file.stem().string(), id, file.extension().string());
}

reports::ReportInput input_of(reports::FigureKind kind, const PlotOptions& options,
                              const Listener& listener) {
  ReportInputs inputs(options, listener);
  if (kind == reports::FigureKind::papers && !(options.algorithm.empty() && options.parameter.empty()))
    throw std::invalid_argument(
        "papers: `algorithm` and `parameter` are those of the papers' figures: omit them");
  const bool needs_others = kind == reports::FigureKind::tradeoff || kind == reports::FigureKind::crossover ||
                            kind == reports::FigureKind::scaling;
  if (!needs_others) inputs.keep_only(options.algorithm);
  switch (kind) {
    case reports::FigureKind::tradeoff:
      inputs.add_trade_offs(options);
      break;
    case reports::FigureKind::crossover:
      inputs.add_crossovers(options.algorithm);
      break;
    case reports::FigureKind::scaling:
      inputs.add_scalings(options.algorithm);
      break;
    case reports::FigureKind::papers:
      inputs.add_papers();
      break;
    case reports::FigureKind::machines:
      inputs.add_machine_sweeps();
      break;
    case reports::FigureKind::saturation:
    case reports::FigureKind::footprint:
    case reports::FigureKind::conflicts:
      break;
    case reports::FigureKind::inputs:
      inputs.add_comparisons();
      inputs.add_degree_sweeps(options.parameter);
      break;
    case reports::FigureKind::parity:
    case reports::FigureKind::types:
      inputs.add_comparisons();
      break;
    case reports::FigureKind::limits:
      inputs.add_comparisons();
      inputs.add_explanations();
      break;
    case reports::FigureKind::speed:
    case reports::FigureKind::throughput:
    case reports::FigureKind::algorithms:
    case reports::FigureKind::sweep:
    case reports::FigureKind::terms:
      inputs.add_comparisons();
      inputs.add_predictions(Predicted::measured_ones);
  }
  return inputs.finish();
}

std::vector<std::filesystem::path> draw(const std::vector<reports::Figure>& figures, reports::FigureKind kind,
                                        const std::filesystem::path& output, const Listener& listener) {
  std::vector<std::filesystem::path> files;
  try {
    for (const auto& figure : figures) {
      listener.progress("drawing " + figure.id, files.size(), figures.size());
      const std::filesystem::path file = file_of(figure, figures.size(), kind, output);
      reports::draw(figure, file);
      files.push_back(file);
    }
  } catch (const Interrupted&) {
    if (files.empty()) throw;
    throw Interrupted(fmt::format("interrupted: {} of {} figures are written; the same command starts again",
                                  files.size(), figures.size()));
  }
  listener.progress("drawn", figures.size(), figures.size());
  return files;
}

}  // namespace

std::vector<std::filesystem::path> plot(reports::FigureKind kind, PlotOptions options,
                                        const std::filesystem::path& output, const Listener& listener) {
  // Crossovers take names of kinds, too, and scaling those of algorithms for several GPUs.
  if (kind != reports::FigureKind::crossover && kind != reports::FigureKind::scaling)
    for (std::string& name : options.algorithm) name = algorithm_or_formula(name).slug;
  reports::check_format(output);
  const OutputFile file = claim(output, inputs_of(options.datasets, {options.device}));
  std::vector<reports::Figure> figures;
  std::string missing_data;
  const reports::ReportInput input = input_of(kind, options, listener);
  for (auto& one : reports::figures(input, kind)) {
    if (auto* figure = std::get_if<reports::Figure>(&one)) {
      figures.push_back(std::move(*figure));
    } else {
      const auto& missing = std::get<reports::Missing>(one);
      missing_data = fmt::format("{}: {}; to get it: {}", missing.figure, missing.what, missing.command);
      if (!figures.empty()) listener.note(missing_data);
    }
  }
  if (figures.empty())
    throw std::runtime_error(missing_data.empty() ? "there is nothing to draw" : missing_data);
  return draw(figures, kind, output, listener);
}

}  // namespace fathom::calls
