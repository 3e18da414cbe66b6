// GPU-MMS: karsin2018 §5; models.md §4.
//
// Multiway mergesort with a min-block-heap of w elements per node, merging in registers by a shuffle network,
// the independent merges along a root-to-leaf path interleaved, and a base case of w² elements. Free of bank
// conflicts.
#include <fathom/model/formulas.h>
#include <fathom/model/formulas/counts.h>

namespace fathom::formulas {

namespace {

enum Constant : std::size_t { register_base_exponent };

/// T_g = (2N/P)·(⌈log_K N/w²⌉ + 1)·max(1/B_g, ⌈L_g/(X·I)⌉)
/// T_s = (4N/P)·(⌈log N/w²⌉ + log w)·max(1/B_s, ⌈L_s/(X·I)⌉)
/// T_r = (6N/P)·(⌈log N/w²⌉·log w + log³ w)·max(1/B_r, ⌈L_r/(X·I)⌉)
/// X = M/(2KP − P), I = log K.
///
/// Erratum: the paper prints B_g and L_g in all three lines. 6 is shuffle, min and max for each of 2N. The
/// terms of the base case are + 1, log w and log³ w. The last is doubtful: with it registers take about 60 %
/// of the time, while the paper reports 35 %. Its exponent is the constant register_base_exponent.
///
/// N counts words: an element of 64 bits is two accesses and two words of M. Both laws use these counts.
/// Under `calibrated` a block is one warp with a heap of 2Kw − w elements, and as many blocks run as are
/// resident.
template <class Real>
Phases<Real> phases(const Machine<Real>& machine, const Problem& problem, const ConstantValues<Real>& c,
                    LawName law) {
  using std::exp;
  const int K = problem.parameters.at("K");
  const int w = machine.warp_width;
  const double size = words(problem.type);
  const double heap_bytes = (2.0 * K * w - w) * size * 4;
  const HeapWarps warps =
      heap_warps(problem.n, w, resident_blocks(machine.limits, w, 0, heap_bytes), machine.multiprocessors);
  const double N = (law == LawName::published ? problem.n : warps.elements) * size;
  const double log_w = std::log2(w);
  const double log_runs = log2_from_1(problem.n / (double(w) * w));
  const double merges = std::ceil(log_runs);                 // ⌈log N/w²⌉
  const double passes = std::ceil(log_runs / std::log2(K));  // ⌈log_K N/w²⌉
  // Any larger exponent is as impossible, but would overflow.
  const Real exponent = c[register_base_exponent] < 64 ? c[register_base_exponent] : Real(64);
  const Real base_merges = exp(Real(exponent * std::log(log_w)));
  const Real I(std::log2(K));

  Phase<Real> base;
  base.name = "base-case";
  base.accesses = {{Level::global, Real(2 * N), Real(1), I, true},
                   {Level::shared, Real(4 * N * log_w), Real(1), I, true},
                   {Level::registers, Real(6 * N * base_merges), Real(1), I, true}};

  Phase<Real> merge;
  merge.name = "multiway-merge";
  merge.launches = passes;
  merge.accesses = {{Level::global, Real(2 * N * passes), Real(1), I, true},
                    {Level::shared, Real(4 * N * merges), Real(1), I, true},
                    {Level::registers, Real(6 * N * merges * log_w), Real(1), I, true}};

  Phases<Real> both{base, merge};
  for (Phase<Real>& phase : both) {
    phase.threads_per_block = w;
    phase.shared_bytes_per_block = heap_bytes;
    phase.blocks = warps.blocks;
    phase.footprint_bytes = 2 * N * 4;
    if (law == LawName::published) phase.multiplicity = machine.M() / (machine.P() * (2 * K - 1) * size);
  }
  return both;
}

}  // namespace

Formula sort_mms() {
  return make_formula(
      {{"register_base_exponent", "exponent of log w in the base case's register term (printed: 3, doubtful)",
        3, 1, 3}},
      [](const auto& machine, const Problem& problem, const Plan&, const auto& c, LawName law) {
        return phases(machine, problem, c, law);
      });
}

}  // namespace fathom::formulas
