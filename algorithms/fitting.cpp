// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/fitting.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace fathom {
namespace {

/// Shared memory of a block that every default fits in: that of sm_90.
constexpr double enough_for_defaults = 227 * 1024;

struct Fitting {
  Descriptor algorithm;  ///< without lowered parameters

  Problem fitted(Problem problem, const PlanDevice& device) const {
    if (device.shared_bytes_per_block >= enough_for_defaults) return problem;
    const PlanDevice any = any_device(device.shared_bytes_per_block);
    // Those of any n, so that work counted for few elements is that of many.
    const std::vector<Parameters> defaults =
        algorithm.all_default_parameters({problem.type, problem.value_type});
    std::vector<const ParameterInfo*> open;
    for (const std::string& name : algorithm.fits_by)
      if (std::ranges::any_of(
              defaults, [&](const Parameters& one) { return one.at(name) == problem.parameters.at(name); }))
        open.push_back(algorithm.find_parameter(name));
    while (largest_block(problem, any) > any.shared_bytes_per_block) {
      const std::optional<Problem> lower = first_that_helps(problem, open, any);
      if (!lower) break;
      problem = *lower;
    }
    return problem;
  }

 private:
  int largest_block(const Problem& problem, const PlanDevice& device) const {
    int bytes = 0;
    for (const Launch& launch : algorithm.plan(problem, device))
      bytes = std::max(bytes, launch.shape.shared_bytes);
    return bytes;
  }

  /// With one of the parameters lowered: the first that makes the largest block smaller.
  std::optional<Problem> first_that_helps(const Problem& problem,
                                          const std::vector<const ParameterInfo*>& open,
                                          const PlanDevice& device) const {
    for (const ParameterInfo* info : open) {
      const std::optional<Problem> lower = with_less(problem, *info);
      if (lower && largest_block(*lower, device) < largest_block(problem, device)) return lower;
    }
    return std::nullopt;
  }

  /// The next lower value of the parameter that is even if it is even, and odd if it is odd, since bank
  /// conflicts depend on it; if there is none, the next lower one.
  static std::optional<Problem> with_less(Problem problem, const ParameterInfo& info) {
    const int now = problem.parameters.at(info.name);
    std::optional<int> lower;
    for (auto each = info.values.rbegin(); each != info.values.rend(); ++each) {
      const int value = *each;
      if (value <= 0 || value >= now) continue;
      if (!lower) lower = value;
      if (value % 2 == now % 2) {
        lower = value;
        break;
      }
    }
    if (!lower) return std::nullopt;
    problem.parameters.set(info.name, *lower);
    return problem;
  }
};

}  // namespace

Algorithm with_fitting_defaults(Algorithm algorithm) {
  if (algorithm.fits_by.empty()) return algorithm;
  const Fitting fitting{algorithm};
  algorithm.plan = [fitting](const Problem& problem, const PlanDevice& device) {
    return fitting.algorithm.plan(fitting.fitted(problem, device), device);
  };
  algorithm.make_workload = [fitting, make = std::move(algorithm.make_workload)](
                                Executor& executor, const Problem& problem, Input input) {
    return make(executor, fitting.fitted(problem, executor.plan_device()), input);
  };
  if (algorithm.make_call)
    algorithm.make_call = [fitting, make = std::move(algorithm.make_call)](Executor& executor,
                                                                           const Problem& problem) {
      return make(executor, fitting.fitted(problem, executor.plan_device()));
    };
  return algorithm;
}

}  // namespace fathom
