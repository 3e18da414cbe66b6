// Definitions of SortPairwise, for those who instantiate it with a key or comparator of their own.
#pragma once

#include <fathom/algorithms/kernel_source.h>
#include <fathom/algorithms/mergesort/sort_pairwise.h>

namespace fathom {

template <class Key, class LessThan>
std::vector<std::pair<KernelSource, BlockShape>> SortPairwise<Key, LessThan>::sources(int threads,
                                                                                      int elements) {
  return {{kernel_source<Key, LessThan>("mergesort/sort_tiles.h", "SortTiles", threads, elements),
           {threads, Sort::shared_memory(threads, elements)}},
          {kernel_source<Key, LessThan>("mergesort/partition_runs.h", "PartitionRuns"), {128}},
          {kernel_source<Key, LessThan>("mergesort/merge_tiles.h", "MergeTiles", threads, elements),
           {threads, Merge::shared_memory(threads, elements)}}};
}

template <class Key, class LessThan>
SortPairwise<Key, LessThan>::SortPairwise(Executor& executor, Index n, int threads, int elements)
    : executor_(&executor),
      n_(n),
      threads_(threads),
      elements_(elements),
      other_(executor, std::size_t(n)),
      splits_(executor, std::size_t(divide_up(n, Index(threads) * elements))) {
  const auto kernels = sources(threads, elements);
  sort_ = executor.prepare<Sort>(kernels[0].first, kernels[0].second);
  partition_ = executor.prepare<Partition>(kernels[1].first, kernels[1].second);
  merge_ = executor.prepare<Merge>(kernels[2].first, kernels[2].second);
}

template <class Key, class LessThan>
void SortPairwise<Key, LessThan>::run(Span<const Key> input, Span<Key> output) {
  const Index tile_size = Index(threads_) * elements_;
  const Index tiles = divide_up(n_, tile_size);
  int rounds = 0;
  while (tile_size << rounds < n_) ++rounds;

  // Start where an even or odd number of rounds ends in `output`.
  Span<Key> from = rounds % 2 == 0 ? output : other_.span();
  Span<Key> to = rounds % 2 == 0 ? other_.span() : output;
  executor_->launch(*sort_, tiles, Sort{input, from, n_, threads_, elements_});
  for (Index run = tile_size; run < n_; run *= 2) {
    const Span<const Key> runs{from.data, from.count};
    executor_->launch(*partition_, divide_up(tiles, partition_->shape.threads),
                      Partition{runs, splits_.span(), n_, run, tile_size});
    executor_->launch(*merge_, tiles,
                      Merge{runs, to, {splits_.data(), splits_.size()}, n_, run, threads_, elements_});
    std::swap(from, to);
  }
}

template <class Key, class LessThan>
std::vector<KernelResources> SortPairwise<Key, LessThan>::kernels() const {
  return {sort_->resources, partition_->resources, merge_->resources};
}

}  // namespace fathom
