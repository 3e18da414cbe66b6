// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/algorithms/scan/naive/scan_naive.h>
#include <fathom/model/formulas/formulas.h>

namespace fathom {
namespace {

using namespace asymptotic;

}  // namespace

Algorithm scan_naive() {
  return make_scan<ScanNaive>(
      {.slug = "scan-naive",
       .group = "scan",
       .source = "nakano2012 (naive prefix-sums)",
       .parameters = {{"t", "threads per block", {128, 256, 512}, 256}},
       .separate_arrays = true,
       .formula = formulas::scan_naive(),
       .asymptotic_costs = {.umm = [](const Instance& of) { return naive_prefix_sums(of.size); }}},
      "t");
}

}  // namespace fathom
