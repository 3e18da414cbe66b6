// SPDX-License-Identifier: Apache-2.0
// An algorithm over the values of one parameter: bandwidth and resident threads.
#pragma once

#include <fathom/reports/results.h>
#include <fathom/store/dataset.h>

#include <optional>
#include <string>
#include <vector>

namespace fathom::reports {

/// One algorithm on one GPU, over every value of a parameter, the other parameters fixed.
struct TradeOff {
  struct Point {
    int value;
    Prediction prediction;
    double X;                 ///< as in Multiplicity
    std::optional<double> I;  ///< likewise
  };
  struct Law {
    LawName name;
    std::vector<Point> points;  ///< ascending values, only those that the machine can run
  };
  struct Measured {
    int value;
    Quartiles seconds;
  };
  std::string algorithm;  ///< slug
  std::string parameter;
  std::string device;
  Problem problem;             ///< the value of `parameter` in it is the default
  double most_X = 0;           ///< threads per core that a multiprocessor can hold
  std::optional<double> knee;  ///< L·B of global memory: the X·I at which it saturates
  std::vector<Law> predicted;  ///< without laws that have no points
  std::vector<Unpredicted> unpredicted;
  std::vector<Measured> measured;  ///< of this problem, on random input; ascending values
};

/// Bytes per second, where input and output count once, however often the kernels access them.
double bandwidth_at(const TradeOff& over, double seconds);

/// "n = 2^28, u32, t = 256"
std::string setting_in_words(const TradeOff& over);
/// Where predicted and measured bandwidth are highest, and how X falls: a sentence each.
std::string in_words(const TradeOff& over);

}  // namespace fathom::reports
