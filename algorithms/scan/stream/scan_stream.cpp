// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/algorithms/scan/costs_of_one_pass.h>
#include <fathom/algorithms/scan/stream/scan_stream.h>
#include <fathom/model/formulas/formulas.h>

namespace fathom {

Algorithm scan_stream() {
  return make_scan<ScanStream>(
      {.slug = "scan-stream",
       .group = "scan",
       .source = "merrill2016 (decoupled look-back), by blocks with several tiles under way",
       .parameters = {{"E", "elements per thread at most", {8, 10, 14, 18, 20, 28, 36, 56}, 28},
                      {"t", "threads per block that have elements", {256, 512}, 256},
                      {"S", "tiles that a block has under way at most", {4, 6, 8}, 8}},
       .other_defaults = {{.parameters = {{"E", 18}, {"S", 6}}, .key_bytes = 8}},
       .formula = formulas::scan_lookback(),
       .asymptotic_costs = costs_of_one_pass()},
      "t", "E", "S");
}

}  // namespace fathom
