// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/algorithms/scan/matrix/scan_matrix.h>
#include <fathom/model/formulas/formulas.h>

namespace fathom {
namespace {

using namespace asymptotic;

/// Each lane scans a column of a tile.
double columns(const Instance& of) {
  return optimal_prefix_sums(with_elements_per_thread(of.size, of.parameter("alpha")));
}

}  // namespace

Algorithm scan_matrix() {
  return make_scan<ScanMatrix>(
      {.slug = "scan-matrix",
       .group = "scan",
       .source = "agpu2015 (scan, matrix)",
       .parameters = {{"alpha", "rows of a tile", consecutive(1, 32), 8},
                      {"t", "threads per block", {128, 256, 512}, 256}},
       .formula = formulas::scan_matrix(),
       .asymptotic_costs = {
           .umm = columns,
           .dmm = [](const Instance& of) { return scan_matrix_shared(of.size, of.parameter("alpha")); },
           .agpu =
               [](const AgpuSize& size, const Problem& problem) {
                 return asymptotic::scan_matrix(size, problem.parameters.at("alpha"));
               }}},
      "t", "alpha");
}

}  // namespace fathom
