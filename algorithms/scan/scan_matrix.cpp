#include <fathom/algorithms/dispatch.h>
#include <fathom/algorithms/kernel_source.h>
#include <fathom/algorithms/problem_driver.h>
#include <fathom/algorithms/scan/scan_matrix.h>

#include <algorithm>

namespace fathom {
namespace {
constexpr int sums_threads = 1024;
}

template <class T, class Operator>
std::vector<std::pair<KernelSource, BlockShape>> ScanMatrix<T, Operator>::sources(int threads, int rows) {
  return {{kernel_source<T, Operator>("scan/reduce_chunks.h", "ReduceChunks", threads), {threads}},
          {kernel_source<T, Operator>("scan/scan_sums.h", "ScanSums", sums_threads),
           {sums_threads, Sums::shared_memory()}},
          {kernel_source<T, Operator>("scan/scan_chunks.h", "ScanChunks", threads, rows),
           {threads, Scan::shared_memory(threads, rows)}}};
}

template <class T, class Operator>
ScanMatrix<T, Operator>::ScanMatrix(Executor& executor, Index n, int threads, int rows)
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

template <class T, class Operator>
void ScanMatrix<T, Operator>::run(Span<const T> input, Span<T> output) {
  const Index chunks = divide_up(n_, chunk_);
  executor_->launch(*reduce_, blocks_, Reduce{input, sums_.span(), n_, chunk_, threads_});
  executor_->launch(*scan_sums_, 1, Sums{sums_.span(), chunks, sums_threads});
  executor_->launch(*scan_, blocks_,
                    Scan{input, output, {sums_.data(), sums_.size()}, n_, chunk_, threads_, rows_});
}

template <class T, class Operator>
std::vector<KernelResources> ScanMatrix<T, Operator>::kernels() const {
  return {reduce_->resources, scan_sums_->resources, scan_->resources};
}

template class ScanMatrix<u32, Plus>;
template class ScanMatrix<u64, Plus>;

std::unique_ptr<Driver> make_scan_matrix(Executor& executor, const Problem& problem, Input input) {
  return with_element_type(KeyTypes{}, problem.type, [&]<class T>(std::type_identity<T>) {
    return make_problem_driver<T>(executor, problem, input,
                                  ScanMatrix<T, Plus>(executor, Index(problem.n), problem.parameters.at("t"),
                                                      problem.parameters.at("alpha")),
                                  exclusive_scan_check<T, Plus>(input, Index(problem.n)));
  });
}

std::size_t scan_matrix_bytes(const Problem& problem) {
  // The sums are at most one element per tile of the smallest tile.
  return std::size_t((2 * problem.n + problem.n / warp_width + warp_width) * size_in_bytes(problem.type));
}

std::vector<std::pair<KernelSource, BlockShape>> scan_matrix_kernels(const Problem& problem) {
  return with_element_type(KeyTypes{}, problem.type, [&]<class T>(std::type_identity<T>) {
    return ScanMatrix<T, Plus>::sources(problem.parameters.at("t"), problem.parameters.at("alpha"));
  });
}

}  // namespace fathom
