// Tree reduction: agpu2015 (reduce, tree); models.md §5.
//
// Level by level, every block of t threads loads 2t elements into shared memory and reduces them to one.
#include <fathom/model/formulas.h>
#include <fathom/model/formulas/reductions.h>

namespace fathom::formulas {

namespace {

enum Constant : std::size_t { level_operations = first_own_constant };

std::vector<ConstantInfo> constants() {
  return reduction_constants(
      30, {{"level_operations", "register operations per thread and level of the tree: mostly its barriers",
            8, 1, 200}});
}

double levels(int t) {
  return std::log2(2.0 * t);
}

// ---- as published ----

/// Σ 3⌈n/(2b)^i⌉ I/Os: two reads and a write. In shared memory two accesses store the halves, and each of log
/// 2b levels is two loads and a store by all b cores, idle or not, since they run in lock-step. The paper's b
/// cores of a multiprocessor are the t threads of a block, which share 2t words; an I/O is b words.
///
/// Our kernel makes a third of these shared accesses: warps without a node make none.
template <class Real>
Phases<Real> published(const Machine<Real>& machine, double n, double words, int t) {
  const int b = machine.warp_width;
  Phase<Real> tree = agpu_phase("tree", machine, 2.0 * b * words, t);
  double global = 0, shared = 0;
  for (double left = n; left > 0;) {
    const double blocks = ceil_div(left, 2.0 * t);
    global += blocks * (2 * t + b);
    shared += blocks * t * (2 + 3 * levels(t));
    left = blocks > 1 ? blocks : 0;
  }
  tree.accesses = {{Level::global, Real(global * words)}, {Level::shared, Real(shared * words)}};
  return {tree};
}

// ---- our kernel ----

constexpr double registers_of_segments = 20;

/// Shared words: 2t stores, then two loads and a store for each of t, t/2, …, 1 nodes, but at least a warp's.
/// A thread waits for a load and for a store at every level, even for those of other threads, so many
/// latencies pass for the few words that it moves itself.
template <class Real>
Phase<Real> reduce_segments(const ReductionLaunch& launch, const Machine<Real>& machine,
                            const ConstantValues<Real>& c) {
  const int b = machine.warp_width, t = launch.t;
  Phase<Real> phase = reduction_phase(launch, machine, 2 * launch.words, c);
  const double words_of_a_block = (2 * t + 3 * (2 * t - b + b * std::log2(b))) * launch.words;
  phase.accesses.push_back({Level::shared, Real(launch.blocks * words_of_a_block), Real(1),
                            Real(words_of_a_block / t / (2 * levels(t)))});
  phase.accesses.push_back({Level::registers, Real(launch.threads * levels(t) * c[level_operations])});
  return phase;
}

}  // namespace

Formula reduce_tree() {
  return make_formula(
      constants(),
      [](const auto& machine, const Problem& problem, const Plan& plan, const auto& c, LawName law) {
        const int t = problem.parameters.at("t");
        const double size = words(problem.type);
        return law == LawName::published
                   ? published(machine, problem.n, size, t)
                   : of_each_launch(
                         machine, plan, problem.n, size, registers_of_segments,
                         [&](const ReductionLaunch& launch) { return reduce_segments(launch, machine, c); });
      },
      [](const Launch&, const Problem&, const OccupancyLimits&) { return registers_of_segments; });
}

}  // namespace fathom::formulas
