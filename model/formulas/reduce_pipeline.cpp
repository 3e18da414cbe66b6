// Pipeline reduction: agpu2015 (reduce, pipeline); models.md §5.
//
// Rows of b elements pass through a tree of log b levels in 2b shared words, one level per step. All b cores
// work in every step, and the order of the elements is preserved.
#include <fathom/model/formulas.h>
#include <fathom/model/formulas/reductions.h>

namespace fathom::formulas {

namespace {

enum Constant : std::size_t { step_operations = first_own_constant };

std::vector<ConstantInfo> constants() {
  return reduction_constants(
      150, {{"step_operations",
             "register operations per thread and row: the vector's combination, a step of the pipeline", 20,
             2, 200}});
}

/// Shared accesses of a core per step: two read the operands of its node, one writes the node, and one writes
/// a leaf of the entering row.
constexpr double accesses_of_a_step = 4;

/// Steps until the last row has left the tree: its levels, and one that adds up the rows.
double steps_to_drain(int b) {
  return std::log2(b) + 1;
}

// ---- as published ----

/// One step per row of b elements, and the steps that drain each warp's pipeline; 2b words per warp. One
/// combination, a register access, per core and step.
template <class Real>
Phases<Real> published(const Machine<Real>& machine, double n, double words, int t) {
  const int b = machine.warp_width;
  Phase<Real> pipeline = agpu_phase("pipeline", machine, 2 * b * words, t);
  const double p = agpu_cores(machine, n);
  const double steps = n + (p + p / b) * steps_to_drain(b);  // of one core each
  pipeline.accesses = {{Level::global, Real(agpu_global_accesses(n, p, b) * words)},
                       {Level::shared, Real(accesses_of_a_step * steps * words)},
                       {Level::registers, Real(steps * words)}};
  return {pipeline};
}

// ---- our kernel ----

constexpr double words_of_a_vector = 4;

/// As compiled for sm_90: the vectors in flight and the rest.
double registers_of_rows(int I) {
  return 24 + words_of_a_vector * I;
}

/// A row is a vector of 16 bytes per lane, whose elements are combined before they enter the tree. Shared
/// words per thread: the cleared tree, the steps, the result.
template <class Real>
Phase<Real> reduce_rows(const ReductionLaunch& launch, int I, const Machine<Real>& machine,
                        const ConstantValues<Real>& c) {
  const int b = machine.warp_width;
  const double warps = launch.threads / b;
  const double vectors = std::floor(launch.n * launch.words / words_of_a_vector);
  const double rows = ceil_div(vectors, b);
  const double rows_per_warp = ceil_div(rows, warps);
  Phase<Real> phase = reduction_phase(
      launch, machine, words_in_flight(rows_per_warp * words_of_a_vector, I * words_of_a_vector), c);
  // Two more steps: the elements before the first vector and after the last one enter separately.
  const double steps = b * (rows + 2 + warps * steps_to_drain(b));
  phase.accesses.push_back(
      {Level::shared, Real(accesses_of_a_step * steps * launch.words), Real(1), Real(2 * launch.words)});
  phase.accesses.push_back(
      {Level::shared, Real(3 * launch.threads * launch.words + exchanged_words(launch, b))});
  phase.accesses.push_back({Level::registers, Real(steps * c[step_operations])});
  return phase;
}

}  // namespace

Formula reduce_pipeline() {
  return make_formula(
      constants(),
      [](const auto& machine, const Problem& problem, const Plan& plan, const auto& c, LawName law) {
        const int t = problem.parameters.at("t");
        const int I = problem.parameters.at("I");
        const double size = words(problem.type);
        return law == LawName::published
                   ? published(machine, problem.n, size, t)
                   : of_each_launch(
                         machine, plan, problem.n, size, registers_of_rows(I),
                         [&](const ReductionLaunch& launch) { return reduce_rows(launch, I, machine, c); });
      },
      [](const Launch&, const Problem& problem, const OccupancyLimits&) {
        return registers_of_rows(problem.parameters.at("I"));
      });
}

}  // namespace fathom::formulas
