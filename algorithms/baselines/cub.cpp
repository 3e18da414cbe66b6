// SPDX-License-Identifier: Apache-2.0
// NVIDIA's CUB as a baseline.
#include <fathom/algorithms/baselines/cub_descriptors.h>
#include <fathom/algorithms/baselines/cub_solver.h>

namespace fathom {
namespace {

template <class Key>
auto merge_sort_of(std::type_identity<Key>, Way way) {
  return on_lists<Key>(way, [](auto of, auto&&... arguments) { return cub_merge_sort<of()>(arguments...); });
}
template <class Key, class Value>
auto merge_sort_of(std::type_identity<Record<Key, Value>>, Way way) {
  return on_records<Key, Value>(
      way, [](auto of, auto&&... arguments) { return cub_merge_sort_pairs<of()>(arguments...); });
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
