// What the package passes on, in the library's types. All functions throw std::invalid_argument, with the
// text of the command line where that has one.
#pragma once

#include <fathom/calls/options.h>
#include <fathom/calls/predicting/prediction.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace fathom::python {

using Values = std::map<std::string, int>;                   ///< of parameters, by name
using ValueLists = std::map<std::string, std::vector<int>>;  ///< several of each

/// n as a number of elements: whole, at least 1, at most 2^53.
double checked_count(double n);

/// The values given, and defaults for the others.
Parameters parameters_of(const Descriptor& algorithm, const Values& values);
/// Every combination of the values given; of the others, the defaults. The first parameter varies slowest.
std::vector<Parameters> grid_of(const Descriptor& algorithm, const ValueLists& values);

/// Values of options, by their names in calls/options.h.
using OptionValues = std::map<std::string, std::variant<bool, int, std::string, std::vector<std::string>>>;

/// The options with these values, and defaults for the others. Throws std::invalid_argument for an option
/// that is not declared, and for a value of another type or out of range.
template <class Options>
Options options_from(const OptionValues& values) {
  Options options;
  for (const auto& [name, value] : values) {
    const auto& all = calls::declarations<Options>();
    const auto one = std::ranges::find(all, name, &calls::Declaration<Options>::name);
    if (one == all.end()) throw std::invalid_argument("there is no option `" + name + "`");
    std::visit(
        [&, &given = value]<class Value>(Value Options::*member) {
          const Value* own = std::get_if<Value>(&given);
          if (!own) throw std::invalid_argument("`" + name + "` has a value of another type");
          if constexpr (std::is_same_v<Value, int>)
            if (*own < one->range.low || *own > one->range.high)
              throw std::invalid_argument(fmt::format("`{}` = {}: give a whole number from {:.0f} to {:.0f}",
                                                      name, *own, one->range.low, one->range.high));
          options.*member = *own;
        },
        one->member);
  }
  return options;
}

/// What predict(), tune() and sweep() have in common.
struct Asked {
  std::string algorithm, type;
  bool stable;
  std::string device;  ///< empty: of the GPU present, else h200
  OptionValues options;
};
calls::Question question(const Asked& asked, double n, const Values& values);

}  // namespace fathom::python
