// SPDX-License-Identifier: Apache-2.0
// NVIDIA's CUB as a baseline.
#include <fathom/algorithms/baselines/cub_calls.h>
#include <fathom/algorithms/baselines/cub_descriptors.h>
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/device/cuda/cuda_executor.h>

namespace fathom {
namespace {

template <class T>
struct CubTypeOf {
  using type = T;
};
template <>
struct CubTypeOf<Pair> {
  using type = CubPair;
};
template <>
struct CubTypeOf<Point> {
  using type = CubPoint;
};
template <>
struct CubTypeOf<Rational> {
  using type = CubRational;
};
/// The type that CUB is called with for a T: it has the same bytes.
template <class T>
using CubType = typename CubTypeOf<T>::type;
static_assert(sizeof(CubPair) == sizeof(Pair) && alignof(CubPair) == alignof(Pair));
static_assert(sizeof(CubPoint) == sizeof(Point) && alignof(CubPoint) == alignof(Point));
static_assert(sizeof(CubRational) == sizeof(Rational) && alignof(CubRational) == alignof(Rational));

template <class T>
using CubCall = int (*)(void*, std::size_t&, const CubType<T>*, CubType<T>*, long long, void*);

/// A call of CUB as one of lists.
template <class T>
auto on_lists(CubCall<T> call) {
  return [call](void* temporary, std::size_t& bytes, Span<const T> input, Span<T> output, Index n,
                void* stream) {
    return call(temporary, bytes, reinterpret_cast<const CubType<T>*>(input.data),
                reinterpret_cast<CubType<T>*>(output.data), n, stream);
  };
}

template <class Key>
auto merge_sort_of(std::type_identity<Key>) {
  return on_lists<Key>(cub_merge_sort<CubType<Key>>);
}
template <class Key, class Value>
auto merge_sort_of(std::type_identity<Record<Key, Value>>) {
  return [](void* temporary, std::size_t& bytes, SplitSpan<const Key, const Value> input,
            SplitSpan<Key, Value> output, Index n, void* stream) {
    return cub_merge_sort_pairs(temporary, bytes, input.keys.data, input.values.data, output.keys.data,
                                output.values.data, n, stream);
  };
}

template <class Key>
auto radix_sort_of(std::type_identity<Key>) {
  return on_lists<Key>(cub_radix_sort<Key>);
}
template <class Key, class Value>
auto radix_sort_of(std::type_identity<Record<Key, Value>>) {
  return [](void* temporary, std::size_t& bytes, SplitSpan<const Key, const Value> input,
            SplitSpan<Key, Value> output, Index n, void* stream) {
    return cub_radix_sort_pairs(temporary, bytes, input.keys.data, input.values.data, output.keys.data,
                                output.values.data, n, stream);
  };
}

/// One CUB call, on lists of elements, with its work space.
template <class Element, class Call>
class CubSolver {
 public:
  CubSolver(Executor& executor, Index n, Call call)
      : n_(n), call_(call), stream_(stream_of(executor)), temporary_(executor, temporary_bytes()) {}

  /// Throws std::invalid_argument on an executor that does not run on a GPU.
  void run(ConstListOf<Element> input, ListOf<Element> output) {
    if (!stream_) throw std::invalid_argument("CUB runs on a GPU only");
    std::size_t bytes = temporary_.size();
    check(call_(temporary_.data(), bytes, input, output, n_, stream_));
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
    std::size_t bytes = std::size_t(1.1 * double(n_) * sizeof(Element)) + (1 << 20);
    if (stream_) check(call_(nullptr, bytes, {}, {}, n_, stream_));
    return bytes;
  }
  static void check(int error) {
    if (error != 0) throw KernelFailure("CUB failed with CUDA error " + std::to_string(error));
  }

  Index n_;
  Call call_;
  void* stream_;
  DeviceArray<std::byte> temporary_;
};

template <class Element, class Call>
CubSolver<Element, Call> cub_solver(Executor& executor, Index n, Call call) {
  return {executor, n, call};
}

/// A baseline of sums for the types that cub_calls.cu instantiates.
template <class Types, class WorkloadOf>
Algorithm baseline(Descriptor descriptor, Types types, WorkloadOf workload_of) {
  descriptor.types = element_types(types);
  return {std::move(descriptor), [=](Executor& executor, const Problem& problem, Input input) {
            return with_element_type(types, problem.type,
                                     [&](auto type) { return workload_of(type, executor, problem, input); });
          }};
}

/// A baseline of sorts of keys of the given types, and of records. `call_of` returns CUB's call for a type.
template <class Keys, class CallOf>
Algorithm baseline_sort(Descriptor descriptor, Keys keys, CallOf call_of) {
  descriptor.types = element_types(keys);
  descriptor.pairs = detail::keys_and_values(RecordTypes{});
  return {std::move(descriptor), [=](Executor& executor, const Problem& problem, Input input) {
            const auto workload = [&]<class Element>(std::type_identity<Element> element, auto) {
              return sort_workload<Element>(
                  executor, problem, input,
                  cub_solver<Element>(executor, Index(problem.n), call_of(element)));
            };
            return detail::with_sorted<true>(keys, RecordTypes{}, problem, workload);
          }};
}

}  // namespace

Algorithm cub_merge() {
  return baseline_sort(cub_merge_descriptor(), KeyElements{},
                       [](auto element) { return merge_sort_of(element); });
}

Algorithm cub_radix() {
  return baseline_sort(cub_radix_descriptor(), RadixKeys{},
                       [](auto element) { return radix_sort_of(element); });
}

// CUB's order of additions is unspecified; no order of n elements has more than n additions in a row.

Algorithm cub_scan() {
  return baseline(
      cub_scan_descriptor(), SummandTypes{},
      []<class T>(std::type_identity<T>, Executor& executor, const Problem& problem, Input input) {
        const Index n = Index(problem.n);
        return scan_workload<T>(executor, problem, input, n,
                                cub_solver<T>(executor, n, on_lists<T>(cub_exclusive_sum<CubType<T>>)));
      });
}

Algorithm cub_reduce() {
  return baseline(
      cub_reduce_descriptor(), SummandTypes{},
      []<class T>(std::type_identity<T>, Executor& executor, const Problem& problem, Input input) {
        const Index n = Index(problem.n);
        return reduce_workload<T>(executor, problem, input, n,
                                  cub_solver<T>(executor, n, on_lists<T>(cub_sum<CubType<T>>)));
      });
}

}  // namespace fathom
