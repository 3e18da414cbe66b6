// SPDX-License-Identifier: Apache-2.0
// The input of plots and reports, from a profile and datasets.
#pragma once

#include <fathom/calls/listener.h>
#include <fathom/calls/options.h>
#include <fathom/reports/figures.h>

#include <memory>
#include <string>
#include <vector>

namespace fathom::calls {

enum class Predicted {
  every_algorithm,
  measured_ones  ///< every algorithm if there are no datasets
};

/// The laws where none is named, without those that need measured rates if the profile has none.
enum class DefaultLaws {
  counted_and_published,
  first  ///< of the two
};

class RememberedWork;

/// Collects the input part by part. Points that a law cannot predict since the work of kernels is unavailable
/// are left out of every part; finish() tells.
class ReportInputs {
 public:
  /// Reads the datasets and chooses the profile.
  ReportInputs(const FigureOptions& options, const Listener& listener,
               DefaultLaws if_none_is_named = DefaultLaws::counted_and_published);
  ~ReportInputs();

  bool has_runs() const { return !input_.datasets.empty(); }
  /// Drops the runs of other algorithms, which are not predicted either, unless `slugs` is empty. Throws
  /// std::runtime_error if no run is left.
  void keep_only(const std::vector<std::string>& slugs);
  /// The runs compared under the laws.
  void add_comparisons();
  /// Predictions of u32 at default parameters over 2^10 … 2^28 and at the largest n compared, explained.
  void add_predictions(Predicted which);
  /// On the profile's GPU, and on those with published constants only: those of the algorithms and parameter
  /// that the options name, else those of trade_offs() (calls/predicting/trade_off.h).
  void add_trade_offs(const PlotOptions& wanted = {});
  /// Over sortedness and entropy, or the one that is named: the runs measured so. If there are none, u32 at
  /// default parameters of the sorts named with keep_only(), else of those whose formula knows how its time
  /// depends on the input. The conflicts are counted. Throws std::invalid_argument for another name, and if
  /// an algorithm named is no sort with kernels.
  void add_degree_sweeps(const std::string& pattern = {});
  /// Over n, under the first law, for u32, u64 and, of sorts, u32:u32: the algorithms and kinds that are
  /// named, else all sorts. The runs of others are dropped. Throws what contenders() throws
  /// (calls/tuning/contenders.h) and keep_only().
  void add_crossovers(std::vector<std::string> names);
  /// Over the number of GPUs, under the law counted unless another is named: the algorithms for several GPUs
  /// that are named, else all. Throws std::invalid_argument for others, and what scalings() throws
  /// (calls/predicting/scaling.h).
  void add_scalings(const std::vector<std::string>& slugs = {});
  /// The same if there are runs of several GPUs, with a note where the profile or the law cannot predict
  /// them.
  void add_scalings_if_measured();
  /// The figures of the papers (calls/predicting/papers.h).
  void add_papers();
  /// What limits the algorithms measured: after the comparisons.
  void add_explanations();
  /// Run the kernels on the CPU: for the audit of the formulas, if the law published is among the laws, and
  /// for the time units on the memory machines. Of the algorithms measured, or of all if there are no runs.
  /// An algorithm with a kernel that does not fit on the GPU is left out, with a note, also in the report.
  void add_counts();
  void add_machine_sweeps();

  /// All that was added. Notes how many points are left out, and why. To be called once.
  reports::ReportInput finish();

 private:
  /// Notes if a default law is left out.
  const std::vector<LawName>& laws();
  /// Where no law is named, work that the shipped tables have not is not counted, which takes minutes.
  WorkLookup known_or_asked_work();
  LawName law_of_several_gpus() const;
  void predict(const Algorithm& algorithm, LawName law);
  template <class Count>
  void count_each(Count count);
  /// Drops the other runs. Throws std::runtime_error if there are runs, but none that is wanted: `what` says
  /// which, as in "of radix-msd".
  void keep_runs(const std::function<bool(const Measurement&)>& wanted, const std::string& what);
  std::vector<double> sizes_of(const Algorithm& algorithm, LawName law) const;

  Listener listener_;
  reports::ReportInput input_;
  std::vector<LawName> laws_;
  bool default_laws_;
  DefaultLaws if_none_is_named_;
  double smallest_n_;              ///< of runs and of predictions over n
  std::vector<std::string> only_;  ///< slugs; empty: all
  std::unique_ptr<RememberedWork> work_;
  std::string missing_constant_;  ///< why an algorithm has no predictions
};

}  // namespace fathom::calls
