// Reduction by one block: its description for the registry and the model.
#include "reduce_one_block.h"

#include <fathom/algorithms/make_algorithm.h>

namespace fathom {
namespace {

/// Every element is read once; each thread waits for each of its reads.
template <class Real>
Phases<Real> phases(const Machine<Real>& machine, const Problem& problem, const Plan& plan, LawName law) {
  const double words_read = problem.n * words(problem.type), threads = problem.parameters.at("t");
  Phase<Real> phase;
  if (law == LawName::calibrated) phase = phase_of<Real>(plan[0], 32);
  phase.name = "reduce";
  phase.multiplicity = threads / machine.P();
  phase.reads_only = true;
  phase.footprint_bytes = Real(4 * words_read);
  phase.accesses = {{Level::global, Real(words_read)}};
  return {phase};
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
       .formula = make_formula(
           {},
           [](const auto& machine, const Problem& problem, const Plan& plan, const auto&, LawName law) {
             return phases(machine, problem, plan, law);
           },
           [](const Launch&, const Problem&, const OccupancyLimits&) { return 32.0; })},
      "t");
}

}  // namespace fathom
