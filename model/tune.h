// Which parameters to choose: every choice ranked by predicted time.
#pragma once

#include <fathom/model/predict.h>

#include <string>
#include <utility>
#include <vector>

namespace fathom {

/// Every combination of the values that the algorithm allows; for the parameters named in `chosen`, only the
/// values given there. The first parameter changes slowest. Throws std::invalid_argument as
/// Descriptor::check() does.
std::vector<Parameters> every_choice(
    const Descriptor& algorithm, const std::vector<std::pair<std::string, std::vector<int>>>& chosen = {});

struct RankedChoice {
  Parameters parameters;
  Prediction prediction;
};

/// The choices that the machine can run, fastest first, equally fast ones in the order given. `problem` says
/// the rest; its own parameters are not looked at. Throws std::invalid_argument for a choice that the
/// algorithm does not allow, std::runtime_error with the last one's reason when no multiprocessor holds the
/// blocks of any, and MissingConstant as predict() does.
std::vector<RankedChoice> rank_choices(const Descriptor& algorithm, const Machine<double>& machine,
                                       Problem problem, const Law& law,
                                       const ConstantValues<double>& constants,
                                       const std::vector<Parameters>& choices);

}  // namespace fathom
