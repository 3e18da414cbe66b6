// What the package passes on, in the library's types. All functions throw std::invalid_argument, with the
// text of the command line where that has one.
#pragma once

#include <fathom/calls/predicting/prediction.h>

#include <map>
#include <string>
#include <vector>

namespace fathom::python {

using Values = std::map<std::string, int>;                   ///< of parameters, by name
using ValueLists = std::map<std::string, std::vector<int>>;  ///< several of each

/// n as a number of elements: whole, at least 1, at most 2^53.
double checked_count(double n);

LawName parse_law(const std::string& text);
/// `composition` is the exponent q, 1 for the sum.
Law law_of(const std::string& law, const std::string& ceiling, double composition);
/// Throws for an input that the law does not know.
Input input_of(const std::string& input, LawName law);

/// The values given, and defaults for the others.
Parameters parameters_of(const Descriptor& algorithm, const Values& values);
/// Every combination of the values given; of the others, the defaults. The first parameter varies slowest.
std::vector<Parameters> grid_of(const Descriptor& algorithm, const ValueLists& values);

/// What predict(), tune() and sweep() have in common.
struct Asked {
  std::string algorithm, type;
  bool stable;
  std::string device;  ///< empty: of the GPU present, else h200
  std::string law, ceiling;
  double composition;
  std::string input;
  std::vector<std::string> what_if;
  bool sensitivities = false;
};
calls::Question question(const Asked& asked, double n, const Values& values);

}  // namespace fathom::python
