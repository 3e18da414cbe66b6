// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/algorithms/sort/merge/warp/sort_warp.h>
#include <fathom/model/formulas/formulas.h>

namespace fathom {
namespace {

using namespace asymptotic;

/// With one key per lane a block of the sort of runs is a warp.
WarpShape shape(const Instance& of) {
  const double E = of.parameter("E");
  return {E, E == 1 ? warp_width : of.parameter("t"), of.parameter("K")};
}

/// With one key per lane the networks are shuffles: only the sort of the runs stores every key to shared
/// memory, and reads it, once.
double shared(const Instance& of) {
  return of.parameter("E") == 1
             ? of.size.n / of.size.w + of.size.n * of.size.l / std::min(of.size.p, of.size.n)
             : sort_warp_shared(of.size, shape(of), of.conflict);
}

}  // namespace

Algorithm sort_warp() {
  return make_sort<SortWarp>(
      {.slug = "sort-warp",
       .group = "sort/merge",
       .source = "agpu2015 §7, after Ye et al. 2010",
       .parameters = {{"E", "elements per lane", {1, 8, 16, 32}, 32},
                      {"K", "blocks of 32·E elements that a warp merges one after another", {2, 4, 8}, 4},
                      {"t", "threads per block", {128, 256}, 128}},
       .formula = formulas::sort_warp(),
       .asymptotic_costs = {
           .umm = [](const Instance& of) { return sort_warp_global(of.size, shape(of)); },
           .dmm = shared,
           .agpu = [](const AgpuSize& size, const Problem&) { return asymptotic::sort_warp(size); },
           .compares = true}},
      Types<u32, u64, i32, i64, f32, f64>{}, "t", "E", "K");
}

}  // namespace fathom
