// SPDX-License-Identifier: Apache-2.0
#include <fathom/reports/figures.h>

#include <fathom/core/text/escape.h>
#include <fathom/reports/figures/categories.h>
#include <fathom/reports/figures/crossovers.h>
#include <fathom/reports/figures/machine/memory_machines.h>
#include <fathom/reports/figures/machine/saturation.h>
#include <fathom/reports/figures/overview.h>
#include <fathom/reports/figures/papers.h>
#include <fathom/reports/figures/parity.h>
#include <fathom/reports/figures/scaling.h>
#include <fathom/reports/figures/sweeps.h>
#include <fathom/reports/figures/terms.h>
#include <fathom/reports/figures/throughput.h>
#include <fathom/reports/figures/trade_offs.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace fathom::reports {
namespace {

struct KindEntry {
  FigureKind kind;
  std::string_view name;
  std::vector<FigureOrMissing> (*figures)(const ReportInput&);
};
constexpr KindEntry kinds[] = {{FigureKind::speed, "speed", speed_figures},
                               {FigureKind::limits, "limits", limits_figures},
                               {FigureKind::throughput, "throughput", throughput_figures},
                               {FigureKind::algorithms, "algorithms", algorithm_figures},
                               {FigureKind::inputs, "inputs", input_figures},
                               {FigureKind::types, "types", type_figures},
                               {FigureKind::sweep, "sweep", sweep_figures},
                               {FigureKind::saturation, "saturation", saturation_figures},
                               {FigureKind::footprint, "footprint", footprint_figures},
                               {FigureKind::conflicts, "conflicts", conflict_figures},
                               {FigureKind::parity, "parity", parity_figures},
                               {FigureKind::terms, "terms", terms_figures},
                               {FigureKind::machines, "machines", machine_figures},
                               {FigureKind::tradeoff, "tradeoff", trade_off_figures},
                               {FigureKind::crossover, "crossover", crossover_figures},
                               {FigureKind::scaling, "scaling", scaling_figures},
                               {FigureKind::papers, "papers", paper_figures}};

const KindEntry& entry(FigureKind kind) {
  return *std::find_if(std::begin(kinds), std::end(kinds),
                       [&](const KindEntry& entry) { return entry.kind == kind; });
}

}  // namespace

std::string_view name(FigureKind kind) {
  return entry(kind).name;
}

FigureKind parse_figure_kind(std::string_view text) {
  for (const KindEntry& entry : kinds)
    if (entry.name == text) return entry.kind;
  throw std::invalid_argument(
      fmt::format("unknown figure '{}': choose one of {}", text, figure_kind_names()));
}

std::string figure_kind_names() {
  std::vector<std::string_view> names;
  for (const KindEntry& entry : kinds) names.push_back(entry.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::vector<FigureOrMissing> figures(const ReportInput& input, FigureKind kind) {
  std::vector<FigureOrMissing> all = entry(kind).figures(input);
  std::set<std::string> ids;
  for (FigureOrMissing& one : all)
    if (Figure* figure = std::get_if<Figure>(&one)) {
      const std::string id = figure->id = identifier(figure->id);
      for (int k = 2; !ids.insert(figure->id).second; ++k) figure->id = fmt::format("{}-{}", id, k);
    }
  return all;
}

}  // namespace fathom::reports
