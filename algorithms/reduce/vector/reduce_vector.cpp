// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/algorithms/reduce/vector/reduce_vector.h>
#include <fathom/model/formulas/formulas.h>

namespace fathom {
namespace {

using namespace asymptotic;

/// A single block has the words of its warps alone. If there are several blocks, every thread reads its
/// block's ticket in addition. Nothing hides the last read.
double words_of_warps_or_tickets(const Instance& of) {
  const double threads = of.parameter("t"), words_of_a_thread = of.parameter("I") * words_of_a_vector;
  if (of.size.n <= ReduceVector<u32, Plus>::tiles_of_one_block * threads * words_of_a_thread)
    return word_per_warp(of.size, threads / warp_width) + of.size.l;
  return word_per_thread(of.size, of.size.n / words_of_a_thread, threads) + of.size.l;
}

}  // namespace

Algorithm reduce_vector() {
  return make_reduction<ReduceVector>(
      {.slug = "reduce-vector",
       .group = "reduce",
       .source = "Fathom: one pass, 16-byte loads",
       .parameters = {{"t", "threads per block", {128, 256, 512}, 512},
                      {"I", "loads of 16 bytes that a thread has in flight", {1, 2, 4, 8}, 8}},
       .formula = formulas::reduce_vector(),
       .asymptotic_costs = {.umm = [](const Instance& of) { return sum(with_vectors(of.size)); },
                            .dmm = words_of_warps_or_tickets}},
      "t", "I");
}

}  // namespace fathom
