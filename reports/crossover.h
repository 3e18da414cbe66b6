// SPDX-License-Identifier: Apache-2.0
// Algorithms that do the same work over n: which is the fastest where.
#pragma once

#include <fathom/reports/results.h>

#include <string>
#include <vector>

namespace fathom::reports {

/// Times of algorithms that do the same work on one GPU, at default parameters and on random input.
struct Crossover {
  struct Time {
    double n;  ///< elements
    double seconds;
  };
  struct Contender {
    std::string algorithm;        ///< slug
    std::vector<Time> predicted;  ///< ascending n, only those that the GPU can run
    std::vector<Time> measured;   ///< ascending n, medians
  };
  Kind kind = Kind::sort;
  std::string type;  ///< "u32", "u32:u32"
  std::string device;
  LawName law = LawName::counted;
  std::vector<Contender> contenders{};
};

/// Which of a contender's times are meant.
using TimesOf = std::vector<Crossover::Time> Crossover::Contender::*;
inline constexpr TimesOf predicted_times = &Crossover::Contender::predicted,
                         measured_times = &Crossover::Contender::measured;

/// The least time at each n of any contender; ascending n.
std::vector<Crossover::Time> fastest_times(const Crossover& of, TimesOf times);

/// A range of n over which one algorithm is the fastest.
struct Reign {
  std::string algorithm;  ///< slug
  double from, to;        ///< the end of one is the beginning of the next
};
/// From the least n to the largest. Between two n with different fastest algorithms the border is where the
/// lines through their times, logarithms over the logarithm of n, cross.
std::vector<Reign> reigns(const Crossover& of, TimesOf times);

}  // namespace fathom::reports
