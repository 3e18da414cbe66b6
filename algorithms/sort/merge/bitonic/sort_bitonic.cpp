// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/algorithms/sort/merge/bitonic/sort_bitonic.h>
#include <fathom/model/formulas/formulas.h>

namespace fathom {
namespace {

using namespace asymptotic;

BitonicShape shape(const Instance& of) {
  return {of.parameter("E"), of.parameter("t"), of.parameter("S")};
}

/// The kernels use as much of the shared memory M as a tile takes.
AgpuCost sort_in_tiles(const AgpuSize& size, const Problem& problem) {
  const int tile = problem.parameters.at("E") * problem.parameters.at("t");
  return asymptotic::sort_bitonic({size.n, size.p, size.b, double(tile)});
}

}  // namespace

Algorithm sort_bitonic() {
  return make_sort<SortBitonic>(
      {.slug = "sort-bitonic",
       .group = "sort/merge",
       .source = "agpu2015 §7, after Batcher 1968",
       .parameters = {{"S", "steps of a merge per pass over all keys", {1, 2, 3, 4, 5}, 5},
                      {"E", "elements per thread", {8, 16, 32}, 32},
                      {"t", "threads per block", {64, 128, 256}, 128}},
       .formula = formulas::sort_bitonic(),
       .asymptotic_costs = {.umm = [](const Instance& of) { return sort_bitonic_global(of.size, shape(of)); },
                            .dmm = [](const Instance& of) { return sort_bitonic_shared(of.size, shape(of)); },
                            .agpu = sort_in_tiles,
                            .compares = true}},
      Types<u32, u64, i32, i64, f32, f64>{}, "t", "E", "S");
}

}  // namespace fathom
