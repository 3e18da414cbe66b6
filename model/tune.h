// SPDX-License-Identifier: Apache-2.0
// Ranks choices of parameters by predicted time.
#pragma once

#include <fathom/model/laws/predict.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace fathom {

/// Values of parameters, by name.
using Assignments = std::vector<std::pair<std::string, std::vector<int>>>;

/// Every combination of the values, the first parameter varying slowest: one without any for none.
std::vector<Parameters> combinations(const Assignments& values);

/// Every combination of allowed values; for the parameters in `chosen`, only of the values given there, and
/// for others that are a part of the problem only of the default. The
/// first parameter varies slowest. Throws std::invalid_argument like Descriptor::check().
std::vector<Parameters> every_choice(const Descriptor& algorithm, const Assignments& chosen = {});

struct RankedChoice {
  Parameters parameters;
  Prediction prediction;
};

struct Ranking {
  std::vector<RankedChoice> choices;  ///< fastest first; never empty
  std::size_t without_work = 0;       ///< left out because their work is unavailable
  std::string why{};                  ///< what to do about one of these
};

/// The choices that the machine can run; ties keep the given order. The parameters of `problem` are ignored.
/// Throws std::invalid_argument for a choice that the algorithm does not allow, WorkUnavailable if the work
/// of none is available, std::runtime_error if no choice fits on a multiprocessor, with the reason for the
/// last one, and whatever else `predict` throws.
Ranking rank_choices(const Descriptor& algorithm, Problem problem, const std::vector<Parameters>& choices,
                     const std::function<Prediction(const Problem&)>& predict);

/// How far predictions may be apart and still not tell which is faster: the uncertainty of the ratio of two
/// times under the law `counted`. It is assumed, until it is measured on runs.
inline constexpr double tie_width = 0.02;

/// How many of these times, which are ascending, cannot be told from the first, itself included. There must
/// be one.
std::size_t tied_times(const std::vector<double>& seconds);
/// How many choices, from the first, cannot be told from the fastest. The ranking must not be empty.
std::size_t tied_choices(const std::vector<RankedChoice>& ranking);

}  // namespace fathom
