// SPDX-License-Identifier: Apache-2.0
// The work of many choices of parameters, of one algorithm or several: what is known first, the rest on all
// cores for some seconds, the most promising first.
#pragma once

#include <fathom/calls/tuning/choice_order.h>
#include <fathom/core/progress.h>

#include <chrono>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fathom::calls {

/// Where the work of an algorithm's choices comes from.
struct WorkSource {
  std::function<SharedWork(const Parameters&)> known;  ///< nullptr if it has to be counted
  EstimateOfChoice estimate{};                         ///< may be empty
  /// That of the usual choice, estimated, if nothing can be counted; nullptr if it cannot be. May be empty.
  std::function<SharedWork(const Parameters&)> without_counting{};
  /// Called on several threads at a time. The progress throws to stop it.
  std::function<SharedWork(const Parameters&, const Progress&)> count;
};

/// The choices of an algorithm's parameters, different from each other.
struct AlgorithmChoices {
  std::vector<Parameters> choices;
  Parameters usual{};  ///< the algorithm's defaults
  WorkSource source;
  SecondsOfChoice seconds;  ///< called by one thread at a time
};

/// How much is counted of what is not known.
struct CountingLimit {
  std::optional<std::chrono::milliseconds> time{};  ///< absent: all is counted
  std::string rest{};                               ///< what counts the rest, for the message of of()
  /// Asked before anything is counted, if something has to be: why nothing can be, in one line, or nothing.
  std::function<std::optional<std::string>(std::size_t missing, std::size_t all)> why_not{};
};

class ChoiceWork {
 public:
  /// Gets the work of the choices; `count` of a source keeps what it has counted for the next time.
  /// Algorithms take turns, those that promise to be fast more often; with a limit of time, choices are not
  /// counted whose estimates are much slower than the fastest one. Throws what `progress`, `limit.why_not`
  /// and check_interruption() throw; other exceptions of a source are kept for of().
  ChoiceWork(const std::vector<AlgorithmChoices>& algorithms, const CountingLimit& limit,
             const Progress& progress);

  /// Known, counted, or else estimated. Throws what the source threw for the choice, and WorkUnavailable for
  /// one that was left out.
  SharedWork of(std::size_t algorithm, const Parameters& choice) const;
  /// Why not all was counted, and what counts the rest, in one line.
  const std::string& why_left_out() const { return why_left_out_; }

 private:
  struct Entry {
    SharedWork work{};
    std::exception_ptr failure{};
  };

  void count(const std::vector<AlgorithmChoices>& algorithms, std::vector<ChoiceOrder>& orders,
             std::chrono::steady_clock::time_point deadline, std::size_t missing, const Progress& progress);

  std::vector<std::map<Parameters, Entry>> entries_;  ///< of the choices that have work, or were tried
  std::string why_left_out_;
};

}  // namespace fathom::calls
