// SPDX-License-Identifier: Apache-2.0
// The asymptotic costs of the scans that read and write every element once.
#pragma once

#include <fathom/model/machines/asymptotic_costs.h>

namespace fathom {

/// The scan has the parameter E, elements per thread.
inline asymptotic::Costs costs_of_one_pass() {
  using namespace asymptotic;
  return {
      .umm =
          [](const Instance& of) {
            return optimal_prefix_sums(with_vectors(with_elements_per_thread(of.size, of.parameter("E"))));
          },
      .dmm = [](const Instance& of) { return sum(of.size); }};
}

}  // namespace fathom
