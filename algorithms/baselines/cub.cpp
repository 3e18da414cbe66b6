// SPDX-License-Identifier: Apache-2.0
// NVIDIA's CUB as a baseline.
#include <fathom/algorithms/baselines/cub_calls.h>
#include <fathom/algorithms/baselines/cub_descriptors.h>
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/device/cuda/cuda_executor.h>
#include <fmt/format.h>

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

/// Elements for which cub_calls.cu has calls with n of 32 bits.
template <class Element>
constexpr bool has_short_count =
    std::is_same_v<Element, u32> || std::is_same_v<Element, u64> || std::is_same_v<Element, Record<u32, u32>>;

/// How CUB is called.
struct Way {
  Cub of = Cub::of_toolkit;
  bool short_count = false;  ///< n has 32 bits
};

/// Throws std::invalid_argument, saying why, for a way that this build or the problem does not allow.
template <class Element>
Way way_of(const Problem& problem) {
  const Way way{problem.parameters.at("newest") == 1 ? Cub::newest : Cub::of_toolkit,
                problem.parameters.contains("bits") && problem.parameters.at("bits") == 32};
#ifndef FATHOM_NEWEST_CUB
  if (way.of == Cub::newest)
    throw std::invalid_argument(
        "newest = 1: this build has no CCCL but the toolkit's: configure it with "
        "-DFATHOM_CCCL=DIR, the folder with cub/cub.cuh");
#endif
  if (way.short_count && !has_short_count<Element>)
    throw std::invalid_argument("bits = 32: compiled for u32, u64 and u32:u32 only");
  if (way.short_count && problem.n >= 0x1p31) throw std::invalid_argument("bits = 32: n must be below 2^31");
  return way;
}

/// Calls `call` with the version of CUB, a std::integral_constant, and with n.
template <class Element, class Call>
int called(Way way, Index n, const Call& call) {
  const auto with_count = [&](auto of) {
    if constexpr (has_short_count<Element>)
      if (way.short_count) return call(of, int(n));
    return call(of, static_cast<long long>(n));
  };
#ifdef FATHOM_NEWEST_CUB
  if (way.of == Cub::newest) return with_count(std::integral_constant<Cub, Cub::newest>{});
#endif
  return with_count(std::integral_constant<Cub, Cub::of_toolkit>{});
}

/// A call of CUB for lists of T. `function` is given the version of CUB and CUB's arguments.
template <class T, class Function>
auto on_lists(Way way, Function function) {
  return
      [=](void* temporary, std::size_t& bytes, Span<const T> input, Span<T> output, Index n, void* stream) {
        return called<T>(way, n, [&](auto of, auto count) {
          return function(of, temporary, bytes, reinterpret_cast<const CubType<T>*>(input.data),
                          reinterpret_cast<CubType<T>*>(output.data), count, stream);
        });
      };
}
/// The same for lists of keys and values.
template <class Key, class Value, class Function>
auto on_records(Way way, Function function) {
  return [=](void* temporary, std::size_t& bytes, SplitSpan<const Key, const Value> input,
             SplitSpan<Key, Value> output, Index n, void* stream) {
    return called<Record<Key, Value>>(way, n, [&](auto of, auto count) {
      return function(of, temporary, bytes, input.keys.data, input.values.data, output.keys.data,
                      output.values.data, count, stream);
    });
  };
}

template <class Key>
auto merge_sort_of(std::type_identity<Key>, Way way) {
  return on_lists<Key>(way, [](auto of, auto&&... arguments) { return cub_merge_sort<of()>(arguments...); });
}
template <class Key, class Value>
auto merge_sort_of(std::type_identity<Record<Key, Value>>, Way way) {
  return on_records<Key, Value>(
      way, [](auto of, auto&&... arguments) { return cub_merge_sort_pairs<of()>(arguments...); });
}
template <class Key>
auto radix_sort_of(std::type_identity<Key>, Way way) {
  return on_lists<Key>(way, [](auto of, auto&&... arguments) { return cub_radix_sort<of()>(arguments...); });
}
template <class Key, class Value>
auto radix_sort_of(std::type_identity<Record<Key, Value>>, Way way) {
  return on_records<Key, Value>(
      way, [](auto of, auto&&... arguments) { return cub_radix_sort_pairs<of()>(arguments...); });
}

/// A call of CUB for many lists. `Functions` are those for keys and for records.
template <class Element, class Functions>
struct OnSegments {
  Way way;
  Index lists;
  const Index* begins = nullptr;

  int operator()(void* temporary, std::size_t& bytes, ConstListOf<Element> input, ListOf<Element> output,
                 Index n, void* stream) const {
    const CubLists of{begins, lists, n};
    return called<Element>(way, n, [&](auto cub, auto) {
      if constexpr (has_values<Element>)
        return Functions::pairs(cub, temporary, bytes, input.keys.data, input.values.data, output.keys.data,
                                output.values.data, of, stream);
      else
        return Functions::keys(cub, temporary, bytes, input.data, output.data, of, stream);
    });
  }
};
struct SegmentedSort {
  static int keys(auto of, auto&&... arguments) { return cub_segmented_sort<of()>(arguments...); }
  static int pairs(auto of, auto&&... arguments) { return cub_segmented_sort_pairs<of()>(arguments...); }
};
struct SegmentedRadix {
  static int keys(auto of, auto&&... arguments) { return cub_segmented_radix<of()>(arguments...); }
  static int pairs(auto of, auto&&... arguments) { return cub_segmented_radix_pairs<of()>(arguments...); }
};

/// One CUB call, on lists of elements, with its work space.
template <class Element, class Call>
class CubSolver {
 public:
  CubSolver(Executor& executor, Index n, Call call)
      : call_(call), n_(n), stream_(stream_of(executor)), temporary_(executor, temporary_bytes()) {}

  /// Throws std::invalid_argument on an executor that does not run on a GPU.
  void run(ConstListOf<Element> input, ListOf<Element> output) {
    if (!stream_) throw std::invalid_argument("CUB runs on a GPU only");
    std::size_t bytes = temporary_.size();
    check(call_(temporary_.data(), bytes, input, output, n_, stream_));
  }

  std::vector<KernelResources> kernels() const { return {}; }  // CUB does not report them

 protected:
  Call call_;

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
  void* stream_;
  DeviceArray<std::byte> temporary_;
};

/// A CUB call on many lists. `Call` has a member for where they begin.
template <class Element, class Call>
class CubSegmentedSolver : public CubSolver<Element, Call> {
 public:
  using CubSolver<Element, Call>::CubSolver;

  void run(ConstListOf<Element> input, Span<const Index> begins, ListOf<Element> output) {
    this->call_.begins = begins.data;
    CubSolver<Element, Call>::run(input, output);
  }
};

template <class Element, class Call>
CubSolver<Element, Call> cub_solver(Executor& executor, Index n, Call call) {
  return {executor, n, call};
}

std::string in_words(int version) {
  return fmt::format("{}.{}.{}", version / 1'000'000, version / 1'000 % 1'000, version % 1'000);
}

/// The source with the versions that this build has.
std::string with_versions(const std::string& source) {
  std::string versions = in_words(cub_version<Cub::of_toolkit>());
#ifdef FATHOM_NEWEST_CUB
  versions += " and " + in_words(cub_version<Cub::newest>());
#endif
  return source + ", CCCL " + versions;
}

/// A baseline of sums for the types that cub_calls.cu instantiates.
template <class Types, class WorkloadOf>
Algorithm baseline(Descriptor descriptor, Types types, WorkloadOf workload_of) {
  descriptor.types = element_types(types);
  descriptor.source = with_versions(descriptor.source);
  return {std::move(descriptor), [=](Executor& executor, const Problem& problem, Input input) {
            return with_element_type(types, problem.type,
                                     [&](auto type) { return workload_of(type, executor, problem, input); });
          }};
}

/// A baseline of sorts of keys of the given types, and of records. `call_of` returns CUB's call for a type
/// and a way.
template <class Keys, class CallOf>
Algorithm baseline_sort(Descriptor descriptor, Keys keys, CallOf call_of) {
  descriptor.types = element_types(keys);
  descriptor.source = with_versions(descriptor.source);
  descriptor.pairs = detail::keys_and_values(RecordTypes{});
  return {std::move(descriptor), [=](Executor& executor, const Problem& problem, Input input) {
            const auto workload = [&]<class Element>(std::type_identity<Element> element, auto) {
              return sort_workload<Element>(executor, problem, input,
                                            cub_solver<Element>(executor, Index(problem.n),
                                                                call_of(element, way_of<Element>(problem))));
            };
            return detail::with_sorted<true>(keys, RecordTypes{}, problem, workload);
          }};
}

template <class Functions>
Algorithm baseline_segmented(Descriptor descriptor) {
  descriptor.types = element_types(RadixKeys{});
  descriptor.source = with_versions(descriptor.source);
  descriptor.pairs = detail::keys_and_values(RecordTypes{});
  return {std::move(descriptor), [](Executor& executor, const Problem& problem, Input input) {
            const auto workload = [&]<class Element>(std::type_identity<Element>, auto) {
              using Call = OnSegments<Element, Functions>;
              return segmented_sort_workload<Element>(
                  executor, problem, input,
                  CubSegmentedSolver<Element, Call>(executor, Index(problem.n),
                                                    Call{way_of<Element>(problem), lists_of(problem)}));
            };
            return detail::with_sorted<true>(RadixKeys{}, RecordTypes{}, problem, workload);
          }};
}

}  // namespace

Algorithm cub_merge() {
  return baseline_sort(cub_merge_descriptor(), KeyElements{},
                       [](auto element, Way way) { return merge_sort_of(element, way); });
}

Algorithm cub_radix() {
  return baseline_sort(cub_radix_descriptor(), RadixKeys{},
                       [](auto element, Way way) { return radix_sort_of(element, way); });
}

Algorithm cub_segmented_sort() {
  return baseline_segmented<SegmentedSort>(cub_segmented_sort_descriptor());
}

Algorithm cub_segmented_radix() {
  Algorithm radix = baseline_segmented<SegmentedRadix>(cub_segmented_radix_descriptor());
  radix.make_workload = [make = radix.make_workload](Executor& executor, const Problem& problem,
                                                     Input input) {
    if (problem.n >= 0x1p31) throw std::invalid_argument("cub-segmented-radix: n must be below 2^31");
    return make(executor, problem, input);
  };
  return radix;
}

// CUB's order of additions is unspecified; no order of n elements has more than n additions in a row.

Algorithm cub_scan() {
  return baseline(
      cub_scan_descriptor(), SummandTypes{},
      []<class T>(std::type_identity<T>, Executor& executor, const Problem& problem, Input input) {
        const Index n = Index(problem.n);
        return scan_workload<T>(
            executor, problem, input, n,
            cub_solver<T>(executor, n, on_lists<T>(way_of<T>(problem), [](auto of, auto&&... arguments) {
                            return cub_exclusive_sum<of()>(arguments...);
                          })));
      });
}

Algorithm cub_reduce() {
  return baseline(
      cub_reduce_descriptor(), SummandTypes{},
      []<class T>(std::type_identity<T>, Executor& executor, const Problem& problem, Input input) {
        const Index n = Index(problem.n);
        return reduce_workload<T>(
            executor, problem, input, n,
            cub_solver<T>(executor, n, on_lists<T>(way_of<T>(problem), [](auto of, auto&&... arguments) {
                            return cub_sum<of()>(arguments...);
                          })));
      });
}

}  // namespace fathom
