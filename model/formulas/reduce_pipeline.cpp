// Pipeline reduction: agpu2015 (reduce, pipeline); models.md §5.
//
// Rows of b elements pass through a tree of log b levels in 2b shared words, one level a step: all b cores
// work at every step, and the order of the elements is kept.
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

/// Shared accesses of a core in a step: two that read its node's operands, one that writes the node, one that
/// writes a leaf of the row that enters.
constexpr double accesses_of_a_step = 4;

/// Steps until the last row has left the tree: its levels, and the one that adds up the rows.
double steps_to_drain(int b) {
  return std::log2(b) + 1;
}

// ---- as published ----

/// A step for every row of b elements, and those that drain each warp's pipeline; 2b words a warp. One
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

// ---- the project's kernel ----

constexpr double words_of_a_vector = 4;

/// As the compiler takes them for sm_90: the vectors in flight and the rest.
double registers_of_rows(int I) {
  return 24 + words_of_a_vector * I;
}

/// A row is a vector of 16 bytes for every lane, whose elements are combined before they enter. Shared words
/// per thread: the cleared tree, the steps, the result.
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
  // Two steps more: what lies ahead of the first vector and behind the last one enters by itself.
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
