// SPDX-License-Identifier: Apache-2.0
// Reduction by one block: its description for the registry and the model.
#include "reduce_one_block.h"

#include <fathom/algorithms/make_algorithm.h>

namespace fathom {
namespace {

/// Every element is read once; each thread waits for each of its reads.
Phases phases(const Machine<double>& machine, const Problem& problem, const Reading&) {
  return {{.name = "reduce",
           .multiplicity = problem.parameters.at("t") / machine.P(),
           .accesses = {{Level::global, problem.n * words(problem.type)}}}};
}

}  // namespace

std::span<const HeaderText> example_headers();  // generated: tests/example/CMakeLists.txt

std::span<const HeaderText> example_and_kernel_headers() {
  static const std::vector<HeaderText> all = [] {
    std::vector<HeaderText> headers(kernel_headers().begin(), kernel_headers().end());
    headers.insert(headers.end(), example_headers().begin(), example_headers().end());
    return headers;
  }();
  return all;
}

Algorithm reduce_one_block() {
  return make_reduction<ReduceOneBlock>(
      {.slug = "reduce-one-block",
       .group = "reduce",
       .source = "docs/adding-an-algorithm.md",
       .parameters = {{"t", "threads of the block", {128, 256, 512, 1024}, 256}},
       .formula = Formula{phases}},
      "t");
}

}  // namespace fathom
