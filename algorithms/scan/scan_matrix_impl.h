// Definitions of ScanMatrix, for those who instantiate it with a type or operator of their own.
#pragma once

#include <fathom/algorithms/scan/scan_arrays.h>
#include <fathom/algorithms/scan/scan_matrix.h>

#include <algorithm>

namespace fathom {

template <class T, class Operator, class Kind>
std::vector<std::pair<KernelSource, BlockShape>> ScanMatrix<T, Operator, Kind>::sources(int threads,
                                                                                        int rows) {
  return {{kernel_source<T, Operator>("scan/reduce_chunks.h", "ReduceChunks", threads), {threads}},
          {kernel_source<T, Operator, Exclusive>("scan/scan_sums.h", "ScanSums", Sums::most_threads),
           {Sums::most_threads, Sums::shared_memory()}},
          {kernel_source<T, Operator, Kind>("scan/scan_chunks.h", "ScanChunks", threads, rows),
           {threads, Scan::shared_memory(threads, rows)}}};
}

template <class T, class Operator, class Kind>
ScanMatrix<T, Operator, Kind>::ScanMatrix(Executor& executor, Index n, int threads, int rows)
    : executor_(&executor), n_(n), threads_(threads), rows_(rows), sums_(executor, 0) {
  const auto kernels = sources(threads, rows);
  reduce_ = executor.prepare<Reduce>(kernels[0].first, kernels[0].second);
  scan_sums_ = executor.prepare<Sums>(kernels[1].first, kernels[1].second);
  scan_ = executor.prepare<Scan>(kernels[2].first, kernels[2].second);

  // One chunk per warp that is resident at once, each a whole number of tiles; fewer where there are not
  // enough tiles.
  const Index tile_size = Index(rows) * warp_width;
  const Index tiles = divide_up(n, tile_size);
  const int warps_per_block = threads / warp_width;
  const Index resident = Index(executor.multiprocessors()) * scan_->resources.resident_blocks;
  const Index warps = std::clamp<Index>(tiles, 1, resident * warps_per_block);
  chunk_ = std::max<Index>(1, divide_up(tiles, warps)) * tile_size;
  blocks_ = std::max<Index>(1, divide_up(divide_up(n, chunk_), warps_per_block));
  sums_ = DeviceArray<T>(executor, std::size_t(blocks_ * warps_per_block));
}

template <class T, class Operator, class Kind>
void ScanMatrix<T, Operator, Kind>::run(Span<const T> input, Span<T> output) {
  check_arrays("scan-matrix", input, output, n_, sizeof(T), InPlace::allowed);
  if (n_ == 0) return;
  const Index chunks = divide_up(n_, chunk_);
  const Span<const T> sums{sums_.data(), sums_.size()};
  executor_->launch(*reduce_, blocks_, Reduce{input, sums_.span(), n_, chunk_, threads_});
  executor_->launch(*scan_sums_, 1, Sums{sums, sums_.span(), {}, {}, chunks, Sums::most_threads});
  executor_->launch(*scan_, blocks_, Scan{input, output, sums, n_, chunk_, threads_, rows_});
}

template <class T, class Operator, class Kind>
std::vector<KernelResources> ScanMatrix<T, Operator, Kind>::kernels() const {
  return {reduce_->resources, scan_sums_->resources, scan_->resources};
}

}  // namespace fathom
