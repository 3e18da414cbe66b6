// SPDX-License-Identifier: Apache-2.0
// Two results side by side: datasets, as before and after a change, and profiles of two GPUs.
#pragma once

#include <fathom/reports/figures.h>
#include <fathom/reports/text/table.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace fathom::reports {

/// A configuration that both datasets have, or one of them at sizes around it.
struct RunChange {
  std::string algorithm, type;  ///< slug, name(Instantiation)
  double n = 0;
  Parameters parameters{};
  Input input = Input::random;
  Quartiles before{}, after{};  ///< seconds
  /// The other was measured at this n; this one is interpolated between its neighbours.
  enum class Interpolated { none, before, after } interpolated = Interpolated::none;

  double ratio() const { return after.median / before.median; }  ///< below 1: faster
  /// The quartiles of one lie beyond those of the other.
  bool is_significant() const { return after.high < before.low || before.high < after.low; }
};

/// The change of one algorithm over its configurations.
struct AlgorithmChange {
  std::string algorithm{};
  std::size_t compared = 0, faster = 0, slower = 0;  ///< the last two: significantly
  std::optional<double> median_ratio{};              ///< absent if nothing was compared
  const RunChange* best = nullptr;                   ///< with the smallest ratio; in DatasetChange::runs
  const RunChange* worst = nullptr;
  std::size_t appeared = 0, vanished = 0;  ///< configurations of one dataset only
};

/// Moved, not copied: `algorithms` points into `runs`.
struct DatasetChange {
  /// "before" and "after", or the GPUs if they differ: "H100" and "H200" where that tells them apart.
  std::string first_name() const;
  std::string second_name() const;
  DatasetChange() = default;
  DatasetChange(DatasetChange&&) = default;
  DatasetChange& operator=(DatasetChange&&) = default;

  Provenance before, after;
  std::vector<RunChange> runs;
  std::vector<AlgorithmChange> algorithms;
  std::size_t left_out = 0;  ///< runs of both that were never checked, or whose clock moved
};
/// If a configuration was measured several times, its fastest median counts. Where only one dataset has an n,
/// the other's time is interpolated between its neighbours on logarithmic scales, unless they are more than a
/// factor of 4 apart.
DatasetChange compare(const Dataset& before, const Dataset& after);

Table change_table(const DatasetChange& change);      ///< a row for each algorithm
Table run_change_table(const DatasetChange& change);  ///< a row for each configuration
/// A figure for each algorithm and input: ratios over n, one curve per type, with the range over the
/// parameters.
std::vector<FigureOrMissing> change_figures(const DatasetChange& change);

/// Two profiles, and what each predicts, by one law.
struct ProfilePair {
  DeviceProfile first, second;
  LawName law = LawName::counted;
  std::vector<PredictionReport> of_first{}, of_second{};  ///< of any problems
  std::vector<std::string> notes{};
};

/// The times of an algorithm at every n that both predict.
struct PredictedRatio {
  std::string algorithm;
  std::map<double, std::pair<double, double>> seconds;  ///< by n: on the first, on the second
};
std::vector<PredictedRatio> predicted_ratios(const ProfilePair& pair);

Table machine_table(const ProfilePair& pair);  ///< counts and sizes
/// The constants of both with unit and interval, and their ratio.
Table constants_table(const ProfilePair& pair);
Table predicted_ratio_table(const ProfilePair& pair);
std::vector<FigureOrMissing> predicted_ratio_figures(const ProfilePair& pair);  ///< one per kind

}  // namespace fathom::reports
