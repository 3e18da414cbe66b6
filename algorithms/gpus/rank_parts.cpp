// SPDX-License-Identifier: Apache-2.0
// All parts stand in one file, long as it is, since their workloads share what makes their inputs, and since
// a part is of use to nothing but this list.
#include <fathom/algorithms/gpus/prefix/order_by_prefix.h>
#include <fathom/algorithms/gpus/prefix/sort_pieces.h>
#include <fathom/algorithms/gpus/rank_parts.h>
#include <fathom/algorithms/gpus/registry.h>
#include <fathom/algorithms/gpus/sort_gpus.h>
#include <fathom/algorithms/make_algorithm.h>

#include <algorithm>
#include <map>
#include <string>

namespace fathom {
namespace {

constexpr int most_parts_of_cuts = 16 * most_gpus;  // in pieces

template <class Key>
bool comes_before(const Key& a, const Key& b) {
  return ordered_bits(a) < ordered_bits(b);
}

/// Keys of the pattern, which `arrange` puts in another order, with their positions if they have values.
template <class Element, class Arrange>
DeviceList<Element> input_of(Executor& executor, const Problem& problem, Input input, Arrange arrange) {
  using Key = KeyOf<Element>;
  DeviceList<Element> list(executor, std::size_t(problem.n));
  const Span<Key> keys = keys_of(list.list());
  fill_keys<Key>(executor, keys, input, tile_shape(problem));
  executor.synchronize();
  std::vector<Key> on_host(keys.count);
  executor.download(on_host.data(), keys.data, on_host.size() * sizeof(Key));
  arrange(on_host);
  executor.upload(keys.data, on_host.data(), on_host.size() * sizeof(Key));
  if constexpr (has_values<Element>) fill_values(executor, list.list().values);
  executor.synchronize();
  return list;
}

template <class Key>
std::vector<Key> sorted_keys(Executor& executor, Span<const Key> keys) {
  std::vector<Key> on_host(keys.count);
  executor.download(on_host.data(), keys.data, on_host.size() * sizeof(Key));
  std::ranges::sort(on_host, comes_before<Key>);
  return on_host;
}

class PartWorkload : public Workload {
 public:
  std::vector<KernelResources> kernels() const override { return {}; }
};

/// All ranks have the same sorted keys.
template <class Key>
class CutsWorkload final : public PartWorkload {
 public:
  CutsWorkload(Executor& executor, const Problem& problem, Input input)
      : executor_(&executor),
        ranks_(problem.parameters.at("ranks")),
        parts_(problem.parameters.at("parts")),
        keys_(input_of<Key>(executor, problem, input,
                            [](std::vector<Key>& keys) { std::ranges::sort(keys, comes_before<Key>); })),
        sorted_(sorted_keys(executor, read_only(keys_.list()))),
        plan_(executor, plan(problem)),
        n_of_(executor, std::span<const Index>(std::vector<Index>(std::size_t(ranks_), Index(problem.n)))),
        bits_(executor, std::size_t(samples_of(Index(problem.n)))),
        samples_(sorted_samples()),
        sorted_bits_(executor, std::span<const u64>(samples_.bits)),
        sorted_tags_(executor, std::span<const u32>(samples_.tags)),
        cuts_(executor, std::size_t(parts_) - 1),
        begins_(executor, std::size_t(parts_) + 1) {}

  static Plan plan(const Problem& problem) {
    const int parts = problem.parameters.at("parts");
    Plan plan = SampledCuts<Key>::plan(samples_of(Index(problem.n)), problem.parameters.at("ranks"), parts);
    for (const Launch& launch : plan_of_find_cuts<Key>(parts)) plan.push_back(launch);
    return plan;
  }

  void run() override {
    const Span<const Key> keys = read_only(keys_.list());
    sample(0);
    plan_.launch(1, ChooseCuts{read_only(sorted_bits_.span()), read_only(sorted_tags_.span()),
                               read_only(n_of_.span()), 1, cuts_.span()});
    plan_.launch(2, FindCuts<Key>{keys, read_only(cuts_.span()), begins_.span(), 0});
  }
  void check() override {
    run();
    executor_->synchronize();
    const std::vector<RunCut> cuts = cuts_.download();
    const std::vector<Index> begins = begins_.download();
    // The bound of ChooseCuts, a sample and a half, and four standard deviations of where a sample is drawn
    // from its share.
    const double n = double(sorted_.size()), share = n / double(bits_.size());
    for (std::size_t part = 1; part < std::size_t(parts_); ++part) {
      if (std::abs(double(begins[part]) - n * double(part) / parts_) > 4 * share + 1)
        throw KernelFailure("wrong result: part " + std::to_string(part) +
                            " does not begin where an equal one does");
      const u64 bits = cuts[part - 1].bits;
      const auto bits_of = [](const Key& key) { return u64(ordered_bits(key)); };
      const Index first = std::ranges::lower_bound(sorted_, bits, {}, bits_of) - sorted_.begin();
      const Index last = std::ranges::upper_bound(sorted_, bits, {}, bits_of) - sorted_.begin();
      if (begins[part] < first || begins[part] > last)
        throw KernelFailure("wrong result: part " + std::to_string(part) + " does not begin at its cut");
    }
  }

 private:
  /// Those of all ranks, in order.
  struct Samples {
    std::vector<u64> bits;
    std::vector<u32> tags;
  };
  void sample(int rank) {
    plan_.launch(0, SampleElements<Key>{read_only(keys_.list()), bits_.span(), u32(rank)});
  }
  Samples sorted_samples() {
    std::vector<std::pair<u64, u32>> all;
    const std::vector<u32> tags = SampledCuts<Key>::tags(u32(ranks_), u32(bits_.size()));
    for (int rank = 0; rank < ranks_; ++rank) {
      sample(rank);
      for (const u64 bits : bits_.download()) all.emplace_back(bits, tags[all.size()]);
    }
    std::ranges::sort(all);
    Samples sorted;
    for (const auto& [bits, tag] : all) {
      sorted.bits.push_back(bits);
      sorted.tags.push_back(tag);
    }
    return sorted;
  }

  Executor* executor_;
  int ranks_, parts_;
  DeviceList<Key> keys_;
  std::vector<Key> sorted_;
  PreparedPlan plan_;
  DeviceArray<Index> n_of_;
  DeviceArray<u64> bits_;
  Samples samples_;
  DeviceArray<u64> sorted_bits_;
  DeviceArray<u32> sorted_tags_;
  DeviceArray<RunCut> cuts_;
  DeviceArray<Index> begins_;
};

/// One rank stands for all: its elements of the buckets of each rank are taken for what a rank receives.
template <class Element>
class PrefixWorkload final : public PartWorkload {
  using Key = KeyOf<Element>;

 public:
  PrefixWorkload(Executor& executor, const Problem& problem, Input input)
      : executor_(&executor),
        n_(Index(problem.n)),
        ranks_(problem.parameters.at("ranks")),
        division_(division_of(problem, executor.plan_device())),
        input_(input_of<Element>(executor, problem, input, [](auto&) {})),
        ordered_(executor, std::size_t(n_)),
        sorted_(executor, std::size_t(n_)),
        order_(executor, n_, division_),
        sort_(executor, division_, ranks_),
        buckets_(executor, std::size_t(ranks_ * division_.words())),
        cut_(executor, std::size_t(1 + (ranks_ + 1) * (ranks_ + 1))) {}

  static Plan plan(const Problem& problem, const PlanDevice& device) {
    const PrefixDivision division = division_of(problem, device);
    Plan plan = OrderByPrefix<Element>::plan(Index(problem.n), division, device);
    for (const Launch& launch :
         SortPieces<Element>::plan(Index(problem.n), division, problem.parameters.at("ranks")))
      plan.push_back(launch);
    return plan;
  }

  void run() override {
    const Index words = division_.words();
    order_.find_buckets(keys_of(read_only(input_.list())));
    for (int rank = 0; rank < ranks_; ++rank)
      executor_->copy(buckets_.data() + rank * words, order_.own_buckets().data,
                      std::size_t(words) * sizeof(u32));
    // A bucket of ranks that are all alike differs more from the others than one of different ranks.
    order_.cut(read_only(buckets_.span()), n_ * ranks_, ranks_, 1, division_.shape.tile() * ranks_,
               cut_.span());
    order_.run(read_only(input_.list()), ordered_.list());
    executor_->synchronize();
    if (cut_.download()[0] != 0) throw KernelFailure("the keys are too skewed for this part");
    const std::vector<u32> begins = fathom::download(*executor_, order_.own_buckets());
    ReceivedBuckets<Element> from{read_only(ordered_.list()), read_only(ordered_.list()), 0, {}};
    for (int rank = 0; rank < ranks_; ++rank)
      from.begins[rank] = Index(begins[std::size_t(rank * of_rank())]);
    // The buckets of the next rank follow those of a rank.
    sort_.run(from, order_.own_buckets(), of_rank(), 0, of_rank(), sorted_.list());
  }
  void check() override {
    sorted_.fill(*executor_, 0xa5);  // unwritten output must not look right
    run();
    executor_->synchronize();
    std::vector<Key> keys = downloaded(input_);
    const Digit prefix{key_bits<Key> - division_.bits, division_.bits};
    const auto prefix_of = [&](const Key& key) { return prefix.of(key); };
    std::ranges::stable_sort(keys, {}, prefix_of);
    std::vector<Key> ordered = downloaded(ordered_);
    if (!has_values<Element> && std::ranges::is_sorted(ordered, {}, prefix_of)) {
      // Keys alone of a bucket are in no particular order.
      std::ranges::sort(keys, {}, ordered_bits<Key>);
      std::ranges::sort(ordered, {}, ordered_bits<Key>);
    }
    check_equal(ordered, keys, "order of buckets");

    // Bucket b of all ranks, by the other bits.
    std::vector<Key> expected;
    // Keys of a bucket have one prefix, but here those of each rank have another. So keys alone that agree in
    // the other bits are not equal, and are in no particular order.
    const BitRange rest{0, prefix.first};
    std::vector<Key> sorted = downloaded(sorted_);
    for (Index bucket = 0; bucket < of_rank(); ++bucket) {
      const std::size_t begin = expected.size();
      for (int rank = 0; rank < ranks_; ++rank) {
        const int common = int(rank * of_rank() + bucket);
        const auto first = std::ranges::lower_bound(keys, common, {}, prefix_of);
        expected.insert(expected.end(), first, std::ranges::upper_bound(keys, common, {}, prefix_of));
      }
      const auto is_less = [&](const Key& a, const Key& b) { return rest.of(a) < rest.of(b); };
      std::stable_sort(expected.begin() + Index(begin), expected.end(), is_less);
      const auto sorted_begin = sorted.begin() + Index(begin),
                 sorted_end = sorted.begin() + Index(expected.size());
      if (!has_values<Element> && std::is_sorted(sorted_begin, sorted_end, is_less)) {
        std::sort(expected.begin() + Index(begin), expected.end(), comes_before<Key>);
        std::sort(sorted_begin, sorted_end, comes_before<Key>);
      }
    }
    sorted.resize(expected.size());  // that is not all if the buckets are no multiple of the ranks
    check_equal(sorted, expected, "order in buckets");
    if constexpr (has_values<Element>) check_values(sorted);
  }

 private:
  static PrefixDivision division_of(const Problem& problem, const PlanDevice& device) {
    const int ranks = problem.parameters.at("ranks");
    return PrefixDivision::of<Element>(Index(problem.n) * ranks, ranks, device,
                                       {problem.parameters.at("t"), problem.parameters.at("E")});
  }
  /// Buckets.
  Index of_rank() const { return division_.buckets() / ranks_; }

  std::vector<Key> downloaded(const DeviceList<Element>& list) const {
    return fathom::download(*executor_, keys_of(read_only(list.list())));
  }
  static void check_equal(const std::vector<Key>& keys, const std::vector<Key>& expected, const char* what) {
    if (!std::ranges::equal(keys, expected, {}, ordered_bits<Key>, ordered_bits<Key>))
      throw KernelFailure(std::string("wrong result: the ") + what + " is another");
  }
  /// Each value is that of its key in the input.
  void check_values(const std::vector<Key>& sorted) const {
    const auto keys_in = downloaded(input_);
    const auto values_in = fathom::download(*executor_, read_only(input_.list().values));
    const auto values = fathom::download(*executor_, read_only(sorted_.list().values));
    std::map<fathom::ValueOf<Element>, Key> key_of;
    for (std::size_t i = 0; i < keys_in.size(); ++i) key_of.emplace(values_in[i], keys_in[i]);
    for (std::size_t i = 0; i < sorted.size(); ++i)
      if (!key_of.contains(values[i]) || ordered_bits(key_of.at(values[i])) != ordered_bits(sorted[i]))
        throw KernelFailure("wrong result: value " + std::to_string(i) + " is not its key's");
  }

  Executor* executor_;
  Index n_;
  int ranks_;
  PrefixDivision division_;
  DeviceList<Element> input_, ordered_, sorted_;
  OrderByPrefix<Element> order_;
  SortPieces<Element> sort_;
  DeviceArray<u32> buckets_;
  DeviceArray<Index> cut_;
};

template <class Element, class Stability>
class MergeWorkload final : public PartWorkload {
  using Key = KeyOf<Element>;

 public:
  MergeWorkload(Executor& executor, const Problem& problem, Input input)
      : executor_(&executor),
        stable_(problem.stable),
        runs_(equal_parts(Index(problem.n), problem.parameters.at("runs"))),
        input_(input_of<Element>(executor, problem, input, [&](std::vector<Key>& keys) { sort_runs(keys); })),
        output_(executor, std::size_t(problem.n)),
        merge_(executor, Index(problem.n), problem.parameters.at("runs")) {}

  void run() override {
    RunsOfList runs;
    for (std::size_t run = 0; run + 1 < runs_.size(); ++run) runs.emplace_back(runs_[run], runs_[run + 1]);
    merge_.run(read_only(input_.list()), runs, output_.list());
  }
  void check() override {
    output_.fill(*executor_, 0xa5);  // unwritten output must not look right
    run();
    const auto in = read_only(input_.list()), out = read_only(output_.list());
    if constexpr (has_values<Element>)
      check_sorted_pairs<Key, fathom::ValueOf<Element>, Less>(*executor_, in.keys, out.keys, out.values,
                                                              stable_);
    else
      check_sorted<Element, Less>(*executor_, in, out);
  }

 private:
  void sort_runs(std::vector<Key>& keys) const {
    for (std::size_t run = 0; run + 1 < runs_.size(); ++run)
      std::sort(keys.begin() + runs_[run], keys.begin() + runs_[run + 1], comes_before<Key>);
  }

  Executor* executor_;
  bool stable_;
  Spread runs_;
  DeviceList<Element> input_, output_;
  MergeReceived<Element, Stability> merge_;
};

Algorithm cuts() {
  const auto with_key = [](const Problem& problem, auto function) {
    return with_element_type(RadixKeys{}, problem.type, function);
  };
  return {{.slug = "gpus-cuts",
           .kind = Kind::sort,
           .group = "gpus",
           .source = "Fathom: samples and cuts of sort-gpus",
           .parameters = {{"ranks", "ranks", consecutive(1, most_gpus), 2},
                          {"parts", "parts", consecutive(1, most_parts_of_cuts), 2}},
           .types = element_types(RadixKeys{}),
           .plan =
               [=](const Problem& problem, const PlanDevice&) {
                 return with_key(problem, [&]<class Key>(std::type_identity<Key>) {
                   return CutsWorkload<Key>::plan(problem);
                 });
               }},
          [=](Executor& executor, const Problem& problem, Input input) {
            return with_key(problem, [&]<class Key>(std::type_identity<Key>) -> std::unique_ptr<Workload> {
              return std::make_unique<CutsWorkload<Key>>(executor, problem, input);
            });
          }};
}

Algorithm by_prefix() {
  return {{.slug = "gpus-prefix",
           .kind = Kind::sort,
           .group = "gpus",
           .source = "Fathom: the buckets of sort-gpus",
           .parameters = {{"ranks", "ranks", consecutive(2, ReceivedBuckets<u32>::most_ranks), 2},
                          {"t", "threads of a block that sorts a bucket", {384, 512, 768}, 512},
                          {"E", "elements per thread of such a block", {12, 17}, 17}},
           .types = element_types(RadixKeys{}),
           .pairs = detail::keys_and_values(RecordTypes{}),
           .plan =
               [](const Problem& problem, const PlanDevice& device) {
                 return detail::with_sorted<false>(RadixKeys{}, RecordTypes{}, problem,
                                                   [&]<class Element>(std::type_identity<Element>, Unstable) {
                                                     return PrefixWorkload<Element>::plan(problem, device);
                                                   });
               },
           .all_variants_with = {{"t", 256}, {"E", 1}}},
          [](Executor& executor, const Problem& problem, Input input) {
            return detail::with_sorted<false>(
                RadixKeys{}, RecordTypes{}, problem,
                [&]<class Element>(std::type_identity<Element>, Unstable) -> std::unique_ptr<Workload> {
                  return std::make_unique<PrefixWorkload<Element>>(executor, problem, input);
                });
          }};
}

Algorithm merge() {
  return {{.slug = "gpus-merge",
           .kind = Kind::sort,
           .group = "gpus",
           .source = "Fathom: the merge of sort-gpus",
           .parameters = {{"runs", "sorted runs", consecutive(1, ListedRuns::most), 2}},
           .types = element_types(RadixKeys{}),
           .pairs = detail::keys_and_values(RecordTypes{}),
           .stable = true,
           .plan =
               [](const Problem& problem, const PlanDevice& device) {
                 return detail::with_sorted<true>(
                     RadixKeys{}, RecordTypes{}, problem,
                     [&]<class Element, class Stability>(std::type_identity<Element>, Stability) {
                       return MergeReceived<Element, Stability>::plan(Index(problem.n),
                                                                      problem.parameters.at("runs"), device);
                     });
               }},
          [](Executor& executor, const Problem& problem, Input input) {
            return detail::with_sorted<true>(
                RadixKeys{}, RecordTypes{}, problem,
                [&]<class Element, class Stability>(std::type_identity<Element>,
                                                    Stability) -> std::unique_ptr<Workload> {
                  return std::make_unique<MergeWorkload<Element, Stability>>(executor, problem, input);
                });
          }};
}

}  // namespace

const Algorithm& cuts_part() {
  static const Algorithm part = cuts();
  return part;
}
const Algorithm& prefix_part() {
  static const Algorithm part = by_prefix();
  return part;
}
const Algorithm& merge_part() {
  static const Algorithm part = merge();
  return part;
}

PrefixDivision prefix_division(const Problem& problem, const PlanDevice& device) {
  return detail::with_sorted<false>(
      RadixKeys{}, RecordTypes{}, problem, [&]<class Element>(std::type_identity<Element>, Unstable) {
        return PrefixDivision::of<Element>(Index(problem.n), problem.parameters.at("gpus"), device);
      });
}

const Algorithm& algorithm_or_part(std::string_view slug) {
  for (const Algorithm* part : {&cuts_part(), &prefix_part(), &merge_part()})
    if (part->slug == slug) return *part;
  return algorithm(slug);
}

}  // namespace fathom
