// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/algorithms/reduce/pipeline/reduce_pipeline.h>
#include <fathom/model/formulas/formulas.h>

namespace fathom {
namespace {

using namespace asymptotic;

/// A leaf is the combination of a vector.
double sum_of_leaves(const Instance& of) {
  MemoryMachineSize size = with_elements_per_thread(of.size, of.parameter("I") * words_of_a_vector);
  size.n /= words_of_a_vector;
  return sum(size);
}

}  // namespace

Algorithm reduce_pipeline() {
  return make_reduction<ReducePipeline>(
      {.slug = "reduce-pipeline",
       .group = "reduce",
       .source = "agpu2015 (reduce, pipeline)",
       .parameters = {{"t", "threads per block", {128, 256, 512}, 256},
                      {"I", "rows that a warp reads ahead", {1, 2, 4, 8}, 4}},
       .formula = formulas::reduce_pipeline(),
       .asymptotic_costs = {
           .umm = [](const Instance& of) { return sum(with_vectors(of.size)); },
           .dmm = sum_of_leaves,
           .agpu = [](const AgpuSize& size, const Problem&) { return asymptotic::reduce_pipeline(size); }}},
      "t", "I");
}

}  // namespace fathom
