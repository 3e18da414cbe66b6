// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/algorithms/sort/merge/kway/sort_kway.h>
#include <fathom/model/formulas/formulas.h>

namespace fathom {
namespace {

using namespace asymptotic;

/// Tiles are sorted and merged without a heap.
MultiwayShape shape(const Instance& of) {
  const double E = of.parameter("E"), tile = of.parameter("t") * E;
  return {.K = of.parameter("K"), .tile = tile, .piece = tile, .heap = 0, .node = 0, .keys = E};
}

OtherDefaults of_keys_of_4_bytes(int threads, int elements,
                                 double most_n = std::numeric_limits<double>::infinity()) {
  return {
      .parameters = {{"t", threads}, {"E", elements}}, .most_n = most_n, .key_bytes = 4, .value_bytes = 0};
}

}  // namespace

Algorithm sort_kway() {
  return make_sort_with_values<SortKway>(
      {.slug = "sort-kway",
       .group = "sort/merge",
       .source = "Fathom: K-way merges in shared memory",
       .parameters = {{"K", "runs merged at a time, at most", {2, 4, 8, 16}, 16},
                      {"t", "threads per block", {128, 256, 512}, 256},
                      {"E", "elements per thread", {7, 9, 11, 15, 19, 23, 27, 31, 35, 39, 43, 47}, 23}},
       // The fastest of what scripts/campaigns/measure-defaults measured on an H200, where the number of
       // passes changes or between two sizes; 2.9e6 elements are a tile for each of its multiprocessors.
       // Those of keys of 4 bytes are from data/h200-defaults/kway.json.
       .other_defaults = {{.parameters = {{"E", 11}}, .most_n = 256 * 11},
                          {.parameters = {{"E", 19}}, .most_n = 256 * 19},
                          {.parameters = {{"E", 23}}, .most_n = 256 * 23},
                          {.parameters = {{"E", 11}}, .most_n = 16 * 256 * 11},
                          {.parameters = {{"E", 19}}, .most_n = 16 * 256 * 19},
                          {.parameters = {{"E", 23}}, .most_n = 16 * 256 * 23},
                          {.parameters = {{"E", 11}}, .most_n = 3.7e5},
                          {.parameters = {{"E", 19}}, .most_n = 256 * 256 * 19},
                          {.parameters = {{"E", 23}}, .most_n = 256 * 256 * 23},
                          of_keys_of_4_bytes(256, 27, 256 * 256 * 27),
                          of_keys_of_4_bytes(512, 35, 2.25e6),
                          of_keys_of_4_bytes(512, 43, 2.9e6),
                          of_keys_of_4_bytes(512, 27, 256 * 512 * 27),
                          of_keys_of_4_bytes(512, 35, 256 * 512 * 35),
                          of_keys_of_4_bytes(512, 43, 256 * 512 * 43),
                          of_keys_of_4_bytes(256, 27, 1e7),
                          of_keys_of_4_bytes(512, 43)},
       .fits_by = {"E"},
       .formula = formulas::sort_kway(),
       .asymptotic_costs = {
           .umm = [](const Instance& of) { return sort_multiway_global(of.size, shape(of)); },
           .dmm =
               [](const Instance& of) {
                 return sort_pairwise_shared(of.size, {of.parameter("E"), of.parameter("t")}, of.conflict);
               },
           .compares = true}},
      KeyElements{}, RecordTypes{}, "K", "t", "E");
}

}  // namespace fathom
