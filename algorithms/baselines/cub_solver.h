// SPDX-License-Identifier: Apache-2.0
// How the baselines call CUB.
#pragma once

#include <fathom/algorithms/baselines/cub_calls.h>
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/device/cuda/cuda_executor.h>
#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <type_traits>

namespace fathom {

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
auto radix_sort_of(std::type_identity<Key>, Way way) {
  return on_lists<Key>(way, [](auto of, auto&&... arguments) { return cub_radix_sort<of()>(arguments...); });
}
template <class Key, class Value>
auto radix_sort_of(std::type_identity<Record<Key, Value>>, Way way) {
  return on_records<Key, Value>(
      way, [](auto of, auto&&... arguments) { return cub_radix_sort_pairs<of()>(arguments...); });
}

/// The stream that CUB's calls are queued on. nullptr without a GPU: an executor never uses the default
/// stream.
inline void* stream_of(Executor& executor) {
  const auto* cuda = dynamic_cast<CudaExecutor*>(&executor);
  return cuda ? cuda->stream() : nullptr;
}
/// Throws std::invalid_argument for the stream of an executor that does not run on a GPU.
inline void check_stream(void* stream) {
  if (!stream) throw std::invalid_argument("CUB runs on a GPU only");
}
/// Throws KernelFailure for a cudaError_t.
inline void check_cub(int error) {
  if (error != 0) throw KernelFailure("CUB failed with CUDA error " + std::to_string(error));
}

/// One CUB call, on lists of elements, with its work space.
template <class Element, class Call>
class CubSolver {
 public:
  CubSolver(Executor& executor, Index n, Call call)
      : call_(call), n_(n), stream_(stream_of(executor)), temporary_(executor, temporary_bytes()) {}

  /// Throws std::invalid_argument on an executor that does not run on a GPU.
  void run(ConstListOf<Element> input, ListOf<Element> output) {
    check_stream(stream_);
    std::size_t bytes = temporary_.size();
    check_cub(call_(temporary_.data(), bytes, input, output, n_, stream_));
  }

  std::vector<KernelResources> kernels() const { return {}; }  // CUB does not report them

 protected:
  Call call_;

 private:
  /// Returns what CUB requests. Without a GPU, that is estimated from the GPUs seen so far: the size of the
  /// data and a little more.
  std::size_t temporary_bytes() const {
    std::size_t bytes = std::size_t(1.1 * double(n_) * sizeof(Element)) + (1 << 20);
    if (stream_) check_cub(call_(nullptr, bytes, {}, {}, n_, stream_));
    return bytes;
  }

  Index n_;
  void* stream_;
  DeviceArray<std::byte> temporary_;
};

inline std::string in_words(int version) {
  return fmt::format("{}.{}.{}", version / 1'000'000, version / 1'000 % 1'000, version % 1'000);
}

/// The source with the versions that this build has.
inline std::string with_versions(const std::string& source) {
  std::string versions = in_words(cub_version<Cub::of_toolkit>());
#ifdef FATHOM_NEWEST_CUB
  versions += " and " + in_words(cub_version<Cub::newest>());
#endif
  return source + ", CCCL " + versions;
}

}  // namespace fathom
