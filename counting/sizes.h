// SPDX-License-Identifier: Apache-2.0
// At which sizes the work of an algorithm's kernels is counted, so that what small sizes say holds for large
// ones.
#pragma once

#include <fathom/core/plan.h>

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace fathom {

struct SizeToCount {
  /// The part that the size has in the fit.
  enum class Use {
    fit,
    fit_later_launches,  ///< whose size follows from the blocks of the launch before; others are untypical
    check
  };
  double n;
  int multiprocessors;
  Use use;
};

/// An algorithm's plan for n elements on so many multiprocessors.
using PlanAt = std::function<Plan(double n, int multiprocessors)>;

/// The sizes follow from what the launches say of their grid, tile and level (core/plan.h). There is always
/// one to check.
std::vector<SizeToCount> sizes_to_count(const PlanAt& plan);

/// Elements of a full block of the kernel, if larger n have more such blocks; otherwise absent, as where
/// blocks of a plan are smaller on more multiprocessors.
std::optional<double> elements_when_full(const PlanAt& plan, std::string_view kernel);

}  // namespace fathom
