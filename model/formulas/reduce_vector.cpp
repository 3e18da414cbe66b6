// Fast reduction in one pass and one launch. Not from the papers: blocks take tiles round-robin, with 16
// bytes per access, and the block that ends last combines the results of all.
#include <fathom/model/formulas.h>
#include <fathom/model/formulas/reductions.h>

namespace fathom::formulas {

namespace {

enum Constant : std::size_t { element_operations = first_own_constant };

std::vector<ConstantInfo> constants() {
  return reduction_constants(
      150, {{"element_operations", "register operations per word: the operator, a share of the address", 1.5,
             0.5, 20}});
}

constexpr double words_of_a_vector = 4;

/// As compiled for sm_90.
double registers_of_vectors(int I) {
  return I <= 2 ? 30 : I <= 4 ? 37 : 48;
}

// ---- as published ----

/// Not from a source: the counts of the cascading reduction, with I vectors of 16 bytes in flight, and with
/// blocks of t threads instead of warps, which use 2b words each.
template <class Real>
Phases<Real> published(const Machine<Real>& machine, double n, double words, int t, int I) {
  const int b = machine.warp_width;
  Phase<Real> one = agpu_phase("one-pass", machine, 2.0 * b * words * b / t, t);
  const double p = agpu_cores(machine, n), blocks = ceil_div(p, t);
  one.accesses = {
      {Level::global, Real((n + blocks * b + blocks + b) * words), Real(1), Real(I * words_of_a_vector)},
      {Level::shared, Real((p + blocks * b) * words)},
      {Level::registers, Real(n * words)}};
  return {one};
}

// ---- our kernel ----

/// Reads the whole input; every block writes one element and broadcasts its ticket to its threads.
template <class Real>
Phase<Real> all_blocks(const ReductionLaunch& launch, int I, const Machine<Real>& machine,
                       const ConstantValues<Real>& c) {
  const double vectors = std::floor(launch.n * launch.words / words_of_a_vector);
  const double in_flight =
      words_in_flight(ceil_div(vectors, launch.threads) * words_of_a_vector, I * words_of_a_vector);
  Phase<Real> phase = reduction_phase(launch, machine, in_flight, c);
  phase.accesses.push_back({Level::shared, Real(exchanged_words(launch, machine.warp_width))});
  phase.accesses.push_back({Level::shared, Real(launch.threads + launch.blocks * machine.warp_width)});
  phase.accesses.push_back({Level::registers, Real(launch.n * launch.words * c[element_operations])});
  return phase;
}

/// The last block continues, without another launch but alone on the machine. It has waited for the round
/// trip of its ticket, an atomic on the word that all blocks increment; then it resets the word.
template <class Real>
Phase<Real> last_block(const ReductionLaunch& launch, const Machine<Real>& machine,
                       const ConstantValues<Real>& c) {
  const double in_flight = ceil_div(launch.n, launch.threads) * launch.words;
  Phase<Real> phase = reduction_phase(launch, machine, in_flight, c);
  phase.launches = 0;
  const double b = machine.warp_width, tickets = (launch.n + 1) * b;  // each by one lane
  phase.accesses.push_back({Level::global, Real(tickets), Real(1 / b), Real(tickets / launch.threads)});
  phase.accesses.push_back({Level::shared, Real(exchanged_words(launch, machine.warp_width))});
  return phase;
}

template <class Real>
Phases<Real> calibrated(const Machine<Real>& machine, const Plan& plan, double n, double words, int I,
                        const ConstantValues<Real>& c) {
  const ReductionLaunch all{plan[0], n, words, registers_of_vectors(I)};
  Launch last = plan[0];
  last.blocks = 1;
  return {all_blocks(all, I, machine, c),
          last_block(ReductionLaunch{last, all.blocks, words, all.registers}, machine, c)};
}

}  // namespace

Formula reduce_vector() {
  return make_formula(
      constants(),
      [](const auto& machine, const Problem& problem, const Plan& plan, const auto& c, LawName law) {
        const int t = problem.parameters.at("t");
        const int I = problem.parameters.at("I");
        const double size = words(problem.type);
        return law == LawName::published ? published(machine, problem.n, size, t, I)
                                         : calibrated(machine, plan, problem.n, size, I, c);
      },
      [](const Launch&, const Problem& problem, const OccupancyLimits&) {
        return registers_of_vectors(problem.parameters.at("I"));
      });
}

}  // namespace fathom::formulas
