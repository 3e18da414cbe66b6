// SPDX-License-Identifier: Apache-2.0
// Asymptotic costs on the memory machines (nakano2012) and on the AGPU
// (agpu2015): the expression inside O(…) with constant factors 1, in time units of the machine. Counted costs
// are divided by these.
//
// Logarithms are to base 2 and at least 1, and only threads with work count, so that a cost also holds for
// inputs smaller than its source assumes.
#pragma once

#include <fathom/core/problem.h>

#include <optional>

namespace fathom::asymptotic {

/// A problem of n ≥ 1 cells on a DMM or UMM: p threads, w banks, latency l; all ≥ 1.
struct MemoryMachineSize {
  double n, p, w, l;
};

/// Accesses all n cells once, in rounds with one contiguous access per thread. Exact if w divides p and
/// rounds do not overlap. They do not if the threads wait for each other between rounds, and also for n ≤ p
/// (one round), p = w (one warp) and l = 1. Otherwise rounds overlap, and the time is n/w + l − 1 for p ≥ w·l
/// and (n/p)·l + p/w − 1 for smaller p, n a multiple of p. nakano2012: (n/p)·(p/w + l − 1) for n ≥ p, n/w + l
/// − 1 for n < p.
double contiguous_access(const MemoryMachineSize& size);

/// Sum by halving: n/w + nl/p + l·log n (nakano2012).
double sum(const MemoryMachineSize& size);
/// Lower bound, up to a constant, for sums and prefix sums: the maximum of n/w (bandwidth), nl/p (latency)
/// and l·log n (reduction) (nakano2012).
double sum_lower_bound(const MemoryMachineSize& size);
/// a[i] += a[i − 2^t]: (n/w + nl/p)·log n (nakano2012).
double naive_prefix_sums(const MemoryMachineSize& size);
/// Interval sums down the levels, prefix sums back up: n/w + nl/p + l·log n (nakano2012).
double optimal_prefix_sums(const MemoryMachineSize& size);
/// Groups of k numbers one after another, k ≥ p: n/w + nl/p + (nl/k)·log k (nakano2012).
double sequential_parallel_prefix_sums(const MemoryMachineSize& size, double k);
/// The least k, in whole cells, from which on the last term of these is within n/w: k ≥ w·l·log k. A larger
/// work space can no more than halve the cost. At least 4, because k/log k only grows from e on.
double least_work_space(double w, double l);
/// Whether the optimal prefix sums take O(n/w): p ≥ w·l and n ≥ w·l·log(w·l) (nakano2012).
bool hides_latency(const MemoryMachineSize& size);

/// Pairwise mergesort (karsin2018 §4.1): E elements per thread, t threads per block, tiles of tE.
struct PairwiseShape {
  double E, t;
};

/// Accesses to global memory, on the UMM:
///   (log n/(tE) + 1)·(n/w + nl/p) + log n/(tE)·log n·(n/(tE)·(1 + l/p) + l),
/// the second term is 0 if one tile holds everything. Not in the sources, but derived like theirs. The sort
/// of the tiles and each of log n/(tE) merge rounds read and write every element once, contiguously: n/w +
/// nl/p, with at most n/E working threads. Before a round, one thread per tile searches the merge path: log n
/// dependent probes. Probes of different searches share no address group: (n/(tE))·log n slots. p searches
/// run at a time: (n/(tEp) + 1)·l·log n.
double sort_pairwise_global(const MemoryMachineSize& size, const PairwiseShape& shape);
/// Accesses to shared memory, on the DMM, as one machine shared by all blocks:
///   log n/E·(1 + (log tE)/E)·(βn/w + nl/p).
/// Derived in the same way. In each of log n/E merge rounds, within and between tiles, n/E threads search
/// with log tE probes each, then write and read E elements each. An access meets β distinct cells in a bank,
/// averaged over all accesses, 1 ≤ β ≤ w: w in the worst case, about 3 for random input (karsin2018 §4.1).
/// For E ≥ log tE and constant β this is O((n/w + nl/p)·log n).
double sort_pairwise_shared(const MemoryMachineSize& size, const PairwiseShape& shape, double beta);

/// Bitonic sort (agpu2015): E elements per thread, tiles of tE, S steps per pass over all elements.
struct BitonicShape {
  double E, t, S;
};

/// Accesses to global memory, on the UMM: (r + 1)·(1 + r/(2S))·(n/w + nl/p), r = log n/(tE). Derived like the
/// costs above. The sort of the tiles and the steps within tiles of r merges are r + 1 passes; the i-th of
/// these merges has i steps between tiles, in ⌈i/S⌉ passes. A pass reads and writes every element once; at
/// most n/min(E, 2^S) threads have work.
double sort_bitonic_global(const MemoryMachineSize& size, const BitonicShape& shape);
/// Accesses to shared memory, on the DMM: (log tE)/(log E)·(log tE + r)·(n/w + nl/p). Derived in the same
/// way. A merge does at most log tE steps within a tile, and the threads, at most n/E, exchange their
/// elements after every log E of them.
double sort_bitonic_shared(const MemoryMachineSize& size, const BitonicShape& shape);

/// GPU-Warpsort (agpu2015): E elements per lane, blocks of t threads, and K merges of 32E elements per warp.
struct WarpShape {
  double E, t, K;
};

/// Accesses to global memory, on the UMM: those of sort_pairwise_global() with pieces of 32EK elements for
/// its tiles in the searches, and at most n/(EK) threads that have work in a merge.
double sort_warp_global(const MemoryMachineSize& size, const WarpShape& shape);
/// Accesses to shared memory, on the DMM: (log² tE + r·log 32E)/(log E)·(βn/w + nl/p), r = log n/(tE).
/// Derived like the costs above. A merge of 64E elements has log 32E + 1 steps, and the lanes exchange their
/// elements after every log E of them. β is at most 2, and 1 for E = 32.
double sort_warp_shared(const MemoryMachineSize& size, const WarpShape& shape, double beta);

/// Multiway mergesort (karsin2018 §4.2 and §5, agpu2015 §7.3): K ways, sorted tiles of `tile` keys, passes
/// cut into pieces of `piece` keys, heaps that `heap` keys fill in rows of `node`; a thread merges `keys`.
struct MultiwayShape {
  double K, tile, piece, heap, node, keys;
};

/// Accesses to global memory, on the UMM:
///   (passes + 1)·(n/w + nl/p) + passes·log n·(nK/piece + (nw/(piece·p) + 1)·l),   passes = log_K(n/tile).
/// Derived like sort_pairwise_global(): at most n/keys working threads, and before a pass a warp for each
/// piece searches K lists at the same time, whose probes share no address group.
double sort_multiway_global(const MemoryMachineSize& size, const MultiwayShape& shape);
/// Accesses to shared memory, on the DMM, without bank conflicts:
///   (log tile + passes·log K·(1 + heap/piece))·(n/w + nl/p).
/// A key is read and written once on each level of the heap of each pass, as on each level of the tile's
/// sort; for every piece a heap is filled first.
double sort_multiway_shared(const MemoryMachineSize& size, const MultiwayShape& shape);

/// Radix sort: keys of k bits, digits of r ≥ 2 values, tiles of m elements, of which a thread has E.
struct RadixShape {
  double k, r, m, E;
};

/// Passes of merrill2010, ⌈k/log r⌉, on the UMM. A pass takes
///   n/w + nl/p + c·(1 + l/min(p, 1024)) + l,   c = r·⌈n/m⌉.
/// Derived like the costs above. Every element is read and written once, by at most n/E threads with work.
/// For each tile there are at most r counts, written and read at a distance, so that no two share an address
/// group; one block of 1024 threads scans them.
double radix_lsd_global(const MemoryMachineSize& size, const RadixShape& shape);
/// The same on the DMM: a pass takes (1 + r/E)·(βn/w + nl/p) + c/w + l. Next to the E elements of a thread
/// there are counters of r digits. β as in sort_pairwise_shared().
double radix_lsd_shared(const MemoryMachineSize& size, const RadixShape& shape, double beta);
/// Passes of the scheme of satish2009 on the UMM: n/w + nl/p + c·(1 + l/p) + l. All blocks scan the
/// counts.
double radix_tiled_global(const MemoryMachineSize& size, const RadixShape& shape);
/// The same on the DMM: log r splits of each tile, (1 + log r)·(βn/w + nl/p) + c/w + l.
double radix_tiled_shared(const MemoryMachineSize& size, const RadixShape& shape, double beta);

// Shared memory costs of kernels whose sources cover the AGPU only; derived as in nakano2012.

/// Tree reduction by blocks of t threads with 2t words each: n/w + (nl/p)·log 2t + l·log n. A level of the
/// tree halves the words moved, but not the threads that wait for them, so each of log 2t levels costs every
/// round of blocks a latency. The last blocks run alone: log n levels in all.
double reduce_tree_shared(const MemoryMachineSize& size, double t);
/// Matrix scan with α ≥ 1 rows per tile: min(⌈w/α⌉, α)·n/w + nl/p, with at most n/α threads that have a
/// column. Row-wise accesses to the tile conflict as in agpu2015, and a thread waits α times for its column.
double scan_matrix_shared(const MemoryMachineSize& size, double alpha);

/// A problem of n ≥ 1 words on AGPU(p, b, M): p cores in multiprocessors of b, each with M words of shared
/// memory.
struct AgpuSize {
  double n, p, b, M;
};

/// The costs of an algorithm on the AGPU (agpu2015).
struct AgpuCost {
  double time;                         ///< instructions of the busiest multiprocessor
  double io;                           ///< blocks of b words read or written
  std::optional<double> multiplicity;  ///< M/m; empty if the source gives none
};

/// A block reduces 2b elements: two blocks of words read, one written. The I/O is exact, without O: Σ_i
/// 3⌈n/(2b)^i⌉ over the levels, until one element is left.
AgpuCost reduce_tree(const AgpuSize& size);
AgpuCost reduce_cascading(const AgpuSize& size);
AgpuCost reduce_pipeline(const AgpuSize& size);
AgpuCost reduce_matrix(const AgpuSize& size);
/// α ≥ 1 rows per tile.
AgpuCost scan_matrix(const AgpuSize& size, double alpha);
AgpuCost sort_bitonic(const AgpuSize& size);
/// GPU-Warpsort: runs of b elements, merged pairwise by bitonic merges.
AgpuCost sort_warp(const AgpuSize& size);
/// d ≥ 2 ways.
AgpuCost sort_multiway(const AgpuSize& size, double d);
/// With our passes' I/Os: rows of `node` keys are written one by one, and read from anywhere in a list. For
/// every piece each of its at most K lists is searched first: windows of eight of every s-th keys, s = 1, 4,
/// 16, ..., √run/2, and two blocks where the piece ends. There is a piece for each heap that fits into M
/// words, of which a heap takes twice the keys that fill it.
AgpuCost sort_multiway(const AgpuSize& size, const MultiwayShape& shape);
// Distribution sorts (agpu-radix). The source gives the I/Os. A pass reads all elements twice,
// 2n/b, and its scatter, of tiles of m elements in the order of their r digits, writes n/b + r·n/m blocks:
// O(n/b) for r ≤ m/b. The time follows: a digit is ranked, bit by bit, in log r scans of n/p.

/// ⌈k/log r⌉ passes, whatever n: (n/p)·k, and so many times the I/Os of a pass.
AgpuCost radix_lsd(const AgpuSize& size, const RadixShape& shape);
/// Costs for keys that spread evenly over their range: log(n/M)/log r passes until a bucket fits into M
/// words, at most those of radix_lsd(), then every bucket is read, finished and written, 2n/b. The time is
/// that of radix_lsd().
AgpuCost radix_msd(const AgpuSize& size, const RadixShape& shape);
/// As radix_msd(), with S ≥ 2 buckets between splitters: log_S(n/M) passes with r = S and m = M, whatever the
/// keys, and a search for each key's bucket, (n/p)·log n in all. For S = √(M/b) this is
/// O((n/b)·log_{M/b}(n/b)), the optimum.
AgpuCost sort_splitter(const AgpuSize& size, double S);
/// Lower bound for comparison sorts. M > b.
AgpuCost comparison_sort_lower_bound(const AgpuSize& size);
/// Lower bound for sums, n/p and n/b, at least 1: every word is read, b of them in one I/O and p in one
/// instruction of all cores. agpu2015 calls its own reduction optimal in both, and reduce_matrix() attains
/// them. Prefix sums contain the sum.
AgpuCost sum_lower_bound(const AgpuSize& size);

// ---- costs of the kernels, where the sources leave the distribution of work open ----

/// A problem on a memory machine. Sizes are in words.
struct Instance {
  MemoryMachineSize size;
  const Problem& problem;
  double conflict;  ///< β, the counted mean conflict degree, if it depends on the input

  double parameter(std::string_view name) const { return problem.parameters.at(name); }
};

/// Only n/elements threads have work.
MemoryMachineSize with_elements_per_thread(MemoryMachineSize size, double elements);
inline constexpr double words_of_a_vector = 4;
/// A thread accesses a vector and waits for it once, like four threads with a word each.
MemoryMachineSize with_vectors(MemoryMachineSize size);
/// Each of `threads` threads, at least one block, accesses one word.
double word_per_thread(const MemoryMachineSize& size, double threads, double threads_of_a_block);
/// Each of `warps` warps reduces to one word, which one of its lanes alone accesses: one wavefront on any
/// machine. So the warps count as threads of a machine with one bank.
double word_per_warp(const MemoryMachineSize& size, double warps);

/// The costs of an algorithm's kernels; counted costs are within a constant factor of these. `umm` is for
/// global memory, `dmm` for shared memory, and `agpu` is the source's cost on the AGPU. Null
/// if the kernels make no such accesses or no source gives the cost.
struct Costs {
  double (*umm)(const Instance&) = nullptr;
  double (*dmm)(const Instance&) = nullptr;
  AgpuCost (*agpu)(const AgpuSize&, const Problem&) = nullptr;
  /// Words of global memory, on the UMM, from which on more work space changes the cost by a constant factor
  /// only; null if the algorithm has no choice of it.
  double (*least_work_space)(const MemoryMachineSize&) = nullptr;
  /// A sort that learns the order of keys by comparisons alone, so that their lower bound holds.
  bool compares = false;
};

}  // namespace fathom::asymptotic
