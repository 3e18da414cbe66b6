// NVIDIA's CUB as a baseline.
#include <fathom/algorithms/baselines/cub_calls.h>
#include <fathom/algorithms/baselines/cub_descriptors.h>
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/device/cuda/cuda_executor.h>

namespace fathom {
namespace {

/// The type that CUB is called with for a T: it has the same bytes.
template <class T>
using CubType = std::conditional_t<std::is_same_v<T, Pair>, CubPair, T>;
static_assert(sizeof(CubPair) == sizeof(Pair) && alignof(CubPair) == alignof(Pair));

template <class T>
using CubCall = int (*)(void*, std::size_t&, const CubType<T>*, CubType<T>*, long long, void*);

/// One CUB call with its work space.
template <class T>
class CubSolver {
 public:
  CubSolver(Executor& executor, Index n, CubCall<T> call)
      : n_(n), call_(call), stream_(stream_of(executor)), temporary_(executor, temporary_bytes()) {}

  /// Throws std::invalid_argument on an executor that does not run on a GPU.
  void run(Span<const T> input, Span<T> output) {
    if (!stream_) throw std::invalid_argument("CUB runs on a GPU only");
    std::size_t bytes = temporary_.size();
    check(call_(temporary_.data(), bytes, reinterpret_cast<const CubType<T>*>(input.data),
                reinterpret_cast<CubType<T>*>(output.data), n_, stream_));
  }

  std::vector<KernelResources> kernels() const { return {}; }  // CUB does not report them

 private:
  /// nullptr without a GPU: the executor never uses the default stream.
  static void* stream_of(Executor& executor) {
    const auto* cuda = dynamic_cast<CudaExecutor*>(&executor);
    return cuda ? cuda->stream() : nullptr;
  }
  /// What CUB requests. Without a GPU, an estimate from the GPUs seen so far: the size of the data and a
  /// little more.
  std::size_t temporary_bytes() const {
    std::size_t bytes = std::size_t(1.1 * double(n_) * sizeof(T)) + (1 << 20);
    if (stream_) check(call_(nullptr, bytes, nullptr, nullptr, n_, stream_));
    return bytes;
  }
  static void check(int error) {
    if (error != 0) throw KernelFailure("CUB failed with CUDA error " + std::to_string(error));
  }

  Index n_;
  CubCall<T> call_;
  void* stream_;
  DeviceArray<std::byte> temporary_;
};

/// A baseline for the types that cub_calls.cu instantiates.
template <class Types, class WorkloadOf>
Algorithm baseline(Descriptor descriptor, Types types, WorkloadOf workload_of) {
  descriptor.types = element_types(types);
  return {std::move(descriptor), [=](Executor& executor, const Problem& problem, Input input) {
            return with_element_type(types, problem.type,
                                     [&](auto type) { return workload_of(type, executor, problem, input); });
          }};
}

}  // namespace

Algorithm cub_merge() {
  return baseline(
      cub_merge_descriptor(), Types<u32, u64>{},
      []<class Key>(std::type_identity<Key>, Executor& executor, const Problem& problem, Input input) {
        return sort_workload<Key>(executor, problem, input,
                                  CubSolver<Key>(executor, Index(problem.n), cub_merge_sort<Key>));
      });
}

// CUB's order of additions is unspecified; no order of n elements has more than n additions in a row.

Algorithm cub_scan() {
  return baseline(
      cub_scan_descriptor(), SummandTypes{},
      []<class T>(std::type_identity<T>, Executor& executor, const Problem& problem, Input input) {
        const Index n = Index(problem.n);
        return scan_workload<T>(executor, problem, input, n,
                                CubSolver<T>(executor, n, cub_exclusive_sum<CubType<T>>));
      });
}

Algorithm cub_reduce() {
  return baseline(
      cub_reduce_descriptor(), SummandTypes{},
      []<class T>(std::type_identity<T>, Executor& executor, const Problem& problem, Input input) {
        const Index n = Index(problem.n);
        return reduce_workload<T>(executor, problem, input, n,
                                  CubSolver<T>(executor, n, cub_sum<CubType<T>>));
      });
}

}  // namespace fathom
