// Cascading reduction: agpu2015 (reduce, cascading); models.md §5.
//
// The input is a matrix with a column per thread. Each thread reduces its column, then a tree reduces the
// threads' results.
#include <fathom/model/formulas.h>
#include <fathom/model/formulas/reductions.h>

namespace fathom::formulas {

namespace {

enum Constant : std::size_t { element_operations = first_own_constant };

std::vector<ConstantInfo> constants() {
  return reduction_constants(
      150, {{"element_operations", "register operations per word: the operator, the address", 2, 0.5, 20}});
}

// ---- as published ----

/// n/p steps in registers, then a tree per warp: its b values go to shared memory, and each of log b levels
/// is two loads and a store by all b cores. b words per warp.
template <class Real>
Phases<Real> published(const Machine<Real>& machine, double n, double words, int t) {
  const int b = machine.warp_width;
  Phase<Real> cascade = agpu_phase("cascade", machine, b * words, t);
  const double p = agpu_cores(machine, n);
  cascade.accesses = {{Level::global, Real(agpu_global_accesses(n, p, b) * words)},
                      {Level::shared, Real((p + p / b) * (1 + 3 * std::log2(b)) * words)},
                      {Level::registers, Real(n * words)}};
  return {cascade};
}

// ---- our kernel ----

constexpr double registers_of_columns = 32;
constexpr double loads = 8;  // of a thread in flight

template <class Real>
Phase<Real> reduce_columns(const ReductionLaunch& launch, const Machine<Real>& machine,
                           const ConstantValues<Real>& c) {
  const double in_flight =
      words_in_flight(ceil_div(launch.n, launch.threads) * launch.words, loads * launch.words);
  Phase<Real> phase = reduction_phase(launch, machine, in_flight, c);
  phase.accesses.push_back({Level::shared, Real(exchanged_words(launch, machine.warp_width))});
  phase.accesses.push_back({Level::registers, Real(launch.n * launch.words * c[element_operations])});
  return phase;
}

}  // namespace

Formula reduce_cascading() {
  return make_formula(
      constants(),
      [](const auto& machine, const Problem& problem, const Plan& plan, const auto& c, LawName law) {
        const int t = problem.parameters.at("t");
        const double size = words(problem.type);
        return law == LawName::published
                   ? published(machine, problem.n, size, t)
                   : of_each_launch(
                         machine, plan, problem.n, size, registers_of_columns,
                         [&](const ReductionLaunch& launch) { return reduce_columns(launch, machine, c); });
      },
      [](const Launch&, const Problem&, const OccupancyLimits&) { return registers_of_columns; });
}

}  // namespace fathom::formulas
