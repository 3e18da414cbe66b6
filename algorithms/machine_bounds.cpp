#include <fathom/algorithms/machine_bounds.h>

#include <fathom/device/contract_types.h>

#include <algorithm>
#include <cmath>

namespace fathom {
namespace {

using bounds::MemoryMachineSize;

struct BoundCase {
  MemoryMachineSize size;
  const Problem& problem;
  double conflict;

  double parameter(std::string_view name) const { return problem.parameters.at(name); }
};
using Bound = double (*)(const BoundCase&);

// ---- how the kernels deal out what the sources leave open ----

constexpr double words_of_a_vector = 4;

/// Only n/elements threads have work.
MemoryMachineSize with_elements_per_thread(MemoryMachineSize size, double elements) {
  size.p = std::min(size.p, std::max(1.0, size.n / elements));
  return size;
}

/// An access of a thread is v words, for which it waits once: that is as v threads with a word each.
MemoryMachineSize with_vectors(MemoryMachineSize size) {
  size.p *= words_of_a_vector;
  return size;
}

/// Each of `threads`, at least one block of them, accesses one word.
double word_per_thread(const BoundCase& of, double threads, double threads_of_a_block) {
  return bounds::contiguous_access({std::max(threads, threads_of_a_block), of.size.p, of.size.w, of.size.l});
}

// ---- reductions: in global memory every element is read once ----

double sum(const BoundCase& of) {
  return bounds::sum(of.size);
}
double sum_of_vectors(const BoundCase& of) {
  return bounds::sum(with_vectors(of.size));
}
/// A lane has a row of a tile.
double sum_of_tiles(const BoundCase& of) {
  return bounds::sum(with_elements_per_thread(of.size, warp_width));
}

double tree_shared(const BoundCase& of) {
  return bounds::reduce_tree_shared(of.size, of.parameter("t"));
}

/// Every warp comes to one word in registers: its lane 0 stores it, alone, a slot on whatever machine. So the
/// warps count as threads of a machine with one bank. The block that combines the others' results waits by
/// itself.
double word_per_warp(const BoundCase& of) {
  constexpr double elements_of_a_thread = 8;
  const double warps = std::max(of.size.n / elements_of_a_thread, of.parameter("t")) / warp_width;
  return bounds::contiguous_access({warps, std::max(1.0, of.size.p / warp_width), 1, of.size.l}) + of.size.l;
}

/// Every thread reads its block's ticket, besides the words of the warps; the last block does so by itself.
double ticket_per_thread(const BoundCase& of) {
  const double elements_of_a_thread = of.parameter("I") * words_of_a_vector;
  return word_per_thread(of, of.size.n / elements_of_a_thread, of.parameter("t")) + of.size.l;
}

/// A leaf is the combination of a vector.
double sum_of_leaves(const BoundCase& of) {
  MemoryMachineSize size = with_elements_per_thread(of.size, of.parameter("I") * words_of_a_vector);
  size.n /= words_of_a_vector;
  return bounds::sum(size);
}

// ---- scans ----

double naive(const BoundCase& of) {
  return bounds::naive_prefix_sums(of.size);
}
double interval(const BoundCase& of) {
  return bounds::optimal_prefix_sums(of.size);
}
double sequential(const BoundCase& of) {
  return bounds::sequential_parallel_prefix_sums(of.size, of.parameter("k"));
}
/// A lane has a column of a tile.
double matrix(const BoundCase& of) {
  return bounds::optimal_prefix_sums(with_elements_per_thread(of.size, of.parameter("alpha")));
}
double lookback(const BoundCase& of) {
  return bounds::optimal_prefix_sums(with_vectors(with_elements_per_thread(of.size, of.parameter("E"))));
}

/// Shared memory is for the last level only, which one block scans.
double interval_shared(const BoundCase& of) {
  constexpr double threads_of_the_block = 1024;
  return word_per_thread(of, threads_of_the_block, threads_of_the_block);
}
double sequential_shared(const BoundCase& of) {
  const double groups = std::ceil(of.problem.n / of.parameter("k"));
  return groups * interval_shared(of);
}
double matrix_shared(const BoundCase& of) {
  return bounds::scan_matrix_shared(of.size, of.parameter("alpha"));
}
/// Every element goes through shared memory, in vectors.
double lookback_shared(const BoundCase& of) {
  return bounds::sum(of.size);
}

// ---- sorts ----

bounds::PairwiseShape pairwise_shape(const BoundCase& of) {
  return {of.parameter("E"), of.parameter("t")};
}
double pairwise(const BoundCase& of) {
  return bounds::sort_pairwise_global(of.size, pairwise_shape(of));
}
double pairwise_shared(const BoundCase& of) {
  return bounds::sort_pairwise_shared(of.size, pairwise_shape(of), of.conflict);
}

struct MachineBounds {
  std::string_view algorithm;
  Bound global, shared;  ///< nullptr where the kernels make no such accesses
};
constexpr MachineBounds machine_bounds[] = {
    {"reduce-tree", sum, tree_shared},
    {"reduce-cascading", sum, word_per_warp},
    {"reduce-pipeline", sum_of_vectors, sum_of_leaves},
    {"reduce-matrix", sum_of_tiles, sum_of_tiles},
    {"reduce-vector", sum_of_vectors, ticket_per_thread},
    {"scan-naive", naive, nullptr},
    {"scan-interval", interval, interval_shared},
    {"scan-sequential", sequential, sequential_shared},
    {"scan-matrix", matrix, matrix_shared},
    {"scan-lookback", lookback, lookback_shared},
    {"sort-pairwise", pairwise, pairwise_shared},
};

using BoundOfAgpu = bounds::AgpuBound (*)(const bounds::AgpuSize&, const Problem&);

template <bounds::AgpuBound (*bound)(const bounds::AgpuSize&)>
bounds::AgpuBound without_parameters(const bounds::AgpuSize& size, const Problem&) {
  return bound(size);
}
bounds::AgpuBound with_rows(const bounds::AgpuSize& size, const Problem& problem) {
  return bounds::scan_matrix(size, problem.parameters.at("alpha"));
}

struct AgpuBounds {
  std::string_view algorithm;
  BoundOfAgpu bound;
};
constexpr AgpuBounds agpu_bounds[] = {
    {"reduce-tree", without_parameters<bounds::reduce_tree>},
    {"reduce-cascading", without_parameters<bounds::reduce_cascading>},
    {"reduce-pipeline", without_parameters<bounds::reduce_pipeline>},
    {"reduce-matrix", without_parameters<bounds::reduce_matrix>},
    {"scan-matrix", with_rows},
};

template <class Row, std::size_t rows>
const Row* find(const Row (&table)[rows], const Algorithm& algorithm) {
  const auto found = std::find_if(std::begin(table), std::end(table),
                                  [&](const Row& row) { return row.algorithm == algorithm.slug; });
  return found == std::end(table) ? nullptr : found;
}

double size_in_words(const Problem& problem) {
  return problem.n * words(problem.type);
}

}  // namespace

std::optional<double> machine_bound(const Algorithm& algorithm, const Problem& problem,
                                    const MemoryMachineChoice& machine, double conflict) {
  const MachineBounds* row = find(machine_bounds, algorithm);
  if (!row) return std::nullopt;
  const Bound bound = machine.kind == MachineKind::umm ? row->global : row->shared;
  if (!bound) return std::nullopt;
  const MemoryMachineSize size{size_in_words(problem), double(machine.threads), double(machine.width),
                               double(machine.latency)};
  return bound({size, problem, conflict});
}

std::optional<bounds::AgpuBound> agpu_bound(const Algorithm& algorithm, const Problem& problem,
                                            const AgpuChoice& machine) {
  const AgpuBounds* row = find(agpu_bounds, algorithm);
  if (!row) return std::nullopt;
  return row->bound(
      {size_in_words(problem), double(machine.cores), double(machine.width), double(machine.shared_words)},
      problem);
}

}  // namespace fathom
