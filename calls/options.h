// The options of calls, each declared once, with its help, default and range. The command line makes its
// options from the declarations, and Python its keyword arguments and their documentation. A new option is a
// member with its row in options.cpp, and its use.
#pragma once

#include <fathom/calls/measuring/bench.h>
#include <fathom/calls/measuring/calibrate.h>
#include <fathom/calls/measuring/fit.h>

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fathom::calls {

/// How a time is to be predicted.
struct PredictionOptions {
  std::string law;  ///< empty: counted or, of an algorithm without kernels, published
  std::string ceiling = "as-printed";
  std::string compose;  ///< empty: the sum
  std::string input = "random";
  std::vector<std::string> what_if;
  bool sensitivities = false;
};

struct TuneOptions {
  int top = 10;
  int gpu = 0;
  bool exhaustive = false;
};

/// The values that an option with a whole number takes: at most 2^53.
struct OptionRange {
  double low, high;
};

/// An option. Its default is the member's value in a new Options.
template <class Options>
struct Declaration {
  std::string_view name;  ///< of small letters and '_': "what_if" is --what-if, or what_if=
  std::variant<bool Options::*, int Options::*, std::string Options::*, std::vector<std::string> Options::*>
      member;
  std::string help;     ///< without the default, unless that is derived from other values
  OptionRange range{};  ///< of a number
};

/// For PredictionOptions, TuneOptions, BenchOptions, CalibrateOptions and FitOptions, in the order of the
/// help.
template <class Options>
const std::vector<Declaration<Options>>& declarations();

}  // namespace fathom::calls
