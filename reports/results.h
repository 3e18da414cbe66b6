// SPDX-License-Identifier: Apache-2.0
// Results of commands that have no type in a lower layer: the input of the printers (text.h, json.h).
#pragma once

#include <fathom/calibration/compare.h>
#include <fathom/calibration/influences.h>
#include <fathom/counting/audit.h>
#include <fathom/counting/multiprocessor/multiprocessor.h>
#include <fathom/device/code/instructions.h>
#include <fathom/model/laws/sensitivity.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::reports {

/// "global bandwidth": level and limit; "launches" if nothing else costs time.
std::string in_words(const std::optional<Bottleneck>& bottleneck);
std::string in_words(const Bound& bound);  ///< "loads in flight"; "launches" if no resource
/// What limits a prediction: the resource if the law knows it, else level and limit.
std::string limit_in_words(const Prediction& prediction);

/// Answer of `fathom predict`.
struct PredictionReport {
  std::string algorithm;  ///< slug
  std::string device;
  LawName law = LawName::counted;
  Problem problem;  ///< its parameters are complete
  Prediction prediction;
  Input input = Input::random;
  std::optional<std::string> fitted_from{};                 ///< origin of the fit that the law used
  std::optional<Law> reading{};                             ///< of the formula, by laws that have one
  std::vector<std::string> what_if{};                       ///< changes of the machine, as they were given
  std::optional<std::vector<Sensitivity>> sensitivities{};  ///< if asked for
};

/// One point of a sweep of predictions.
struct SweepPoint {
  std::string device;
  Problem problem;  ///< its parameters are complete
  std::optional<Prediction> prediction{};
  std::string why{};  ///< why there is no prediction: one line
};

/// Answer of `fathom predict` to several sizes, types, parameters or devices.
struct PredictionSweep {
  std::string algorithm;  ///< slug
  LawName law = LawName::counted;
  Input input = Input::random;
  std::optional<Law> reading{};
  std::vector<std::string> what_if{};
  std::vector<SweepPoint> points{};
};

/// An algorithm that is not in a comparison.
struct NotCompared {
  std::string algorithm;  ///< slug
  std::string why;        ///< "not for point": a few words, or a line
};

/// Answer of `fathom predict` about several algorithms.
struct PredictionRanking {
  std::vector<PredictionReport> predictions{};  ///< fastest first; never empty
  std::vector<NotCompared> left_out{};
};

/// One parameter choice: its prediction, and its measured time if it was verified.
struct TuneCandidate {
  Parameters parameters;
  Prediction prediction;
  std::optional<double> measured_s;  ///< median
  bool estimated = false;            ///< its work was not counted (model/laws/estimated_work.h)
};

/// Answer of `fathom tune`.
struct TuneReport {
  std::string algorithm;
  std::string device;
  LawName law = LawName::counted;
  Problem problem;                          ///< its parameters are not used: each candidate has its own
  std::vector<TuneCandidate> candidates{};  ///< fastest prediction first; never empty
  std::optional<double> regret{};  ///< measured time of the first / fastest measured − 1, if verified
  Input input = Input::random;
  std::optional<std::string> fitted_from{};
  std::optional<Law> reading{};
  std::vector<std::string> what_if{};
  /// How many of all choices cannot be told from the fastest, itself included; absent if the law's
  /// uncertainty is unknown. They are the first, but not all need be among the candidates.
  std::optional<std::size_t> tied{};
  std::size_t choices = 0;       ///< that the GPU can run or whose work is unavailable
  std::size_t without_work = 0;  ///< of these, those left out because their work is unavailable
  std::size_t estimated = 0;     ///< of these, those whose work is estimated
  std::string what_counts{};     ///< what would have all work counted, in one line; empty if it is
  std::optional<std::vector<Sensitivity>> sensitivities{};  ///< of the first candidate, if asked for

  /// The candidate with the shortest measured time; nullptr if none was measured.
  const TuneCandidate* fastest_measured() const;
};

/// Answer of `fathom tune` about several algorithms.
struct TuneRanking {
  std::vector<TuneReport> tunings{};  ///< fastest first; never empty
  std::vector<NotCompared> left_out{};
};

/// How many of a comparison's times, which are ascending, are too close to the first to tell which is
/// fastest, the first included; absent if the uncertainty of a law in it is unknown.
std::optional<std::size_t> tied(const PredictionRanking& ranking);
std::optional<std::size_t> tied(const TuneRanking& ranking);

/// Costs on a machine of the theory: counted, and by the sources, up to a constant.
struct MachineReport {
  MachineChoice machine;
  MachineCosts counted;
  std::optional<StatedCosts> asymptotic;     ///< of the algorithm
  std::optional<StatedCosts> lower_bound;    ///< of its task
  std::optional<double> least_work_space{};  ///< words from which on more does not help
};

/// A kernel's blocks on the pipes of one multiprocessor, simulated with memory that answers at once.
struct SimulatedKernel {
  std::string kernel;
  int resident = 0;        ///< blocks that a multiprocessor holds at a time
  SimulatedClocks alone;   ///< of one block
  SimulatedClocks steady;  ///< per block, with so many resident
};

/// Answer of `fathom count`: one run on the counting executor.
struct CountReport {
  std::string algorithm;
  std::string device;  ///< its multiprocessors and limits determine the grid
  Problem problem;     ///< its parameters are complete
  Input input = Input::random;
  std::vector<KernelCounts> kernels;
  std::vector<KernelInstructions> instructions;  ///< of each kernel; empty if not asked for
  std::vector<AuditEntry> audit;
  std::vector<MachineReport> machines;
  /// With the instructions, where the architecture's clocks are known.
  std::vector<SimulatedKernel> simulated{};
};

/// A profile that can be named with --device, or a GPU that is present.
struct DeviceEntry {
  std::string name;          ///< what --device takes; for a GPU without profile its index, "gpu 0"
  std::string where;         ///< "built in", the profile's path, "present"
  std::string origin;        ///< "measured", "published"; empty for a GPU without profile
  bool implausible = false;  ///< measured, but not to be believed: no command uses it unless it is named
  std::string gpu;           ///< as the driver or the profile names it
  int multiprocessors = 0;
  int cores_per_multiprocessor = 0;
  std::optional<double> clock_hz;
  std::optional<double> global_memory_bytes;
  std::optional<double> global_bytes_per_second;  ///< peak bandwidth B of global memory
};
DeviceEntry device_entry(const DeviceProfile& profile, const std::string& where);

/// How much constants move the typical predictions of a law.
struct LawInfluences {
  LawName law = LawName::counted;
  std::size_t predictions = 0;
  std::vector<Influence> influences;
};

/// One dataset compared with the predictions of one law.
struct LawComparison {
  LawName law = LawName::counted;
  Comparison comparison;
};

/// A point without a prediction, since the work of its kernels is in no table and cannot be counted here.
struct Unpredicted {
  std::string algorithm;
  LawName law;
  Problem problem;
  Input input = Input::random;
  bool measured = false;
  std::string why;  ///< one line, which says what to install
};

/// How a law's formula was read, where that is not the paper's way: "ceiling always, register-factor = 2".
/// Empty if it is, and for a law without a formula.
std::string reading_in_words(const std::optional<Law>& law);

/// "3 points have no prediction and are left out: …", with the reason of the first; empty if there are none.
std::string left_out_in_words(const std::vector<Unpredicted>& unpredicted);

/// Bytes of a problem's input and output: the least that a solution moves.
double input_and_output_bytes(const Problem& problem);

/// B of a level in bytes per second, all cores together; empty if B or the clock is unknown.
std::optional<double> bytes_per_second(const Machine<double>& machine, Level level);

/// Seconds of a level's term in a prediction; empty if its law has no such term. The Prediction then holds 0,
/// which is unambiguous: no phase costs exactly nothing.
/// The predicted time dealt out to what takes it: the launches, then from the longest on each resource, or
/// level of memory, as far as it takes longer than what stands before it. The parts add up to the time.
struct TimeShares {
  double launch_s = 0;
  std::array<double, all_resources.size()> resource_s{};  ///< none under laws of formulas
  std::array<double, all_levels.size()> level_s{};        ///< none under laws of counted work
  double in_turn_s = 0;  ///< what parts take longer since they work one after another
};
TimeShares time_shares(const Prediction& prediction);

std::optional<double> term_seconds(const Prediction& prediction, Level level);
double sum_of_terms(const Prediction& prediction);

}  // namespace fathom::reports
