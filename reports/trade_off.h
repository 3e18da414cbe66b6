// An algorithm over the values of one parameter: what a value gains in bandwidth, and what it costs in
// resident threads.
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
    /// Resident threads per core in the phase with the most shared accesses: as the published formula gives
    /// them, else as registers and shared memory allow.
    double X;
    double I;  ///< of the same phase: accesses to global memory that a thread has in flight
  };
  struct Law {
    LawName name;
    std::vector<Point> points;  ///< ascending values; without those that the machine cannot run
  };
  struct Measured {
    int value;
    Quartiles seconds;
  };
  std::string algorithm;  ///< slug
  std::string parameter;
  std::string device;
  Problem problem;                 ///< the value of `parameter` in it is the default
  double most_X = 0;               ///< threads per core that a multiprocessor can hold
  std::optional<double> knee;      ///< L·B of global memory: the X·I at which it saturates
  std::vector<Law> predicted;      ///< without laws for which the profile lacks constants
  std::vector<Measured> measured;  ///< of this problem, on random input; ascending values
};

/// Of the runs at nearly every value of the parameter those with default type and default parameters are
/// preferred, then those at the largest n. Where there are none, at n = 2^26 without measurements. Throws
/// std::invalid_argument when the algorithm has no such parameter.
TradeOff trade_off(const DeviceProfile& profile, const Descriptor& algorithm, const std::string& parameter,
                   const std::vector<LawName>& laws, const std::vector<Dataset>& datasets = {});

/// Over the first parameter of every algorithm that was measured at nearly all of its values; where there is
/// none, of every algorithm with a formula. Parameters with too few values for a curve are left out.
std::vector<TradeOff> trade_offs(const DeviceProfile& profile, const std::vector<LawName>& laws,
                                 const std::vector<Dataset>& datasets);

/// Bytes per second when input and output are counted once. What kernels read or write a second time is
/// their own choice, and is not counted.
double bandwidth_at(const TradeOff& over, double seconds);

/// "n = 2^28, u32, t = 256"
std::string setting_in_words(const TradeOff& over);
/// Where predicted and measured bandwidth are highest, and how X falls: a sentence each.
std::string in_words(const TradeOff& over);

}  // namespace fathom::reports
