// Bounds on the memory machines (nakano2012; models.md §8) and on the AGPU (agpu2015; models.md §5): the
// expression inside O(…), its constant factors 1, in the machine's time units. What counted units are divided
// by.
//
// A logarithm in a bound is to base 2 and counts at least 1, and no more threads count than have work: so a
// bound also holds where its source assumes larger inputs.
#pragma once

#include <fathom/core/problem.h>

#include <optional>

namespace fathom::asymptotic {

/// A problem of n ≥ 1 cells on a DMM or UMM: p threads, w banks, latency l; all ≥ 1.
struct MemoryMachineSize {
  double n, p, w, l;
};

/// All n cells, once each, in rounds of one contiguous access by every thread; exact where w divides p and no
/// round begins before the one before it has ended. That is so where the threads wait for each other in
/// between, and without it for n ≤ p, where there is one round, for p = w, one warp, and for l = 1. Otherwise
/// rounds overlap: the time then is n/w + l − 1 where p ≥ w·l, and (n/p)·l + p/w − 1 where less, n a multiple
/// of p. nakano2012: (n/p)·(p/w + l − 1) for n ≥ p, n/w + l − 1 for n < p.
double contiguous_access(const MemoryMachineSize& size);

/// Sum by halving: n/w + nl/p + l·log n (nakano2012).
double sum(const MemoryMachineSize& size);
/// What no sum or prefix sums can beat, but for a constant: the largest of n/w (bandwidth), nl/p (latency)
/// and l·log n (reduction) (nakano2012).
double sum_lower_bound(const MemoryMachineSize& size);
/// a[i] += a[i − 2^t]: (n/w + nl/p)·log n (nakano2012).
double naive_prefix_sums(const MemoryMachineSize& size);
/// Interval sums downwards, prefix sums upwards: n/w + nl/p + l·log n (nakano2012).
double optimal_prefix_sums(const MemoryMachineSize& size);
/// Groups of k numbers one after another, k ≥ p: n/w + nl/p + (nl/k)·log k (nakano2012).
double sequential_parallel_prefix_sums(const MemoryMachineSize& size, double k);
/// Whether the optimal prefix sums take O(n/w): p ≥ w·l and n ≥ w·l·log(w·l) (nakano2012).
bool hides_latency(const MemoryMachineSize& size);

/// Pairwise mergesort (karsin2018 §4.1): E elements per thread, t threads per block, tiles of tE.
struct PairwiseShape {
  double E, t;
};

/// Of its accesses to global memory, on the UMM:
///   (log n/(tE) + 1)·(n/w + nl/p) + log n/(tE)·log n·(n/(tE)·(1 + l/p) + l),
/// the second term 0 where one tile holds all. Not in the sources; derived as theirs are. The sort of the
/// tiles and each of log n/(tE) merge rounds read and write every element once, contiguously: n/w + nl/p, at
/// most n/E threads having work. Before a round, one thread per tile searches the merge path: log n probes,
/// each of which waits for the one before. Probes of different searches share no address group: (n/(tE))·log
/// n slots. p searches run at a time: (n/(tEp) + 1)·l·log n.
double sort_pairwise_global(const MemoryMachineSize& size, const PairwiseShape& shape);
/// Of its accesses to shared memory, on the DMM, as one machine shared by all blocks:
///   log n/E·(1 + (log tE)/E)·(βn/w + nl/p).
/// Derived likewise. In each of log n/E merge rounds, within tiles and between them, n/E threads write and
/// read E elements each, and before that search with log tE probes each. An access meets β distinct cells in
/// a bank, the mean over all, 1 ≤ β ≤ w: w at worst, some 3 for random input (models.md §2). For E ≥ log tE
/// and constant β this is O((n/w + nl/p)·log n).
double sort_pairwise_shared(const MemoryMachineSize& size, const PairwiseShape& shape, double beta);

// Of the shared memory of kernels whose sources give a bound on the AGPU only; derived as nakano2012 does.

/// Tree reduction by blocks of t threads with 2t words each: n/w + (nl/p)·log 2t + l·log n. A level of the
/// tree halves the words that move but not the threads that wait for them: so each of log 2t levels costs all
/// rounds of blocks a latency. The last blocks are alone with theirs: log n levels in all.
double reduce_tree_shared(const MemoryMachineSize& size, double t);
/// Matrix scan with α ≥ 1 rows a tile: min(⌈w/α⌉, α)·n/w + nl/p, at most n/α threads having a column.
/// Row-wise accesses to the tile conflict as in agpu2015, and a thread waits α times for its column.
double scan_matrix_shared(const MemoryMachineSize& size, double alpha);

/// A problem of n ≥ 1 words on AGPU(p, b, M): p cores in multiprocessors of b, each with M words of shared
/// memory.
struct AgpuSize {
  double n, p, b, M;
};

/// A row of the table in models.md §5.
struct AgpuCost {
  double time;                         ///< instructions of the busiest multiprocessor
  double io;                           ///< blocks of b words, read or written
  std::optional<double> multiplicity;  ///< M/m; none where the source gives none
};

/// A block reduces 2b elements: two blocks of words read, one written. I/O Σ_i 3⌈n/(2b)^i⌉ to the level that
/// leaves one element, without O.
AgpuCost reduce_tree(const AgpuSize& size);
AgpuCost reduce_cascading(const AgpuSize& size);
AgpuCost reduce_pipeline(const AgpuSize& size);
AgpuCost reduce_matrix(const AgpuSize& size);
/// α ≥ 1 rows a tile.
AgpuCost scan_matrix(const AgpuSize& size, double alpha);
AgpuCost sort_bitonic(const AgpuSize& size);
/// GPU-Warpsort: runs of b elements, merged pairwise by bitonic merges.
AgpuCost sort_warp(const AgpuSize& size);
/// d ≥ 2 ways.
AgpuCost sort_multiway(const AgpuSize& size, double d);
/// No comparison sort takes less. M > b.
AgpuCost comparison_sort_lower_bound(const AgpuSize& size);

// ---- what kernels cost: how they deal out what the sources leave open ----

/// A problem on a memory machine. Elements count as their words.
struct Instance {
  MemoryMachineSize size;
  const Problem& problem;
  double conflict;  ///< β, the mean conflict degree that was counted, where it depends on the input

  double parameter(std::string_view name) const { return problem.parameters.at(name); }
};

/// Only n/elements threads have work.
MemoryMachineSize with_elements_per_thread(MemoryMachineSize size, double elements);
inline constexpr double words_of_a_vector = 4;
/// An access of a thread is a vector, for which it waits once: that is as four threads with a word each.
MemoryMachineSize with_vectors(MemoryMachineSize size);
/// Each of `threads`, at least one block of them, accesses one word.
double word_per_thread(const MemoryMachineSize& size, double threads, double threads_of_a_block);

/// The costs of an algorithm's kernels that the counted ones stay within a constant of: of their accesses to
/// global memory on a UMM, to shared memory on a DMM, and the source's row in the table of models.md §5. Null
/// where the kernels make no such accesses, and where no source tells.
struct Costs {
  double (*umm)(const Instance&) = nullptr;
  double (*dmm)(const Instance&) = nullptr;
  AgpuCost (*agpu)(const AgpuSize&, const Problem&) = nullptr;
};

}  // namespace fathom::asymptotic
