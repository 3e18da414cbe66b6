// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/algorithms/scan/costs_of_one_pass.h>
#include <fathom/algorithms/scan/lookback/scan_lookback.h>
#include <fathom/model/formulas/formulas.h>

namespace fathom {

Algorithm scan_lookback() {
  return make_scan<ScanLookback>(
      {.slug = "scan-lookback",
       .group = "scan",
       .source = "merrill2016 (decoupled look-back)",
       .parameters = {{"E", "elements per thread", {4, 8, 16, 24, 32, 40, 52, 64, 96, 104}, 52},
                      {"t", "threads per block", {128, 256, 512}, 256}},
       // The fastest of what scripts/campaigns/measure-defaults measured on an H200; n is between two sizes.
       .other_defaults = {{.parameters = {{"t", 128}, {"E", 16}}, .most_n = 1.85e5},
                          {.parameters = {{"t", 256}, {"E", 16}}, .most_n = 3.7e5},
                          {.parameters = {{"t", 256}, {"E", 32}}, .most_n = 3.4e7, .key_bytes = 4},
                          {.parameters = {{"t", 256}, {"E", 16}}, .most_n = 3e6},
                          {.parameters = {{"t", 256}, {"E", 24}}, .most_n = 3.4e7}},
       .fits_by = {"E"},
       .formula = formulas::scan_lookback(),
       .asymptotic_costs = costs_of_one_pass()},
      "t", "E");
}

}  // namespace fathom
