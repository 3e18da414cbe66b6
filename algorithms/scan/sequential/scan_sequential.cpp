// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/algorithms/scan/sequential/scan_sequential.h>
#include <fathom/model/formulas/formulas.h>

#include <cmath>

namespace fathom {
namespace {

using namespace asymptotic;

/// Only the last level of each group, which one block scans, uses shared memory.
double last_levels(const Instance& of) {
  constexpr double threads_of_the_block = 1024;
  const double groups = std::ceil(of.problem.n / of.parameter("k"));
  return groups * word_per_thread(of.size, threads_of_the_block, threads_of_the_block);
}

}  // namespace

Algorithm scan_sequential() {
  std::vector<int> groups;
  for (int exponent = 12; exponent <= 26; exponent += 2) groups.push_back(1 << exponent);
  return make_scan<ScanSequential>(
      {.slug = "scan-sequential",
       .group = "scan",
       .source = "nakano2012 (sequential-parallel prefix-sums)",
       .parameters = {{"k", "elements of a group", groups, 1 << 22},
                      {"t", "threads per block", {128, 256, 512}, 256}},
       .formula = formulas::scan_sequential(),
       .asymptotic_costs = {
           .umm =
               [](const Instance& of) { return sequential_parallel_prefix_sums(of.size, of.parameter("k")); },
           .dmm = last_levels,
           .least_work_space = [](const MemoryMachineSize& of) { return least_work_space(of.w, of.l); }}},
      "k", "t");
}

}  // namespace fathom
