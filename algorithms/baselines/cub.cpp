#include <fathom/algorithms/baselines/cub.h>
#include <fathom/algorithms/baselines/cub_calls.h>
#include <fathom/algorithms/dispatch.h>
#include <fathom/algorithms/problem_driver.h>
#include <fathom/device/cuda_executor.h>

namespace fathom {
namespace {

/// What CUB is given for a T: the same bytes.
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
      : n_(n), call_(call), stream_(stream_of(executor)), temporary_(executor, 0) {
    std::size_t bytes = 0;
    check(call_(nullptr, bytes, nullptr, nullptr, n_, stream_));
    temporary_ = DeviceArray<std::byte>(executor, bytes);
  }

  void run(Span<const T> input, Span<T> output) {
    std::size_t bytes = temporary_.size();
    check(call_(temporary_.data(), bytes, reinterpret_cast<const CubType<T>*>(input.data),
                reinterpret_cast<CubType<T>*>(output.data), n_, stream_));
  }

  std::vector<KernelResources> kernels() const { return {}; }  // CUB does not tell

 private:
  static void* stream_of(Executor& executor) {
    if (const auto* cuda = dynamic_cast<CudaExecutor*>(&executor)) return cuda->stream();
    throw std::invalid_argument("CUB runs on a GPU only");
  }
  static void check(int error) {
    if (error != 0) throw KernelFailure("CUB failed with CUDA error " + std::to_string(error));
  }

  Index n_;
  CubCall<T> call_;
  void* stream_;
  DeviceArray<std::byte> temporary_;
};

std::unique_ptr<Driver> make_cub_merge(Executor& executor, const Problem& problem, Input input) {
  return with_element_type(KeyTypes{}, problem.type, [&]<class Key>(std::type_identity<Key>) {
    return make_problem_driver<Key>(executor, problem, input,
                                    CubSolver<Key>(executor, Index(problem.n), cub_merge_sort<Key>),
                                    check_sorted<Key, Less>);
  });
}

// In which order CUB adds is its own affair; no order of n elements has more than n additions in a row.

std::unique_ptr<Driver> make_cub_scan(Executor& executor, const Problem& problem, Input input) {
  return with_element_type(ValueTypes{}, problem.type, [&]<class T>(std::type_identity<T>) {
    const Index n = Index(problem.n);
    return make_problem_driver<T>(executor, problem, input,
                                  CubSolver<T>(executor, n, cub_exclusive_sum<CubType<T>>),
                                  exclusive_scan_check<T, Plus>(input, n));
  });
}

std::unique_ptr<Driver> make_cub_reduce(Executor& executor, const Problem& problem, Input input) {
  return with_element_type(ValueTypes{}, problem.type, [&]<class T>(std::type_identity<T>) {
    const Index n = Index(problem.n);
    return make_reduction_driver<T>(executor, problem, input, CubSolver<T>(executor, n, cub_sum<CubType<T>>),
                                    reduction_check<T, Plus>(input, n));
  });
}

}  // namespace

MakeDriver cub_merge_driver() {
  return make_cub_merge;
}
MakeDriver cub_scan_driver() {
  return make_cub_scan;
}
MakeDriver cub_reduce_driver() {
  return make_cub_reduce;
}

std::size_t cub_bytes(const Problem& problem) {
  return std::size_t(3.1 * problem.n * size_in_bytes(problem.type)) + (1 << 20);
}

}  // namespace fathom
