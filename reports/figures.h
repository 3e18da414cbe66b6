// Typed results → figures. Each function takes what it draws, and draws it as it is: nothing is predicted,
// fitted or averaged here.
#pragma once

#include <fathom/algorithms/machine_sweep.h>
#include <fathom/reports/plot.h>
#include <fathom/reports/results.h>
#include <fathom/reports/trade_off.h>

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fathom::reports {

/// Why a figure is not there, and the command that brings its data.
struct Missing {
  std::string figure;   ///< its title
  std::string what;     ///< "no measured runs of sort-pairwise"
  std::string command;  ///< "fathom bench sort-pairwise --sizes 2^16..2^28 -o data.json"
};
using FigureOrMissing = std::variant<Figure, Missing>;

/// All that reports and plots are made of. Any part may be empty.
struct ReportInput {
  DeviceProfile profile;
  std::vector<Dataset> datasets;
  std::vector<LawComparison> comparisons;     ///< at most one per law, over the runs of all datasets
  std::vector<PredictionReport> predictions;  ///< without measurements: drawn where runs are lacking
  std::vector<CountReport> counts;            ///< whose audits are printed
  std::vector<MachineSweep> machine_sweeps;
  std::vector<TradeOff> trade_offs;  ///< of the profile's GPU, and of others to stand beside it
  std::vector<std::string> notes;    ///< paragraphs for the summary
  std::string date;                  ///< of the report, ISO 8601; empty: not printed
};

enum class FigureKind {
  throughput,
  algorithms,
  sweep,
  saturation,
  footprint,
  conflicts,
  parity,
  terms,
  machines,
  tradeoff
};
std::string_view name(FigureKind kind);
FigureKind parse_figure_kind(std::string_view text);  ///< throws std::invalid_argument naming the choices

/// Every figure of one kind that the input has data for, in reading order; Missing where there is nothing to
/// draw. Only runs on random input are drawn, and where runs differ in type, each type has figures of its
/// own.
std::vector<FigureOrMissing> figures(const ReportInput& input, FigureKind kind);

// ---- The figures one by one, from ready values
// ----------------------------------------------------------------

struct PredictedPoint {
  double x;  ///< n, or the parameter's value
  Prediction prediction;
};
struct MeasuredPoint {
  double x;
  Quartiles seconds;
};

/// One algorithm with fixed parameters against n.
struct ThroughputCurve {
  std::string label;
  struct Law {
    LawName name;
    std::vector<PredictedPoint> points;  ///< x = n, ascending
  };
  std::vector<Law> predicted;
  std::vector<MeasuredPoint> measured;  ///< x = n, ascending
};
/// Throughput against n: a line and its interval band per law, markers with quartile bars for what was
/// measured. `baselines` are what was measured of others, to stand beside a single curve.
Figure throughput_figure(const std::string& id, const std::string& title,
                         const std::vector<ThroughputCurve>& curves,
                         const std::vector<ThroughputCurve>& baselines = {});

/// Time against one parameter, the others fixed.
struct SweepCurve {
  std::string label;  ///< "t = 128"; may be empty for a single curve
  std::vector<PredictedPoint> predicted;
  std::vector<MeasuredPoint> measured;
};
/// Time against a parameter, with the best predicted and the best measured point marked.
Figure sweep_figure(const std::string& id, const std::string& title, const Axis& parameter,
                    const std::vector<SweepCurve>& curves);

/// One configuration of a copy sweep.
struct SaturationSample {
  double X;                  ///< resident threads per core
  double I;                  ///< independent accesses per thread
  double clocks_per_access;  ///< τ: clocks from one access of a thread to its next, median
};
/// Words per clock and core (X/τ) against X·I, with the law of models.md §9 drawn through its constants for
/// every I.
Figure saturation_figure(const std::string& id, const std::string& title,
                         const LevelConstants<double>& constants,
                         const std::vector<SaturationSample>& samples);

/// Passes over footprints of growing size.
struct FootprintCurve {
  std::string label;                 ///< "copied", "only read"
  std::optional<double> half_bytes;  ///< that the L2 serves half of, as fitted
  std::vector<Point> points;         ///< distinct bytes touched, median bytes per second
};
Figure footprint_figure(const std::string& id, const std::string& title, const Machine<double>& machine,
                        const std::vector<FootprintCurve>& curves);

struct ConflictSample {
  double degree;             ///< β, 1 to 32
  double X;                  ///< resident threads per core
  double clocks_per_access;  ///< τ of a chain of dependent loads (I = 1), median
};
/// Time of a shared access against its conflict degree, with the calibrated law drawn through the machine's
/// constants.
Figure conflict_figure(const std::string& id, const std::string& title, const Machine<double>& machine,
                       const std::vector<ConflictSample>& samples);

/// Measured against predicted time, both logarithmic, with lines at ±10 %; fitted runs hollow.
Figure parity_figure(const std::string& id, const std::string& title, const std::vector<ComparedRun>& runs);

/// The time's terms as stacked bars over a parameter, with the predicted time (which is their sum only where
/// nothing overlaps) and the measured ones.
Figure terms_figure(const std::string& id, const std::string& title, const Axis& x,
                    const std::vector<PredictedPoint>& predicted, const std::vector<MeasuredPoint>& measured);
/// The terms as shares of their sum over n, where times span too many decades to be stacked.
Figure term_shares_figure(const std::string& id, const std::string& title,
                          const std::vector<PredictedPoint>& predicted);

/// Counted time units of several algorithms over one variable of a memory machine, each with its bound times
/// the constant that fits it best. Over n both are divided by n.
Figure machine_figure(const std::string& id, const std::string& title, MachineVariable variable,
                      const std::vector<MachineSweep>& sweeps);

/// Bandwidth of the matrix scan over α: of one GPU by every law, with what was measured; of several, of the
/// first law of each.
Figure rows_bandwidth_figure(const std::string& id, const std::string& title,
                             const std::vector<TradeOff>& gpus);
/// The multiplicity X over α, of one GPU or several in the same way, and the X that saturates global memory.
Figure rows_multiplicity_figure(const std::string& id, const std::string& title,
                                const std::vector<TradeOff>& gpus);

/// The id of the figure that shows a family's algorithms side by side.
std::string algorithms_figure_id(const std::string& family, const std::string& type);

}  // namespace fathom::reports
