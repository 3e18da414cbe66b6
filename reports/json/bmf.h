// SPDX-License-Identifier: Apache-2.0
// Predictions for tools that watch benchmarks: Bencher Metric Format, as `bencher run --adapter json` reads
// it. Each prediction is a benchmark with the measure "latency", in nanoseconds; its interval, if there is
// one, is "lower_value" and "upper_value".
#pragma once

#include <fathom/reports/results.h>

#include <string>

namespace fathom::reports {

/// A benchmark is named after all that the time depends on, so that a series under one name is comparable:
/// "ALGORITHM u32 n=67108864 t=256 on h200, counted".
std::string bmf(const PredictionReport& report);
/// Points without a prediction are left out. Throws std::runtime_error, saying why, if all are.
std::string bmf(const PredictionSweep& sweep);

}  // namespace fathom::reports
