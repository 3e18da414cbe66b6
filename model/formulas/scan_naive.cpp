// Naive scan: nakano2012; models.md §8.
//
// a[i] = a[i − 2^s] + a[i] for s = 0, 1, …, ⌈log n⌉ − 1: every step is one kernel over all elements, from one
// array to the other.
#include <fathom/model/formulas.h>
#include <fathom/model/formulas/counts.h>

namespace fathom::formulas {

namespace {

enum Constant : std::size_t {
  reuse_distance,
  traffic,
  distant_traffic,
  thread_operations,
  start_latency,
};

std::vector<ConstantInfo> constants() {
  return {
      {"reuse_distance", "bytes between two uses of an element, as a multiple of those that a step touches",
       1, 0.5, 2},
      {"traffic", "time of a step's first read and its write as a multiple of a copy's", 1, 0.5, 2},
      {"distant_traffic",
       "time of the read of a[i − 2^s] as a multiple of a copy's: a cache holds it while 2^s is small", 0.5,
       0.05, 2},
      {"thread_operations", "register operations per thread: addresses, the operator, set-up", 20, 2, 200},
      {"start_latency",
       "latencies of a register that pass in a thread besides: its arguments, its first instructions", 50, 1,
       1000},
  };
}

double steps(double n) {
  return std::max(1.0, ceil_log2(n));
}

/// Reads of a[i − 2^s] over all steps: the first 2^s elements need none.
double distant_reads(double n) {
  return std::max(0.0, n * steps(n) - (std::exp2(steps(n)) - 1));
}

/// From one array to the other, since in place a step would overwrite its own input. Every step reads and
/// writes every element, and reads a second one for every addition. One thread per element.
template <class Real>
Phases<Real> published(const Machine<Real>& machine, double n, double words) {
  Phase<Real> step;
  step.name = "step";
  step.launches = steps(n);
  step.multiplicity = resident_threads_per_core(machine, n);
  step.accesses = {{Level::global, Real((2 * n * steps(n) + distant_reads(n)) * words)}};
  return {step};
}

constexpr double registers_of_a_step = 16;

/// The same accesses, by whole blocks. Between the two reads of an element in step s, 2^s elements are read
/// and 2^s are written, fewer than since the previous step wrote it: so the L2 serves more of the second
/// reads.
template <class Real>
Phases<Real> calibrated(const Launch& launch, double n, double words, const ConstantValues<Real>& c) {
  Phases<Real> phases;
  for (double s = 0; s < launch.repeats; ++s) {
    const double distance = std::exp2(s);
    Phase<Real> step = phase_of<Real>(launch, registers_of_a_step);
    step.launches = 1;
    step.footprint_bytes = 2 * n * words * 4 * c[reuse_distance];
    const double threads = launch.threads();
    const Real in_flight(2 * words);  // both reads
    step.accesses = {{Level::global, Real(2 * threads * words), c[traffic], in_flight},
                     {Level::global, Real((n - distance) * words), c[distant_traffic], in_flight, false,
                      Real(2 * distance * words * 4 * c[reuse_distance])},
                     {Level::registers, Real(threads * c[thread_operations])},
                     {Level::registers, Real(threads), Real(1), 1 / c[start_latency]}};
    phases.push_back(step);
  }
  return phases;
}

}  // namespace

Formula scan_naive() {
  return make_formula(
      constants(),
      [](const auto& machine, const Problem& problem, const Plan& plan, const auto& c, LawName law) {
        const double size = words(problem.type);
        return law == LawName::published ? published(machine, problem.n, size)
                                         : calibrated(plan[0], problem.n, size, c);
      },
      [](const Launch&, const Problem&, const OccupancyLimits&) { return registers_of_a_step; });
}

}  // namespace fathom::formulas
