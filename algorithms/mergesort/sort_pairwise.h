// Pairwise mergesort on the device: sort tiles, then merge pairs of runs, round by round (karsin2018 §4.1).
#pragma once

#include <fathom/algorithms/driver.h>
#include <fathom/algorithms/mergesort/merge_tiles.h>
#include <fathom/algorithms/mergesort/partition_runs.h>
#include <fathom/algorithms/mergesort/sort_tiles.h>

namespace fathom {

/// The kernels and work space to sort up to n keys. Not stable. Key: any trivially copyable type that has a
/// TypeName; LessThan: any stateless strict weak order that has one.
template <class Key, class LessThan>
class SortPairwise {
 public:
  SortPairwise(Executor& executor, Index n, int threads, int elements);

  /// Queues sorting `input` into `output`; both have n keys and do not overlap.
  void run(Span<const Key> input, Span<Key> output);

  std::vector<KernelResources> kernels() const;
  static std::vector<std::pair<KernelSource, BlockShape>> sources(int threads, int elements);

 private:
  using Sort = SortTiles<Key, LessThan>;
  using Partition = PartitionRuns<Key, LessThan>;
  using Merge = MergeTiles<Key, LessThan>;

  Executor* executor_;
  Index n_;
  int threads_, elements_;
  std::shared_ptr<const PreparedKernel> sort_, partition_, merge_;
  DeviceArray<Key> other_;  // rounds go back and forth between this and the output
  DeviceArray<Index> splits_;
};

std::unique_ptr<Driver> make_sort_pairwise(Executor& executor, const Problem& problem, Input input);
std::size_t sort_pairwise_bytes(const Problem& problem);
std::vector<std::pair<KernelSource, BlockShape>> sort_pairwise_kernels(const Problem& problem);

}  // namespace fathom
