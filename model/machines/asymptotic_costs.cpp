// SPDX-License-Identifier: Apache-2.0
#include <fathom/model/machines/asymptotic_costs.h>

#include <algorithm>
#include <cmath>

namespace fathom::asymptotic {

namespace {

/// log₂ x in a cost: at least 1.
double log2_at_least_1(double x) {
  return std::max(1.0, std::log2(x));
}

double working_threads(const MemoryMachineSize& size) {
  return std::min(size.p, size.n);
}

/// One contiguous pass with `threads` working threads.
double pass(const MemoryMachineSize& size, double threads) {
  return size.n / size.w + size.n * size.l / threads;
}
double pass(const MemoryMachineSize& size) {
  return pass(size, working_threads(size));
}

/// Conflict degree of a tile's row-wise accesses: column-major rows of α elements put w/α lanes of a warp on
/// one bank, but at most α.
double row_conflicts(double w, double alpha) {
  return std::min(std::ceil(w / alpha), alpha);
}

}  // namespace

double contiguous_access(const MemoryMachineSize& size) {
  const auto& [n, p, w, l] = size;
  const double full_rounds = std::floor(n / p);
  const double rest = n - full_rounds * p;
  return full_rounds * (p / w + l - 1) + (rest > 0 ? std::ceil(rest / w) + l - 1 : 0);
}

double sum(const MemoryMachineSize& size) {
  return pass(size) + size.l * log2_at_least_1(size.n);
}

double sum_lower_bound(const MemoryMachineSize& size) {
  return std::max({size.n / size.w, size.n * size.l / working_threads(size), size.l * std::log2(size.n)});
}

double naive_prefix_sums(const MemoryMachineSize& size) {
  return pass(size) * log2_at_least_1(size.n);
}

double optimal_prefix_sums(const MemoryMachineSize& size) {
  return sum(size);
}

double sequential_parallel_prefix_sums(const MemoryMachineSize& size, double k) {
  // Fewer numbers than fit in a group form one group.
  const double group = std::min(k, size.n);
  return pass(size) + size.n / group * size.l * log2_at_least_1(group);
}

double least_work_space(double w, double l) {
  const auto suffices = [&](double k) { return k >= w * l * std::log2(k); };
  double too_small = 3, enough = 4;
  while (!suffices(enough)) {
    too_small = enough;
    enough *= 2;
  }
  while (enough - too_small > 1) {
    const double middle = std::floor((too_small + enough) / 2);
    (suffices(middle) ? enough : too_small) = middle;
  }
  return enough;
}

bool hides_latency(const MemoryMachineSize& size) {
  const double in_flight = size.w * size.l;
  return size.p >= in_flight && size.n >= in_flight * log2_at_least_1(in_flight);
}

double sort_pairwise_global(const MemoryMachineSize& size, const PairwiseShape& shape) {
  const auto& [n, p, w, l] = size;
  const double tiles = n / (shape.t * shape.E);
  const double rounds = tiles > 1 ? log2_at_least_1(tiles) : 0;
  const double threads = std::min(p, std::max(1.0, n / shape.E));
  const double search = log2_at_least_1(n) * (tiles * (1 + l / p) + l);
  return (rounds + 1) * pass(size, threads) + rounds * search;
}

double sort_pairwise_shared(const MemoryMachineSize& size, const PairwiseShape& shape, double beta) {
  const auto& [n, p, w, l] = size;
  const double threads = std::min(p, std::max(1.0, n / shape.E));
  const double rounds = log2_at_least_1(n / shape.E);
  const double searches = log2_at_least_1(shape.t * shape.E) / shape.E;
  return rounds * (1 + searches) * (beta * n / w + n * l / threads);
}

double sort_bitonic_global(const MemoryMachineSize& size, const BitonicShape& shape) {
  const double tiles = size.n / (shape.t * shape.E);
  const double rounds = tiles > 1 ? log2_at_least_1(tiles) : 0;
  const double elements = std::min(shape.E, std::exp2(shape.S));
  return (rounds + 1) * (1 + rounds / (2 * shape.S)) * pass(with_elements_per_thread(size, elements));
}

double sort_bitonic_shared(const MemoryMachineSize& size, const BitonicShape& shape) {
  const double tile = shape.t * shape.E;
  const double rounds = size.n > tile ? log2_at_least_1(size.n / tile) : 0;
  return log2_at_least_1(tile) / log2_at_least_1(shape.E) * (log2_at_least_1(tile) + rounds) *
         pass(with_elements_per_thread(size, shape.E));
}

double sort_warp_global(const MemoryMachineSize& size, const WarpShape& shape) {
  const auto& [n, p, w, l] = size;
  const double runs = n / (shape.t * shape.E), pieces = std::max(1.0, n / (32 * shape.E * shape.K));
  const double rounds = runs > 1 ? log2_at_least_1(runs) : 0;
  const double search = log2_at_least_1(n) * (pieces * (1 + l / p) + l);
  return pass(with_elements_per_thread(size, shape.E)) +
         rounds * (pass(with_elements_per_thread(size, shape.E * shape.K)) + search);
}

double sort_warp_shared(const MemoryMachineSize& size, const WarpShape& shape, double beta) {
  const double log_tile = log2_at_least_1(shape.t * shape.E), log_block = log2_at_least_1(32 * shape.E);
  const double runs = size.n / (shape.t * shape.E), rounds = runs > 1 ? log2_at_least_1(runs) : 0;
  const auto with_conflicts = [&](MemoryMachineSize of, double elements) {
    of = with_elements_per_thread(of, elements);
    return beta * of.n / of.w + of.n * of.l / of.p;
  };
  return (log_tile * log_tile * with_conflicts(size, shape.E) +
          rounds * log_block * with_conflicts(size, shape.E * shape.K)) /
         log2_at_least_1(shape.E);
}

namespace {
/// Passes over the runs, one at least in part.
double multiway_passes(double n, const MultiwayShape& shape) {
  const double runs = n / shape.tile;
  return runs > 1 ? std::ceil(std::log2(runs) / std::log2(shape.K)) : 0;
}
}  // namespace

double sort_multiway_global(const MemoryMachineSize& size, const MultiwayShape& shape) {
  const auto& [n, p, w, l] = size;
  const double passes = multiway_passes(n, shape), pieces = n / shape.piece;
  const double threads = std::min(p, std::max(w, n / shape.keys));
  const double search = log2_at_least_1(n) * (pieces * shape.K + (pieces / (p / w) + 1) * l);
  return (passes + 1) * pass(size, threads) + passes * search;
}

double sort_multiway_shared(const MemoryMachineSize& size, const MultiwayShape& shape) {
  const double threads = std::min(size.p, std::max(size.w, size.n / shape.keys));
  const double levels = log2_at_least_1(std::min(size.n, shape.tile)) +
                        multiway_passes(size.n, shape) * std::log2(shape.K) * (1 + shape.heap / shape.piece);
  return levels * pass(size, threads);
}

namespace {
double passes(const RadixShape& shape) {
  return std::ceil(shape.k / std::log2(shape.r));
}
double counts(double n, const RadixShape& shape) {
  return shape.r * std::ceil(n / shape.m);
}
/// A pass over shared memory.
double pass_in_tiles(const MemoryMachineSize& size, const RadixShape& shape, double beta) {
  const MemoryMachineSize working = with_elements_per_thread(size, shape.E);
  return beta * working.n / working.w + working.n * working.l / working.p;
}
}  // namespace

double radix_lsd_global(const MemoryMachineSize& size, const RadixShape& shape) {
  const auto& [n, p, w, l] = size;
  constexpr double threads_of_scan = 1024;
  return passes(shape) * (pass(with_elements_per_thread(size, shape.E)) +
                          counts(n, shape) * (1 + l / std::min(p, threads_of_scan)) + l);
}

double radix_lsd_shared(const MemoryMachineSize& size, const RadixShape& shape, double beta) {
  const auto& [n, p, w, l] = size;
  return passes(shape) *
         ((1 + shape.r / shape.E) * pass_in_tiles(size, shape, beta) + counts(n, shape) / w + l);
}

double radix_tiled_global(const MemoryMachineSize& size, const RadixShape& shape) {
  const auto& [n, p, w, l] = size;
  return passes(shape) * (pass(with_elements_per_thread(size, shape.E)) + counts(n, shape) * (1 + l / p) + l);
}

double radix_tiled_shared(const MemoryMachineSize& size, const RadixShape& shape, double beta) {
  const auto& [n, p, w, l] = size;
  return passes(shape) *
         ((1 + std::log2(shape.r)) * pass_in_tiles(size, shape, beta) + counts(n, shape) / w + l);
}

double reduce_tree_shared(const MemoryMachineSize& size, double t) {
  const auto& [n, p, w, l] = size;
  return n / w + n * l / working_threads(size) * std::log2(2 * t) + l * log2_at_least_1(n);
}

double scan_matrix_shared(const MemoryMachineSize& size, double alpha) {
  const auto& [n, p, w, l] = size;
  const double threads = std::min(p, std::max(1.0, n / alpha));
  return row_conflicts(w, alpha) * n / w + n * l / threads;
}

AgpuCost reduce_tree(const AgpuSize& size) {
  const auto& [n, p, b, M] = size;
  double io = 0;
  for (double left = n; left > 1;) {
    left = std::ceil(left / (2 * b));  // ⌈⌈x/a⌉/a⌉ = ⌈x/a²⌉
    io += 3 * left;
  }
  return {n * log2_at_least_1(b) / p + log2_at_least_1(n), io, M / b};
}

AgpuCost reduce_cascading(const AgpuSize& size) {
  const auto& [n, p, b, M] = size;
  return {n / p + log2_at_least_1(p), n / b, M / b};
}

AgpuCost reduce_pipeline(const AgpuSize& size) {
  return reduce_cascading(size);
}

AgpuCost reduce_matrix(const AgpuSize& size) {
  const auto& [n, p, b, M] = size;
  return {n / p, n / b, M / (b * b)};
}

AgpuCost scan_matrix(const AgpuSize& size, double alpha) {
  const auto& [n, p, b, M] = size;
  // log b/α means (log b)/α: the scan across a tile's columns, shared by its α rows.
  const double across_columns = log2_at_least_1(b) / alpha;
  return {(n / p + p / (b * b)) * (row_conflicts(b, alpha) + across_columns), 3 * n / b + p / b,
          M / (alpha * b)};
}

AgpuCost sort_bitonic(const AgpuSize& size) {
  const auto& [n, p, b, M] = size;
  return {n / p * std::pow(log2_at_least_1(n), 2), n / b * std::pow(log2_at_least_1(n / M), 2), {}};
}

AgpuCost sort_warp(const AgpuSize& size) {
  const auto& [n, p, b, M] = size;
  const double rounds = log2_at_least_1(n / b);
  return {n / p * rounds * log2_at_least_1(b), n / b * rounds, {}};
}

AgpuCost sort_multiway(const AgpuSize& size, double d) {
  const auto& [n, p, b, M] = size;
  return {n / p * log2_at_least_1(b) * log2_at_least_1(n / b),
          n / b * std::max(1.0, std::log2(n / b) / std::log2(d)), M / (2 * b * (d - 1))};
}

namespace {
/// I/Os of a search in one list of `run` keys.
double searched_blocks(double run, double b) {
  constexpr double window = 8, at_the_end = 2;
  double blocks = at_the_end;
  for (double s = 1;; s *= 4) {
    blocks += std::min(window, 1 + window * s / b);
    if (4 * s * s >= run) return blocks;
  }
}
}  // namespace

AgpuCost sort_multiway(const AgpuSize& size, const MultiwayShape& shape) {
  const auto& [n, p, b, M] = size;
  AgpuCost cost = sort_multiway(size, shape.K);
  const double pieces = std::min(n / shape.piece, p / b * M / (2 * shape.heap));
  const double row = std::min(shape.node, b);
  cost.io = 2 * n / b;  // of the tiles
  for (double run = shape.tile; run < n; run *= shape.K)
    cost.io +=
        n / row + n * (1 / row + 1 / b) + pieces * std::min(shape.K, n / run) * searched_blocks(run, b);
  return cost;
}

namespace {
/// I/Os of a pass that distributes tiles of m elements to r buckets.
double distributed_blocks(const AgpuSize& size, double r, double m) {
  return 3 * size.n / size.b + r * size.n / m;
}
/// Whole passes until buckets fit into shared memory.
double passes_to_fit(const AgpuSize& size, double r) {
  return std::max(0.0, std::ceil(std::log2(size.n / size.M) / std::log2(r)));
}
}  // namespace

AgpuCost radix_lsd(const AgpuSize& size, const RadixShape& shape) {
  return {size.n / size.p * shape.k, passes(shape) * distributed_blocks(size, shape.r, shape.m), {}};
}

AgpuCost radix_msd(const AgpuSize& size, const RadixShape& shape) {
  const double split = std::min(passes_to_fit(size, shape.r), passes(shape));
  return {size.n / size.p * shape.k,
          2 * size.n / size.b + split * distributed_blocks(size, shape.r, shape.m),
          {}};
}

AgpuCost sort_splitter(const AgpuSize& size, double S) {
  return {size.n / size.p * log2_at_least_1(size.n),
          2 * size.n / size.b + passes_to_fit(size, S) * distributed_blocks(size, S, size.M),
          {}};
}

AgpuCost comparison_sort_lower_bound(const AgpuSize& size) {
  const auto& [n, p, b, M] = size;
  return {n / p * log2_at_least_1(n), n / b * std::max(1.0, std::log2(n / b) / std::log2(M / b)), {}};
}

AgpuCost sum_lower_bound(const AgpuSize& size) {
  return {std::max(1.0, size.n / size.p), std::max(1.0, size.n / size.b), {}};
}

MemoryMachineSize with_elements_per_thread(MemoryMachineSize size, double elements) {
  size.p = std::min(size.p, std::max(1.0, size.n / elements));
  return size;
}

MemoryMachineSize with_vectors(MemoryMachineSize size) {
  size.p *= words_of_a_vector;
  return size;
}

double word_per_thread(const MemoryMachineSize& size, double threads, double threads_of_a_block) {
  return contiguous_access({std::max(threads, threads_of_a_block), size.p, size.w, size.l});
}

double word_per_warp(const MemoryMachineSize& size, double warps) {
  return contiguous_access({warps, std::max(1.0, size.p / warp_width), 1, size.l});
}

}  // namespace fathom::asymptotic
