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
    /// Resident threads per core in the kernel, or the formula's phase, with the most shared accesses: by the
    /// published formula, or by the registers and the shared memory of the kernel.
    double X;
    /// Of the formula's phase: accesses to global memory in flight per thread. Absent for kernels.
    std::optional<double> I;
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

/// Shows runs that cover nearly every value of the parameter: preferably of default type and with default
/// parameters, then at the largest n. Without such runs n is 2^26, and nothing is measured. `work` is needed
/// by laws for which uses_work() holds. Values whose work is unavailable are in `unpredicted`. Values with
/// which the algorithm cannot be predicted, as no multiprocessor holds a block, are omitted, and so are laws
/// for which the profile lacks a constant or a fit. Throws std::invalid_argument if the algorithm has no such
/// parameter or a law gets no `work`, ImpossibleTime, and what else `work` throws.
TradeOff trade_off(const DeviceProfile& profile, const Descriptor& algorithm, const std::string& parameter,
                   const std::vector<LawName>& laws, const std::vector<Dataset>& datasets = {},
                   const WorkLookup& work = {});

/// Over the first parameter of every algorithm that was measured at nearly all of its values; if there is
/// none, of every algorithm with a formula. Parameters with too few values for a curve are omitted. Calls
/// `progress` for each algorithm.
std::vector<TradeOff> trade_offs(const DeviceProfile& profile, const std::vector<LawName>& laws,
                                 const std::vector<Dataset>& datasets, const Progress& progress = {},
                                 const WorkLookup& work = {});

/// Bytes per second, where input and output count once, however often the kernels access them.
double bandwidth_at(const TradeOff& over, double seconds);

/// "n = 2^28, u32, t = 256"
std::string setting_in_words(const TradeOff& over);
/// Where predicted and measured bandwidth are highest, and how X falls: a sentence each.
std::string in_words(const TradeOff& over);

}  // namespace fathom::reports
