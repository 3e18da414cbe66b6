// Koike and Sadakane's multiway mergesort: agpu2015 §7.3, costed by karsin2018 §4.2; models.md §3.
//
// Base blocks of w sorted elements; K lists at a time are merged by one warp through a binary heap in shared
// memory whose inner nodes buffer 2w sorted elements each.
#include <fathom/model/formulas.h>
#include <fathom/model/formulas/counts.h>

namespace fathom::formulas {

namespace {

/// T_g = (2N/P)·(log_K(N/w) + 1)·max(1/B_g, ⌈L_g/X⌉)
/// T_s = (4N/P)·(log w·log(N/w) + ½·log² w)·max(1/B_s, ⌈L_s/X⌉)
/// X = M/(4KP − 2P), I = 1.
///
/// The + 1 and the ½·log² w are the base case. N counts words: an element of 64 bits is two accesses and two
/// words of M. Both laws use these counts. Under `calibrated` a block is one warp with a heap of 4Kw − 2w
/// elements, as many blocks run as are resident (partition by separators gives every warp its share), and the
/// number of passes is rounded up.
template <class Real>
Phases<Real> phases(const Machine<Real>& machine, const Problem& problem, LawName law) {
  const int K = problem.parameters.at("K");
  const int w = machine.warp_width;
  const double size = words(problem.type);
  const double heap_bytes = (4.0 * K * w - 2 * w) * size * 4;
  const HeapWarps warps =
      heap_warps(problem.n, w, resident_blocks(machine.limits, w, 0, heap_bytes), machine.multiprocessors);
  const double N = (law == LawName::published ? problem.n : warps.elements) * size;
  const double log_w = std::log2(w);
  const double log_runs = log2_from_1(problem.n / w);
  const double passes =
      law == LawName::published ? log_runs / std::log2(K) : std::ceil(log_runs / std::log2(K));

  Phase<Real> base;
  base.name = "base-case";
  base.accesses = {{Level::global, Real(2 * N), Real(1), Real(1), true},
                   {Level::shared, Real(4 * N * log_w * log_w / 2), Real(1), Real(1), true}};

  Phase<Real> merge;
  merge.name = "multiway-merge";
  merge.launches = std::ceil(passes);
  merge.accesses = {{Level::global, Real(2 * N * passes), Real(1), Real(1), true},
                    {Level::shared, Real(4 * N * log_w * log_runs), Real(1), Real(1), true}};

  Phases<Real> both{base, merge};
  for (Phase<Real>& phase : both) {
    phase.threads_per_block = w;
    phase.shared_bytes_per_block = heap_bytes;
    phase.blocks = warps.blocks;
    phase.footprint_bytes = 2 * N * 4;
    if (law == LawName::published) phase.multiplicity = machine.M() / (machine.P() * (4 * K - 2) * size);
  }
  return both;
}

}  // namespace

Formula sort_multiway() {
  return make_formula({}, [](const auto& machine, const Problem& problem, const Plan&, const auto&,
                             LawName law) { return phases(machine, problem, law); });
}

}  // namespace fathom::formulas
