// SPDX-License-Identifier: Apache-2.0
// Measurements: raw times and the conditions under which they were taken.
#pragma once

#include <fathom/core/problem.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fathom {

/// Where and when a file's samples were taken. Goes into every profile and dataset.
struct Provenance {
  std::string gpu;      ///< as the driver names it
  std::string driver;   ///< "580.159.04"
  std::string toolkit;  ///< CUDA toolkit that compiled the kernels, "13.0"
  std::string date;     ///< ISO 8601, UTC
  std::string commit;   ///< of Fathom; "unknown" outside a checkout
  std::string command;  ///< the command line that made the file
};

/// One point of a sweep, repeated: `samples` are raw, in the order taken.
struct Series {
  std::string benchmark;                      ///< "global-copy", "shared-chase", …: see microbench/
  std::map<std::string, double> coordinates;  ///< where in the sweep: {"X", 4}, {"I", 2}, {"bytes", …}
  std::string unit;                           ///< of the samples: "s" or "clocks"
  std::vector<double> samples;
  double clock_hz = 0;  ///< multiprocessor clock measured while it ran
  bool clock_moved =
      false;  ///< the clock differed by more than 1 % between start and end, also in the second attempt
};

/// True if something else used the GPU, or changed its clock, while the series was measured: the clock moved,
/// the quartiles of the samples lie further apart than 10 % of the median, or one sample is more than twice
/// the median (of seconds, each plus 0.5 µs, the tick of event timers). On an idle H200 the quartiles are up
/// to 5 % apart and no sample is more than 5 % above the median. If another process takes its turns, samples
/// last several times longer. False without samples.
bool is_disturbed(const Series& series);

/// Where the time of a calibration went.
struct Spent {
  std::string on;          ///< a benchmark, or another part of the work
  double seconds = 0;      ///< those of the compiler included
  double compiling = 0;    ///< s, waiting for kernels
  std::size_t series = 0;  ///< that it made
};

/// One measured configuration of an algorithm.
struct Measurement {
  std::string algorithm;  ///< slug
  Problem problem;
  Input input = Input::random;
  std::vector<double> seconds{};  ///< raw GPU times, in the order taken
  double clock_hz = 0;
  bool clock_moved = false;
  bool checked = false;  ///< the output was compared with a reference and was correct

  struct Kernel {  ///< resources of the loaded function
    std::string name;
    int registers = 0;        ///< per thread
    int local_bytes = 0;      ///< per thread: spills
    int shared_bytes = 0;     ///< per block
    int resident_blocks = 0;  ///< per multiprocessor
  };
  std::vector<Kernel> kernels{};
};

struct Quartiles {
  double low, median, high;
};
/// Quartiles by linear interpolation between order statistics. `samples` must not be empty.
Quartiles quartiles(std::vector<double> samples);

}  // namespace fathom
