// SPDX-License-Identifier: Apache-2.0
// NVIDIA's CUB on several GPUs as a baseline.
#include <fathom/algorithms/baselines/cub_descriptors.h>
#include <fathom/algorithms/baselines/cub_solver.h>
#include <fathom/algorithms/baselines/sort_exchange_merge.h>
#include <fathom/algorithms/gpus/registry.h>

namespace fathom {
namespace {

template <class Key>
int merge_lists(auto of, void* temporary, std::size_t& bytes, Span<const Key> a, Span<const Key> b,
                Span<Key> output, void* stream) {
  return cub_merge_lists<of()>(temporary, bytes, a.data, (long long)(a.count), b.data, (long long)(b.count),
                               output.data, stream);
}
template <class Key, class Value>
int merge_lists(auto of, void* temporary, std::size_t& bytes, SplitSpan<const Key, const Value> a,
                SplitSpan<const Key, const Value> b, SplitSpan<Key, Value> output, void* stream) {
  return cub_merge_lists_of_pairs<of()>(
      temporary, bytes, a.keys.data, a.values.data, (long long)(a.keys.count), b.keys.data, b.values.data,
      (long long)(b.keys.count), output.keys.data, output.values.data, stream);
}

/// DeviceRadixSort and DeviceMerge: see SortExchangeMerge. The way's type of n is that of the sort; merges
/// have 64 bits.
template <class Element>
class CubLocal {
 public:
  CubLocal(Executor& executor, Index n, Way way)
      : way_(way),
        stream_(stream_of(executor)),
        sort_(executor, n, radix_sort_of(std::type_identity<Element>{}, way)),
        temporary_(executor) {}

  void sort(ConstListOf<Element> input, ListOf<Element> output) { sort_.run(input, output); }

  void merge(ConstListOf<Element> a, ConstListOf<Element> b, ListOf<Element> output) {
    check_stream(stream_);
    std::size_t bytes = 0;
    const auto call = [&](void* temporary) {
      check_cub(called<Element>(
          way_, 0, [&](auto of, auto) { return merge_lists(of, temporary, bytes, a, b, output, stream_); }));
    };
    call(nullptr);
    call(temporary_.list(ceil_div(Index(bytes), Index(sizeof(u64)))).data);
  }

 private:
  using Sort = decltype(radix_sort_of(std::type_identity<Element>{}, Way{}));

  Way way_;
  void* stream_;
  CubSolver<Element, Sort> sort_;
  GrowingList<u64> temporary_;
};

}  // namespace

GroupAlgorithm cub_sort_gpus() {
  using Keys = Types<u32, u64, i32, i64>;
  Descriptor descriptor = cub_sort_gpus_descriptor();
  descriptor.types = element_types(Keys{});
  descriptor.source = with_versions(descriptor.source);
  descriptor.pairs = detail::keys_and_values(RecordTypes{});
  return {std::move(descriptor), [](Communicator& own, const Problem& problem) -> std::unique_ptr<GroupCall> {
            return detail::with_sorted<false>(
                Keys{}, RecordTypes{}, problem,
                [&]<class Element>(std::type_identity<Element>, Unstable) -> std::unique_ptr<GroupCall> {
                  const Index n = Index(problem.n);
                  return std::make_unique<SortExchangeMerge<Element, CubLocal<Element>>>(
                      own, n, CubLocal<Element>(own.executor(), n, way_of<Element>(problem)));
                });
          }};
}

}  // namespace fathom
