// The reductions on the device: the combination of n elements by an associative operator that has an
// identity, which is what no elements reduce to. Each class owns its work space and may be run many times.
#pragma once

#include <fathom/algorithms/driver.h>
#include <fathom/algorithms/kernel_source.h>
#include <fathom/algorithms/reduce/reduce_columns.h>
#include <fathom/algorithms/reduce/reduce_rows.h>
#include <fathom/algorithms/reduce/reduce_segments.h>
#include <fathom/algorithms/reduce/reduce_tiles.h>
#include <fathom/algorithms/reduce/reduce_vectors.h>

#include <algorithm>

namespace fathom {

/// Blocks that n elements are dealt out to: as many as are resident at once, fewer where there is not a
/// `part` for each.
inline Index reduction_blocks(const Executor& executor, const PreparedKernel& kernel, Index n, Index part) {
  const Index resident = Index(executor.multiprocessors()) * kernel.resources.resident_blocks;
  return std::clamp<Index>(divide_up(n, part), 1, std::max<Index>(1, resident));
}

/// Tree (agpu2015): level by level, a block for every 2t elements, until one is left. Keeps the order.
template <class T, class Operator>
class ReduceTree {
 public:
  /// `threads` (t) is a power of two, at least the warp's width.
  ReduceTree(Executor& executor, Index n, int threads)
      : executor_(&executor),
        n_(n),
        threads_(threads),
        levels_{DeviceArray<T>(executor, std::size_t(segments(n))),
                DeviceArray<T>(executor, std::size_t(segments(segments(n))))} {
    const auto kernel = sources(threads).front();
    kernel_ = executor.prepare<Kernel>(kernel.first, kernel.second);
  }

  void run(Span<const T> input, Span<T> output) {
    Span<const T> from{input.data, u64(n_)};
    for (int level = 0; segments(Index(from.count)) > 1; ++level) {
      const Span<T> to{levels_[level % 2].data(), u64(segments(Index(from.count)))};
      launch(from, to);
      from = {to.data, to.count};
    }
    launch(from, output);
  }

  std::vector<KernelResources> kernels() const { return {kernel_->resources}; }
  static std::vector<std::pair<KernelSource, BlockShape>> sources(int threads) {
    return {{kernel_source<T, Operator>("reduce/reduce_segments.h", "ReduceSegments", threads),
             {threads, Kernel::shared_memory(threads)}}};
  }
  /// Combinations that an element goes through one after another.
  Index depth() const {
    Index depth = 0;
    for (Index i = 1; i < n_; i *= 2) ++depth;
    return depth;
  }

 private:
  using Kernel = ReduceSegments<T, Operator>;

  /// Blocks for n elements; one even for none, whose result is the identity.
  Index segments(Index n) const { return std::max<Index>(1, divide_up(n, 2 * threads_)); }
  void launch(Span<const T> from, Span<T> to) {
    executor_->launch(*kernel_, segments(Index(from.count)), Kernel{from, to, threads_});
  }

  Executor* executor_;
  Index n_;
  int threads_;
  std::array<DeviceArray<T>, 2> levels_;  // taken in turn
  std::shared_ptr<const PreparedKernel> kernel_;
};

/// Two launches of one kernel: every block reduces its part, then one block their results. `Kernel` says with
/// over() what a launch does, with part() what a block is worth while for, and with depth() how many
/// combinations an element goes through. `More` are what else it is specialised for besides the threads.
template <class Kernel, class... More>
class ReduceInTwoLaunches {
 public:
  using T = typename Kernel::Element;

  void run(Span<const T> input, Span<T> output) {
    const Span<const T> elements{input.data, u64(n_)};
    if (blocks_ == 1) return launch(elements, output, 1);
    launch(elements, results_.span(), blocks_);
    launch({results_.data(), results_.size()}, output, 1);
  }

  std::vector<KernelResources> kernels() const { return {kernel_->resources}; }
  /// Combinations that an element goes through one after another.
  Index depth() const {
    const Index first = kernel({nullptr, u64(n_)}, {}, blocks_).depth(blocks_);
    return blocks_ == 1 ? first : first + kernel({nullptr, u64(blocks_)}, {}, 1).depth(1);
  }

 protected:
  using Source = std::pair<KernelSource, BlockShape>;

  ReduceInTwoLaunches(Executor& executor, Index n, const Source& source, int threads, More... more)
      : executor_(&executor), n_(n), threads_(threads), more_(more...), results_(executor, 0) {
    kernel_ = executor.prepare<Kernel>(source.first, source.second);
    blocks_ = reduction_blocks(executor, *kernel_, n, Kernel::part(threads, more...));
    if (blocks_ > 1) results_ = DeviceArray<T>(executor, std::size_t(blocks_));
  }

 private:
  Kernel kernel(Span<const T> from, Span<T> to, Index blocks) const {
    return std::apply([&](More... more) { return Kernel::over(from, to, blocks, threads_, more...); }, more_);
  }
  void launch(Span<const T> from, Span<T> to, Index blocks) {
    executor_->launch(*kernel_, blocks, kernel(from, to, blocks));
  }

  Executor* executor_;
  Index n_;
  int threads_;
  std::tuple<More...> more_;
  std::shared_ptr<const PreparedKernel> kernel_;
  Index blocks_;
  DeviceArray<T> results_;
};

/// Cascading (agpu2015): a column for every thread, then a tree. For commutative operators.
template <class T, class Operator>
class ReduceCascading : public ReduceInTwoLaunches<ReduceColumns<T, Operator>> {
 public:
  ReduceCascading(Executor& executor, Index n, int threads)
      : ReduceCascading::ReduceInTwoLaunches(executor, n, sources(threads).front(), threads) {}

  static std::vector<std::pair<KernelSource, BlockShape>> sources(int threads) {
    return {{kernel_source<T, Operator>("reduce/reduce_columns.h", "ReduceColumns", threads),
             {threads, ReduceColumns<T, Operator>::shared_memory(threads)}}};
  }
};

/// Pipeline (agpu2015): rows pass through a tree in shared memory, a level a step. Keeps the order.
template <class T, class Operator>
class ReducePipeline : public ReduceInTwoLaunches<ReduceRows<T, Operator>, int> {
 public:
  /// `loads` (I) is how many rows of 16 bytes a lane a warp reads ahead.
  ReducePipeline(Executor& executor, Index n, int threads, int loads)
      : ReducePipeline::ReduceInTwoLaunches(executor, n, sources(threads, loads).front(), threads, loads) {}

  static std::vector<std::pair<KernelSource, BlockShape>> sources(int threads, int loads) {
    return {{kernel_source<T, Operator>("reduce/reduce_rows.h", "ReduceRows", threads, loads),
             {threads, ReduceRows<T, Operator>::shared_memory(threads)}}};
  }
};

/// Matrix (agpu2015): tiles of 32 × 32 elements are transposed, and every lane reduces a row. Keeps the
/// order.
template <class T, class Operator>
class ReduceMatrix : public ReduceInTwoLaunches<ReduceTiles<T, Operator>> {
 public:
  ReduceMatrix(Executor& executor, Index n, int threads)
      : ReduceMatrix::ReduceInTwoLaunches(executor, n, sources(threads).front(), threads) {}

  static std::vector<std::pair<KernelSource, BlockShape>> sources(int threads) {
    return {{kernel_source<T, Operator>("reduce/reduce_tiles.h", "ReduceTiles", threads),
             {threads, ReduceTiles<T, Operator>::shared_memory(threads)}}};
  }
};

/// One launch that reads 16 bytes an access. For commutative operators.
template <class T, class Operator>
class ReduceVector {
 public:
  /// `loads` (I) is how many accesses a thread has on their way at a time.
  ReduceVector(Executor& executor, Index n, int threads, int loads)
      : executor_(&executor),
        n_(n),
        threads_(threads),
        loads_(loads),
        results_(executor, 0),
        tickets_(executor, 1) {
    const auto kernel = sources(threads, loads).front();
    kernel_ = executor.prepare<Kernel>(kernel.first, kernel.second);
    blocks_ = reduction_blocks(executor, *kernel_, n, Index(threads) * loads * Kernel::Input::width);
    results_ = DeviceArray<T>(executor, std::size_t(blocks_));
    executor.fill(tickets_.data(), 0, tickets_.bytes());
  }

  void run(Span<const T> input, Span<T> output) {
    executor_->launch(*kernel_, blocks_,
                      Kernel{Kernel::Input::of({input.data, u64(n_)}), output, results_.span(),
                             tickets_.span(), threads_, loads_});
  }

  std::vector<KernelResources> kernels() const { return {kernel_->resources}; }
  static std::vector<std::pair<KernelSource, BlockShape>> sources(int threads, int loads) {
    return {{kernel_source<T, Operator>("reduce/reduce_vectors.h", "ReduceVectors", threads, loads),
             {threads, Kernel::shared_memory()}}};
  }
  /// Combinations that an element goes through one after another.
  Index depth() const {
    const Index of_a_thread = divide_up(n_, blocks_ * threads_) + loads_ * Kernel::Input::width;
    return of_a_thread + divide_up(blocks_, threads_) + 2 * depth_of_block;
  }

 private:
  using Kernel = ReduceVectors<T, Operator>;

  Executor* executor_;
  Index n_;
  int threads_, loads_;
  std::shared_ptr<const PreparedKernel> kernel_;
  Index blocks_;
  DeviceArray<T> results_;
  DeviceArray<u32> tickets_;
};

// What the registry lists, for u32, u64, f32, f64 and Pair under addition.

std::unique_ptr<Driver> make_reduce_tree(Executor& executor, const Problem& problem, Input input);
std::unique_ptr<Driver> make_reduce_cascading(Executor& executor, const Problem& problem, Input input);
std::unique_ptr<Driver> make_reduce_pipeline(Executor& executor, const Problem& problem, Input input);
std::unique_ptr<Driver> make_reduce_matrix(Executor& executor, const Problem& problem, Input input);
std::unique_ptr<Driver> make_reduce_vector(Executor& executor, const Problem& problem, Input input);

std::size_t reduction_bytes(const Problem& problem);  ///< of any of them

std::vector<std::pair<KernelSource, BlockShape>> reduce_tree_kernels(const Problem& problem);
std::vector<std::pair<KernelSource, BlockShape>> reduce_cascading_kernels(const Problem& problem);
std::vector<std::pair<KernelSource, BlockShape>> reduce_pipeline_kernels(const Problem& problem);
std::vector<std::pair<KernelSource, BlockShape>> reduce_matrix_kernels(const Problem& problem);
std::vector<std::pair<KernelSource, BlockShape>> reduce_vector_kernels(const Problem& problem);

}  // namespace fathom
