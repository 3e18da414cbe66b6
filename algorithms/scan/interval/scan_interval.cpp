// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/algorithms/scan/interval/scan_interval.h>
#include <fathom/model/formulas/formulas.h>

namespace fathom {
namespace {

using namespace asymptotic;

/// Only the last level, which one block scans, uses shared memory.
double last_level(const Instance& of) {
  constexpr double threads_of_the_block = 1024;
  return word_per_thread(of.size, threads_of_the_block, threads_of_the_block);
}

}  // namespace

Algorithm scan_interval() {
  return make_scan<ScanInterval>(
      {.slug = "scan-interval",
       .group = "scan",
       .source = "nakano2012 (optimal prefix-sums)",
       .parameters = {{"t", "threads per block", {128, 256, 512}, 256}},
       .formula = formulas::scan_interval(),
       .asymptotic_costs = {.umm = [](const Instance& of) { return optimal_prefix_sums(of.size); },
                            .dmm = last_level}},
      "t");
}

}  // namespace fathom
