// SPDX-License-Identifier: Apache-2.0
// Splitter-based distribution sort: agpu-radix.
//
// The source gives its I/O, O((n/b)·log_{M/b}(n/b)). Here the accesses of its steps are counted, and put
// under the cost law of karsin2018, as for sort-kway.
#include <fathom/model/formulas/counts.h>
#include <fathom/model/formulas/formulas.h>

namespace fathom::formulas {

namespace {

// Of random keys. 32 lanes that each access a random one of 32 banks: the most in one bank. A tree of
// splitters has its upper levels, of 32 nodes or fewer, without conflicts. Merges are those of the pairwise
// mergesort.
constexpr double beta_random = 3.5, beta_merge = 3.1, beta_partition = 2.2;
constexpr double log2_banks = 5;

/// log_buckets = ⌈log n/(tE)⌉ and log_ways = log S:
/// N words of n elements with K words of keys, levels = ⌈⌈log n/(tE)⌉/log S⌉, s = ⌈log n/(tE)⌉/levels:
/// T_g = (1/P)·(levels·(K + 2N + 2n) + 2N)·max(1/B_g, L_g/(X·I_g))
/// T_s = (1/P)·(levels·(min(s, 5)·K + N + 2n)·max(1/B_s, L_s/X)
///       + levels·((s − 5)⁺·K + N + 3n)·β·max(1/B_s, L_s/X) + 2N·β1·⌈log bucket/E⌉·max(1/B_s, L_s/X)
///       + 2K·β2·⌈log bucket⌉·⌈log bucket/E⌉/(2E)·max(1/B_s, L_s/X)),   bucket = min(n, tE)
/// X = M/(P·E), I_g = 2.
///
/// A level reads the keys and writes the number of each one's bucket, then reads both and writes the
/// elements. A key passes s splitters on its path through their tree and is counted; an element is ranked,
/// written to the tile and read from it with its bucket's number, and finds where its bucket goes. The sample
/// is left out: of 2^20 and more elements it is about a per cent. The number of a bucket, narrower than a
/// word, is one access.
Phases levels_and_buckets(const Machine<double>& machine, const Problem& problem, double log_buckets,
                          double log_ways) {
  const double E = problem.parameters.at("E"), t = problem.parameters.at("t");
  const double n = problem.n, N = n * words(problem), K = n * words(problem.type), tile = t * E;
  const double levels = ceil_div(log_buckets, log_ways);
  const double s = levels > 0 ? log_buckets / levels : 0, I_g = 2;

  Phase classify{.name = "classify", .launches = levels};
  classify.accesses = {{Level::global, levels * (K + n), 1, I_g},
                       {Level::shared, levels * K * std::min(s, log2_banks)},
                       {Level::shared, levels * (K * std::max(s - log2_banks, 0.0) + n), beta_random}};

  Phase scatter{.name = "scatter", .launches = levels};
  scatter.accesses = {{Level::global, levels * (2 * N + n), 1, I_g},
                      {Level::shared, levels * (N + 2 * n), beta_random},
                      {Level::shared, levels * (N + 2 * n)}};

  Phase sort{.name = "bucket-sort"};
  const double bucket = std::min(n, tile);
  sort.accesses = {
      {Level::global, 2 * N, 1, I_g},
      {Level::shared, 2 * N * ceil_log2(bucket / E), beta_merge},
      {Level::shared, 2 * K * ceil_log2(bucket) * ceil_log2(bucket / E) / (2 * E), beta_partition}};

  Phases phases{classify, scatter, sort};
  for (Phase& phase : phases) phase.multiplicity = machine.M() / (machine.P() * E * words(problem));
  return phases;
}

Phases published(const Machine<double>& machine, const Problem& problem, const Reading&) {
  const double tile = problem.parameters.at("t") * problem.parameters.at("E");
  return levels_and_buckets(machine, problem, ceil_log2(problem.n / tile),
                            std::log2(problem.parameters.at("S")));
}

/// The same with log n/(tE) buckets over log 4S/5 per level: a bucket may have 5/4 of its share. A level
/// begins with chunks: K words are read, and sorted as buckets are. The samples are left out: they are
/// 4S/(tE) of the keys.
Phases deterministic(const Machine<double>& machine, const Problem& problem, const Reading&) {
  const double E = problem.parameters.at("E"), tile = problem.parameters.at("t") * E;
  const double n = problem.n, K = n * words(problem.type);
  const double log_ways = std::log2(0.8 * problem.parameters.at("S"));
  const double levels = ceil_div(log2_from_1(n / tile), log_ways);

  Phase chunks{.name = "chunks", .launches = levels};
  const double chunk = std::min(n, tile);
  chunks.accesses = {
      {Level::global, levels * K, 1, 2},
      {Level::shared, levels * 2 * K * ceil_log2(chunk / E), beta_merge},
      {Level::shared, levels * 2 * K * ceil_log2(chunk) * ceil_log2(chunk / E) / (2 * E), beta_partition}};
  chunks.multiplicity = machine.M() / (machine.P() * E * words(problem.type));

  Phases phases = levels_and_buckets(machine, problem, log2_from_1(n / tile), log_ways);
  phases.insert(phases.begin(), chunks);
  return phases;
}

}  // namespace

Formula sort_splitter() {
  return {published};
}

Formula sort_splitter_deterministic() {
  return {deterministic};
}

}  // namespace fathom::formulas
