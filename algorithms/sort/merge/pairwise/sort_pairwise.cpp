// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/algorithms/sort/merge/pairwise/sort_pairwise.h>
#include <fathom/model/formulas/formulas.h>

namespace fathom {
namespace {

using namespace asymptotic;

PairwiseShape shape(const Instance& of) {
  return {of.parameter("E"), of.parameter("t")};
}

}  // namespace

Algorithm sort_pairwise() {
  return make_sort_with_values<SortPairwise>(
      {.slug = "sort-pairwise",
       .group = "sort/merge",
       .source = "karsin2018 §4.1",
       .parameters = {{"E", "elements per thread", consecutive(3, 47), 17},
                      {"t", "threads per block", {64, 128, 256, 512}, 256}},
       .fits_by = {"E"},
       .formula = formulas::sort_pairwise(),
       .asymptotic_costs = {
           .umm = [](const Instance& of) { return sort_pairwise_global(of.size, shape(of)); },
           .dmm = [](const Instance& of) { return sort_pairwise_shared(of.size, shape(of), of.conflict); },
           .compares = true}},
      KeyElements{}, RecordTypes{}, "t", "E");
}

// A slug of its own: few E are possible, and tables of work and datasets name all parameters of a sort. The
// formula is that of random input with conflicts, which it thus overestimates.
Algorithm sort_conflict_free() {
  return make_sort<SortConflictFree>(
      {.slug = "sort-conflict-free",
       .group = "sort/merge",
       .source = "Fathom: sort-pairwise, after CF-Merge (Sitchinava and others 2025)",
       .parameters = {{"E", "elements per thread", {8, 16, 32}, 32},
                      {"t", "threads per block", {64, 128, 256, 512}, 256}},
       .fits_by = {"E"},
       .formula = formulas::sort_pairwise(),
       .asymptotic_costs = {
           .umm = [](const Instance& of) { return sort_pairwise_global(of.size, shape(of)); },
           .dmm = [](const Instance& of) { return sort_pairwise_shared(of.size, shape(of), 1); },
           .compares = true}},
      KeyElements{}, "t", "E");
}

}  // namespace fathom
