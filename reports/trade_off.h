// The matrix scan over α, the rows of a tile: more rows meet fewer bank conflicts, and leave fewer threads
// resident.
#pragma once

#include <fathom/calibration/dataset.h>
#include <fathom/reports/results.h>

#include <optional>
#include <string>
#include <vector>

namespace fathom::reports {

/// The matrix scan of u32 over every α on one GPU, with the default number of threads per block.
struct TradeOff {
  struct Point {
    int alpha;
    Prediction prediction;
    /// Threads per core in the kernel that works on tiles: as the published formula gives them, under the
    /// calibrated law as registers and shared memory let them be resident.
    double X;
  };
  struct Law {
    LawName name;
    std::vector<Point> points;  ///< ascending α
  };
  struct Measured {
    int alpha;
    Quartiles seconds;
  };
  std::string device;
  double n = 0;
  int threads_per_block = 0;
  double most_X = 0;               ///< threads per core that a multiprocessor can hold
  std::optional<double> knee;      ///< L·B of global memory: the X·I at which it saturates
  std::vector<Law> predicted;      ///< laws for which the profile lacks constants are left out
  std::vector<Measured> measured;  ///< at this n, on random input; ascending α
};

/// At the largest n for which nearly every α was measured; where there is none, at 2^26 without measurements.
TradeOff trade_off(const DeviceProfile& profile, const std::vector<LawName>& laws,
                   const std::vector<Dataset>& datasets = {});

/// Bytes per second of so many u32 scanned in so many seconds, each read and written once. What a kernel
/// reads a second time is not counted: it is the kernel's choice, not the problem's.
double scanned_bytes_per_second(double n, double seconds);

/// Where predicted and measured bandwidth are highest, and how X falls: a sentence each.
std::string in_words(const TradeOff& over_rows);

}  // namespace fathom::reports
