// SPDX-License-Identifier: Apache-2.0
// An algorithm over the degree of its input: sortedness or entropy.
#pragma once

#include <fathom/reports/results.h>

#include <string>
#include <vector>

namespace fathom::reports {

inline bool has_degree(const Input& input) {
  return input.pattern >= Input::sortedness;
}
/// "sortedness", without a degree.
std::string pattern_name(Input::Pattern pattern);

/// One algorithm on inputs of one pattern, from degree 0 to 1.
struct DegreeSweep {
  struct Point {
    double degree;
    Prediction prediction;
  };
  struct Law {
    LawName name;
    std::vector<Point> points;  ///< ascending degrees
  };
  struct Measured {
    double degree;
    Quartiles seconds;
  };
  struct Conflicts {
    double degree;
    double beta;  ///< of the reads of shared memory, counted
  };
  std::string algorithm;  ///< slug
  std::string device;
  Input::Pattern pattern = Input::sortedness;
  Problem problem;
  std::vector<Law> predicted{};        ///< without laws that have no points
  std::vector<Measured> measured{};    ///< of this problem; ascending degrees
  std::vector<Conflicts> conflicts{};  ///< at n = `counted_n`; ascending degrees
  double counted_n = 0;
};

}  // namespace fathom::reports
