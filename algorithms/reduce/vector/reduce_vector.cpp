// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/algorithms/reduce/vector/reduce_vector.h>
#include <fathom/model/formulas/formulas.h>

namespace fathom {
namespace {

using namespace asymptotic;

/// Every thread reads its block's ticket in addition to the words of the warps; nothing hides the last
/// block's read.
double ticket_per_thread(const Instance& of) {
  const double elements_of_a_thread = of.parameter("I") * words_of_a_vector;
  return word_per_thread(of.size, of.size.n / elements_of_a_thread, of.parameter("t")) + of.size.l;
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
                            .dmm = ticket_per_thread}},
      "t", "I");
}

}  // namespace fathom
