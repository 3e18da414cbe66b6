// SPDX-License-Identifier: Apache-2.0
// The choice of parameters, and of an algorithm.
#pragma once

#include <fathom/calls/predicting/prediction.h>
#include <fathom/model/tune.h>

#include <vector>

namespace fathom::calls {

/// An algorithm in a comparison: what is asked of it, and choices of its parameters.
struct Entrant {
  Question question;  ///< whose own parameters are not used
  std::vector<Parameters> choices;
};

/// every_choice(), but 1, 2, 4 and 8 GPUs of an algorithm for several, unless their number is chosen.
std::vector<Parameters> usual_choices(const Descriptor& algorithm, Assignments chosen);

/// The first of the choices by predicted time; so many of them as the options say are measured. Work that is
/// in no table is counted on all cores, the most promising first, for seven seconds or, if the answer is to
/// be exhaustive, until all is; notes first if a tool for that is missing. Throws std::invalid_argument if an
/// algorithm without kernels is to be measured, and what choose_profile(), predict(), rank_choices(),
/// CudaExecutor and bench() throw.
reports::TuneReport tune(const Entrant& entrant, const TuneOptions& options, const Listener& listener);

/// Several entrants, each with its best parameters, ranked; the first choices of as many of them as the
/// options say are measured. Those that cannot be predicted are added to those left out. Throws like tune()
/// of one if none can be.
reports::TuneRanking tune(const std::vector<Entrant>& entrants, std::vector<reports::NotCompared> left_out,
                          const TuneOptions& options, const Listener& listener);

/// Predictions of entrants with one choice each, ranked. Those that cannot be predicted are added to those
/// left out. Throws like predict() if none can be.
reports::PredictionRanking predict(const std::vector<Entrant>& entrants,
                                   std::vector<reports::NotCompared> left_out, const DeviceProfile& profile,
                                   const Listener& listener);

}  // namespace fathom::calls
