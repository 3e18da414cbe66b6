// SPDX-License-Identifier: Apache-2.0
// What the package passes on, in the library's types. All functions throw std::invalid_argument, with the
// text of the command line where that has one.
#pragma once

#include <fathom/calls/options.h>
#include <fathom/calls/predicting/prediction.h>

#include <map>
#include <string>
#include <variant>
#include <vector>

namespace fathom::python {

using Values = std::map<std::string, int>;                   ///< of parameters, by name
using ValueLists = std::map<std::string, std::vector<int>>;  ///< several of each

/// n as a number of elements: whole, at least 1, at most 2^53.
double checked_count(double n);

/// Throws std::invalid_argument for a name that is no parameter of any of the algorithms, naming the nearest
/// parameter or option of the call. `algorithms`: names, files of formulas, and kinds.
void check_names(const std::string& call, const std::vector<std::string>& options,
                 const std::vector<std::string>& algorithms, const std::vector<std::string>& given);

/// The values given, checked.
Parameters parameters_of(const Descriptor& algorithm, const Values& values);
/// Every combination of the values given, checked. The first parameter varies slowest.
std::vector<Parameters> grid_of(const Descriptor& algorithm, const ValueLists& values);

/// Values of options, by their names in calls/options.h.
using OptionValue = std::variant<bool, std::string, std::vector<std::string>, int, double>;
using OptionValues = std::map<std::string, OptionValue>;

/// Gives the options these values. Throws std::invalid_argument for one that is not declared, and for a value
/// of another type or out of range.
void set_options(const calls::Declarations& options, const OptionValues& values);

/// The options with these values, and defaults for the others.
template <class Options>
Options options_from(const OptionValues& values) {
  Options options;
  set_options(declared(options), values);
  return options;
}

/// The question that predict() and sweep() ask.
calls::Question question(const Descriptor& algorithm, double n, const Values& values,
                         const calls::PredictOptions& options);

}  // namespace fathom::python
