// SPDX-License-Identifier: Apache-2.0
// Typed results → figures. Nothing is predicted, fitted or averaged here: figures show the input as it is.
// Each kind of figure has its own file in figures/.
#pragma once

#include <fathom/counting/machine_sweep.h>
#include <fathom/reports/crossover.h>
#include <fathom/reports/degree_sweep.h>
#include <fathom/reports/papers.h>
#include <fathom/reports/plot/plot.h>
#include <fathom/reports/results.h>
#include <fathom/reports/scaling.h>
#include <fathom/reports/trade_off.h>

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fathom::reports {

/// Why a figure is missing, and the command that produces its data.
struct Missing {
  std::string figure;   ///< its title
  std::string what;     ///< "no measured run has a prediction"
  std::string command;  ///< "fathom calibrate -o profile.json"
};
using FigureOrMissing = std::variant<Figure, Missing>;

/// The input of reports and plots. Any part may be empty.
struct ReportInput {
  DeviceProfile profile;
  std::vector<Dataset> datasets;
  std::vector<LawComparison> comparisons;     ///< at most one per law, over the runs of all datasets
  std::vector<PredictionReport> predictions;  ///< drawn where measured runs are missing
  std::vector<Unpredicted> unpredicted;
  std::vector<CountReport> counts;  ///< whose audits are printed
  std::vector<MachineSweep> machine_sweeps;
  std::vector<TradeOff> trade_offs;  ///< of the profile's GPU, and of others to compare with
  std::vector<DegreeSweep> degree_sweeps{};
  std::vector<Crossover> crossovers{};
  std::vector<Scaling> scalings{};  ///< of algorithms for several GPUs
  PaperFigures papers{};
  std::vector<std::string> notes;  ///< paragraphs for the summary
  std::string date;                ///< of the report, ISO 8601; empty: not printed
};

enum class FigureKind {
  speed,
  limits,
  throughput,
  algorithms,
  inputs,
  types,
  sweep,
  saturation,
  footprint,
  conflicts,
  parity,
  terms,
  machines,
  tradeoff,
  crossover,
  scaling,
  papers
};
std::string_view name(FigureKind kind);
FigureKind parse_figure_kind(std::string_view text);  ///< throws std::invalid_argument naming the choices
std::string figure_kind_names();                      ///< "throughput, algorithms, …": all of them

/// Every figure of one kind that the input has data for, in reading order; Missing if there is nothing to
/// draw. All but `inputs` draw runs on random input only; but for `types`, each element type has its own
/// figures. Their ids are
/// identifiers (see core/text/escape.h), and no two are the same.
std::vector<FigureOrMissing> figures(const ReportInput& input, FigureKind kind);

}  // namespace fathom::reports
