// SPDX-License-Identifier: Apache-2.0
// An algorithm for several GPUs over their number: predicted and measured, beside one GPU.
#pragma once

#include <fathom/core/exchange.h>
#include <fathom/reports/results.h>
#include <fathom/reports/text/table.h>

#include <optional>
#include <string>
#include <vector>

namespace fathom::reports {

/// The largest exchange of a run, as the lines of measured links say.
struct ExchangeRate {
  ExchangeKind kind;
  double bytes_per_second;  ///< that leave a GPU
  /// bytes_per_second over the rate of the largest copies between two GPUs; absent if none were measured.
  std::optional<double> share_of_link;
};

/// One algorithm on random input of one type, with default parameters but for the number of GPUs.
struct Scaling {
  struct Point {
    double n;  ///< elements in all
    int gpus;  ///< 1: the fastest algorithm of one GPU, which may be another one for each of the two
    std::optional<Quartiles> measured;       ///< seconds
    std::optional<Prediction> predicted;     ///< explained
    std::optional<ExchangeRate> exchange{};  ///< absent on one GPU, and where links were not measured
  };
  std::string algorithm;  ///< slug
  std::string type;       ///< "u64", "u32:u32"
  std::string device;
  LawName law = LawName::counted;
  std::vector<std::string> alone;  ///< slugs of the algorithms among which the fastest stands for one GPU
  int most_linked = 0;             ///< the most GPUs whose exchanges were measured; beyond it is extrapolated
  std::vector<Point> points;       ///< ascending n, then GPUs; no two of the same
  // Ascending; what curves are drawn for.
  std::vector<double> totals;   ///< elements in all
  std::vector<double> per_gpu;  ///< elements on each GPU
};

/// nullptr if there is none.
const Scaling::Point* find_point(const Scaling& of, double n, int gpus);
/// Three of the values at most: the least, the largest, and one in the middle.
std::vector<double> spread(const std::vector<double>& ascending);

/// Every number of elements on every number of GPUs that was measured or, if none was, predicted: time,
/// speed-up over one GPU, the share of exchanges, and the rate that they reach.
Table scaling_table(const std::vector<Scaling>& all);
/// The mean and the worst error of the predicted time, by algorithm, type and number of GPUs, one among them.
Table scaling_error_table(const std::vector<Scaling>& all);

}  // namespace fathom::reports
