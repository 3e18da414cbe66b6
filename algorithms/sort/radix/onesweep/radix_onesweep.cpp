// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/check/check.h>
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/algorithms/sort/radix/onesweep/radix_onesweep.h>
#include <fathom/algorithms/sort/radix/radix_shape.h>
#include <fathom/model/formulas/formulas.h>

namespace fathom {

Algorithm radix_onesweep() {
  using asymptotic::AgpuSize;
  return make_radix_sort<RadixOnesweep>(
      {.slug = "radix-onesweep",
       .group = "sort/radix",
       .source = "Fathom: single-pass digits with look-back, after Adinets and Merrill 2022",
       .parameters =
           {{"d", "bits of a digit", {4, 5, 6, 7, 8}, 8},
            {"t", "threads per block", {256, 384, 512}, 384},
            {"E", "elements per thread", {4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 25, 28, 31, 32}, 18}},
       // Of what scripts/campaigns/measure-defaults measured on an H200 these are the fastest for random keys
       // (data/h200-defaults/radix.json); n is between two sizes. But of 24 and 25, 31 and 32 the odd one is
       // taken, as it is faster for sorted keys and takes at most 2 % longer for random ones
       // (radix-inputs.json there): of evenly spread digits, a tile has t·E/2^d elements each, and so far
       // apart in shared memory are the places of neighbours in the input if these have neighbouring digits.
       // If that is a multiple of 32, all lanes of a warp meet in one bank.
       .other_defaults = {{.parameters = {{"t", 256}, {"E", 8}}, .most_n = 1.85e5},
                          {.parameters = {{"t", 256}, {"E", 10}}, .most_n = 3.7e5},
                          {.parameters = {{"t", 256}, {"E", 16}}, .most_n = 7.4e5},
                          {.parameters = {{"t", 384}, {"E", 22}}, .most_n = 5.9e6, .key_bytes = 4},
                          {.parameters = {{"t", 256}, {"E", 31}}, .key_bytes = 8, .value_bytes = 0},
                          {.parameters = {{"t", 512}, {"E", 22}}, .key_bytes = 4, .value_bytes = 0},
                          {.parameters = {{"t", 384}, {"E", 28}}, .most_n = 3.4e7, .key_bytes = 4},
                          {.parameters = {{"t", 512}, {"E", 31}}, .key_bytes = 4},
                          {.parameters = {{"t", 512}, {"E", 25}}, .key_bytes = 8, .value_bytes = 4},
                          {.parameters = {{"t", 512}, {"E", 20}}, .key_bytes = 8, .value_bytes = 8}},
       .fits_by = {"E", "t"},
       .shared_bits = shared_bits,
       .formula = formulas::radix_onesweep(),
       .asymptotic_costs = {.agpu =
                                [](const AgpuSize& size, const Problem& problem) {
                                  return asymptotic::radix_lsd(size, radix_shape(problem));
                                }}},
      "d", "t", "E", &Problem::shared_bits, SortedBits{});
}

}  // namespace fathom
