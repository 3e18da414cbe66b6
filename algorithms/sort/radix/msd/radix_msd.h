// SPDX-License-Identifier: Apache-2.0
// Radix sort from the most significant digit on the device (agpu-radix).
#pragma once

#include <fathom/algorithms/sort/device_list.h>
#include <fathom/algorithms/sort/radix/msd/count_classes.h>
#include <fathom/algorithms/sort/radix/msd/gather_skewed.h>
#include <fathom/algorithms/sort/radix/msd/plan_classes.h>
#include <fathom/algorithms/sort/radix/msd/plan_skewed_passes.h>
#include <fathom/algorithms/sort/radix/msd/prefix_passes.h>
#include <fathom/algorithms/sort/radix/msd/sort_buckets.h>
#include <fathom/algorithms/sort/radix/msd/split_by_class.h>
#include <fathom/algorithms/sort/radix/msd/split_if_skewed.h>
#include <fathom/algorithms/sort/radix/passes_left_out.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace fathom {

/// The kernels and work space for sorting up to n elements, keys or records, stably, by a range of bits of
/// their keys: two passes over global memory put elements into buckets of equal prefixes, which blocks sort
/// in shared memory, so that long keys take no more passes than short ones. Buckets can be too large for a
/// block, because keys are skewed or too many. If few elements are in such buckets, these are sorted among
/// themselves by one digit after another from the lowest, as radix-onesweep does. If most elements are, a few
/// keys may be frequent: then one pass puts elements with those at their places, and the others, with rare
/// keys, are sorted among themselves in that way. Otherwise all elements are. Where a block has shared memory
/// for the counters of fewer prefixes only, fewer keys are too many.
template <class Element>
class RadixMsd {
  using Key = KeyOf<Element>;
  using Prefixes = CountPrefixes<Key>;
  using Buckets = PlanBuckets<>;
  using Classes = CountClasses<Key>;
  using PlansOfClasses = PlanClasses<Key>;
  using Histograms = GatherSkewed<Element>;
  using Plans = PlanSkewedPasses<>;
  using Splits = DigitSplits<Element>;
  using Finish = SortBuckets<Element>;

 public:
  /// `threads` and `elements` of a block that sorts a bucket, `split_elements` of a thread of a block of the
  /// passes. Throws std::invalid_argument if blocks of 8,704 elements could hold the buckets of n random
  /// keys, but these blocks cannot.
  RadixMsd(Executor& executor, Index n, int threads, int elements, int split_elements,
           BitRange range = BitRange::all<Key>())
      : RadixMsd(executor, n, threads, elements, split_elements, 0, 0, 0, range) {}
  /// The same; `skewed`, `frequent`, `shared_bits`: those of Problem. If `skewed` is n, all elements are
  /// sorted by all digits; if it is not, and `frequent` is not 0, elements with frequent keys are put at
  /// their places whenever there is room for the others. Otherwise these are for the plan alone.
  RadixMsd(Executor& executor, Index n, int threads, int elements, int split_elements, Index skewed,
           Index frequent, u64 shared_bits, BitRange range = BitRange::all<Key>())
      : n_(n),
        threads_(threads),
        elements_(elements),
        all_skewed_(skewed > 0 && skewed >= n),
        has_classes_(has_classes(n, frequent, split_elements, range, executor.plan_device())),
        left_out_{range, digit_bits, skewed > 0 ? shared_bits : 0},
        range_(range),
        prefix_bits_(buckets_of(threads, elements, executor.plan_device()).bits(n, range)),
        plan_(executor, plan(n, threads, elements, split_elements, skewed, frequent, shared_bits, range,
                             executor.plan_device())),
        most_gathered_(all_skewed_ ? 0 : most_gathered(plan_.plan(), n, range)),
        class_costs_(class_costs(plan_.plan(), n, range,
                                 all_skewed_    ? Classed::never
                                 : frequent > 0 ? Classed::always
                                                : Classed::if_it_pays)),
        splits_(executor, n, digit_bits, threads_of_splits, split_elements, pass_by_class(range) + 1),
        other_(executor, std::size_t(n)),
        histograms_(executor, std::size_t(range.digits(digit_bits)) << digit_bits),
        counts_(executor, std::size_t(Buckets::padded_buckets(prefix_bits_) / 2)),
        buckets_(executor, std::size_t(Buckets::padded_buckets(prefix_bits_) + 1)),
        which_skewed_(executor, 1),
        skewed_count_(executor, 2),
        skewed_buckets_(executor, 2 * std::size_t(most_large_buckets() + 1)),
        tiles_taken_(executor, std::size_t(range.digits(digit_bits) + 1)),
        frequent_bits_(executor, FrequentKeys<Key>::padded),
        frequent_count_(executor, 1),
        class_counts_(executor, std::size_t(FrequentKeys<Key>::classes + range.digits(digit_bits))) {
    executor.fill(histograms_.data(), 0, histograms_.bytes());
    executor.fill(counts_.data(), 0, counts_.bytes());
    executor.fill(class_counts_.data(), 0, class_counts_.bytes());
  }

  /// The prefixes and their buckets; the two passes by prefixes; of many elements, the classes of keys and
  /// the pass by them; of the elements that are sorted by all digits, histograms, plans and passes; the
  /// buckets' sorts. Launches that the keys do not need end at once, and have other work: they have names of
  /// their own.
  static Plan plan(Index n, int threads, int elements, int split_elements, Index skewed, Index frequent,
                   u64 shared_bits, BitRange range, const PlanDevice& device) {
    const bool all_skewed = skewed > 0 && skewed >= n, by_class = frequent > 0 && !all_skewed;
    const bool has_buckets = !all_skewed && !by_class, has_digits = skewed > 0;
    const Index by_digits = has_digits ? skewed : n;
    const PrefixBuckets in_tiles = buckets_of(threads, elements, device);
    const double least_share = std::exp2(-PrefixBuckets::usual_bits);
    const bool usual_fits =
        in_tiles.most_bits == PrefixBuckets::usual_bits &&
        Finish::shared_memory(usual_threads, usual_elements, digit_bits) <= device.shared_bytes_per_block;
    if (usual_fits && in_tiles.overflow(n, least_share) &&
        !PrefixBuckets{usual_tile}.overflow(n, least_share))
      throw std::invalid_argument("radix-msd: t·E = " + std::to_string(threads * elements) +
                                  " elements of a block are too few for buckets of " + std::to_string(n) +
                                  ": set t and E so that t·E is at least " + std::to_string(usual_tile));
    const int prefix = in_tiles.bits(n, range), digits = range.digits(digit_bits);
    const auto named = [](Launch launch, bool has_work) {
      if (!has_work) launch.kernel = &variant_of(*launch.kernel, 0);
      return launch;
    };
    const Launch histograms = with_resident_blocks(
        named(launch_of<Histograms>(by_digits, 1,
                                    {threads_of_counts, Histograms::shared_memory(digit_bits, digits)},
                                    {threads_of_counts, digit_bits, digits}),
              has_digits),
        n, Index(threads_of_counts) * Histograms::in_flight, device);
    const Launch plans =
        named(launch_of<Plans>(by_digits, 1, {threads_of_splits, Plans::shared_memory(digits)},
                               {threads_of_splits, digit_bits}),
              has_digits);
    const auto splits_if_skewed = [&](int passes, bool have_work) {
      return with_resident_blocks(named(Splits::template launch<SplitIfSkewed>(
                                            by_digits, digit_bits, threads_of_splits, split_elements, passes),
                                        have_work),
                                  n, Index(threads_of_splits) * split_elements, device);
    };
    const int left_out = has_digits ? PassesLeftOut{range, digit_bits, shared_bits}.count() : 0;
    Launch finish = named(launch_of<Finish>(n, Index(1) << prefix,
                                            {threads, Finish::shared_memory(threads, elements, digit_bits)},
                                            {threads, elements, digit_bits}),
                          has_buckets);
    finish.grid = Grid::buckets;
    // Without the keys of large buckets, the others are spread more evenly (counting/work.cpp).
    if (has_digits && has_buckets) finish.kernel = &variant_of(*finish.kernel, 1);
    Plan plan = plan_of_prefixes<Element>(n, prefix, split_elements, has_buckets, range, device);
    if (has_classes(n, frequent, split_elements, range, device)) {
      plan.push_back(with_resident_blocks(
          named(launch_of<Classes>(n, 1, {threads_of_counts, Classes::shared_memory()}, {threads_of_counts}),
                by_class),
          n, Index(threads_of_counts) * Classes::in_flight, device));
      plan.push_back(
          named(launch_of<PlansOfClasses>(n, 1, {threads_of_counts, PlansOfClasses::shared_memory()},
                                          {threads_of_counts}),
                by_class));
      plan.push_back(with_resident_blocks(
          named(Splits::template launch<SplitByClass>(n, digit_bits, threads_of_splits, split_elements, 1),
                by_class),
          n, Index(threads_of_splits) * split_elements, device));
    }
    plan.push_back(histograms);
    plan.push_back(plans);
    if (left_out > 0) plan.push_back(splits_if_skewed(left_out, false));
    plan.push_back(splits_if_skewed(digits - left_out, has_digits));
    plan.push_back(finish);
    return plan;
  }

  /// Returns how many elements large buckets may have, at most, for it to be faster to gather them than to
  /// sort all elements by all digits; 0 if large buckets are never gathered. `plan` is one of plan() for n
  /// elements, with any skewed ones.
  static Index most_gathered(const Plan& plan, Index n, BitRange range) {
    // In passes over all elements: on an H200 the way by buckets took as long as 3.5 (u32) to 3.9 (u64) of
    // them at 2^28 before buckets were sorted by counting, and moving elements there and back as about two
    // over those.
    constexpr double by_buckets = 3.6, there_and_back = 2;
    const int digits = range.digits(digit_bits);
    const double share = (digits * worth_of_pass(plan, n) - by_buckets) / (digits + there_and_back);
    return min(Index(max(share, 0.0) * double(n)), most_in_halves(n, range));
  }
  /// This says whether elements with rare keys are sorted apart from those with frequent ones.
  enum class Classed { if_it_pays, always, never };
  static ClassCosts class_costs(const Plan& plan, Index n, BitRange range,
                                Classed when = Classed::if_it_pays) {
    // In passes over all elements, of 16 frequent keys without rare ones (data/h200-radix-sorts/skew.json).
    constexpr double by_classes = 1.6;
    const Index most = most_in_halves(n, range);
    if (when == Classed::never) return {};
    if (when == Classed::always) return {n, -ClassCosts::passes_besides * n, most};
    return {Index(double(n) * worth_of_pass(plan, n)), Index(by_classes * double(n)), most};
  }

  /// Queues the sort of `input` into `output`; both have n elements and do not overlap.
  void run(ConstListOf<Element> input, ListOf<Element> output) {
    if (n_ == 0) return;
    const int lower = prefix_bits_ / 2, digits = range_.digits(digit_bits);
    const BitRange rest{range_.begin, range_.end - prefix_bits_};
    const Span<const Key> keys = keys_of(input);
    const RadixLists<Element> lists{input, output, other_.list()};
    const ListOf<Element> gathered = other_.list();
    const RadixLists<Element> gathered_lists{read_only(gathered), gathered, gathered.from(n_ / 2)};
    plan_.launch(
        0, Prefixes{keys, counts_.span(), {rest.end, prefix_bits_}, n_, threads_of_counts, prefix_bits_});
    plan_.launch(1, Buckets{counts_.span(),
                            buckets_.span(),
                            splits_.starts(),
                            splits_.passes(),
                            splits_.latest_parity(),
                            skewed(),
                            {rest.end, lower},
                            {rest.end + lower, prefix_bits_ - lower},
                            n_,
                            all_skewed_ ? 0 : u32(threads_ * elements_),
                            most_gathered_,
                            1 << digit_bits,
                            threads_of_counts});
    splits_.run_first(plan_, 2, lists, range_);
    splits_.run_later(plan_, 3, lists, 1, range_, rest.end);
    if (has_classes_) run_classes(keys, lists);
    const std::size_t next = has_classes_ ? 7 : 4, last = plan_.size() - 1;
    const DigitHistograms<Key> histograms{keys, histograms_.span(), which_skewed(), range_,
                                          n_,   threads_of_counts,  digit_bits,     digits};
    plan_.launch(next, Histograms{histograms, skewed(), read_only(output), gathered});
    const PlanPasses<> passes{histograms_.span(),
                              splits_.starts().from(passes_by_prefix << digit_bits),
                              splits_.passes().from(passes_by_prefix),
                              splits_.latest_parity(),
                              {tiles_taken_.data(), u64(digits)},
                              which_skewed(),
                              range_,
                              n_,
                              threads_of_splits,
                              digit_bits};
    plan_.launch(next + 1, Plans{passes, skewed()});
    for (int p = 0; p < digits; ++p)
      splits_.template run<SplitIfSkewed>(plan_, left_out_.contains(p) ? next + 2 : last - 1, lists,
                                          passes_by_prefix + p, tiles_taken(p), skewed(), gathered_lists);
    const Span<const u32> buckets{buckets_.data(), buckets_.size()};
    const bool by_all_bits = range_.begin == 0 && range_.end == key_bits<Key>;
    plan_.launch(last, Finish{output, buckets, skewed(), read_only(gathered), rest, threads_, elements_,
                              digit_bits, by_all_bits});
  }

  std::vector<KernelResources> kernels() const { return plan_.resources(); }

 private:
  static constexpr int digit_bits = PrefixShape::digit_bits, passes_by_prefix = PrefixShape::passes;
  static constexpr int threads_of_counts = PrefixShape::threads_of_counts;
  static constexpr int threads_of_splits = PrefixShape::threads_of_splits;

  /// Below, what the launches cost that look for frequent keys would be felt: three that end at once take
  /// some 7 µs, a fiftieth of a sort of so many u32.
  static constexpr Index least_with_classes = Index(1) << 24;

  static constexpr int usual_threads = 512, usual_elements = 17;
  static constexpr int usual_tile = usual_threads * usual_elements;

  static PrefixBuckets buckets_of(int threads, int elements, const PlanDevice& device) {
    return {threads * elements, that_fit(PrefixBuckets::usual_bits, device, Prefixes::shared_memory),
            least_common_bits<Element>(threads, elements)};
  }

  /// Returns whether frequent keys are looked for. Places of elements are words of 32 bits in the lists of
  /// SkewedKeys, and where a block has too little shared memory to keep its tile's classes, it has none for
  /// them.
  static bool has_classes(Index n, Index frequent, int split_elements, BitRange range,
                          const PlanDevice& device) {
    const int shared =
        SplitByClass<Element, u64>::shared_memory(threads_of_splits, split_elements, digit_bits);
    return (n >= least_with_classes || frequent > 0) && n >> 32 == 0 && most_in_halves(n, range) > 0 &&
           shared <= device.shared_bytes_per_block;
  }
  /// Behind those by prefixes and by digits.
  static int pass_by_class(BitRange range) { return passes_by_prefix + range.digits(digit_bits); }

  /// How many elements can be sorted apart, in the halves of the work space. After an odd number of passes,
  /// they would not be where they are put back from (PlanSkewedPasses).
  static Index most_in_halves(Index n, BitRange range) {
    return range.digits(digit_bits) % 2 == 0 ? n / 2 : 0;
  }
  /// Returns what is saved by a pass that few elements make instead of all: it takes a wave of tiles at
  /// least.
  static double worth_of_pass(const Plan& plan, Index n) {
    const Launch& pass = plan[plan.size() - 2];
    return 1 - pass.tile * double(pass.blocks) / double(n);
  }

  /// The launches 4 to 6: where all elements would be sorted by all digits, the classes that frequent keys
  /// make, and the pass by them.
  void run_classes(Span<const Key> keys, const RadixLists<Element>& lists) {
    const int pass = pass_by_class(range_);
    const FrequentKeys<Key> frequent{frequent_bits_.span(), frequent_count_.span()};
    plan_.launch(4, Classes{keys, which_skewed(), frequent, class_counts_.span(), range_, n_, class_costs_,
                            digit_bits, threads_of_counts});
    plan_.launch(5,
                 PlansOfClasses{class_counts_.span(),
                                {frequent_count_.data(), 1},
                                {splits_.starts().data + (Index(pass) << digit_bits), u64(1) << digit_bits},
                                splits_.passes().from(pass),
                                splits_.latest_parity(),
                                tiles_taken(range_.digits(digit_bits)),
                                buckets_.span(),
                                skewed(),
                                class_costs_,
                                range_.digits(digit_bits),
                                threads_of_counts});
    splits_.template run<SplitByClass>(plan_, 6, lists, pass, tiles_taken(range_.digits(digit_bits)),
                                       frequent, range_);
  }

  /// Large buckets, each of more elements than a block sorts, or else the classes of rare keys.
  Index most_large_buckets() const {
    return max(min(Index(1) << prefix_bits_, n_ / (Index(threads_) * elements_)),
               Index(FrequentKeys<Key>::most + 1));
  }
  Span<u32> tiles_taken(int pass) { return {tiles_taken_.data() + pass, 1}; }
  Span<const u32> which_skewed() const { return {which_skewed_.data(), 1}; }
  SkewedKeys skewed() const {
    const u64 each = u64(most_large_buckets()) + 1;
    return {which_skewed_.span(),
            skewed_count_.span(),
            {skewed_buckets_.data(), each},
            {skewed_buckets_.data() + each, each}};
  }

  Index n_;
  int threads_, elements_;
  bool all_skewed_, has_classes_;
  PassesLeftOut left_out_;  ///< where keys are skewed
  BitRange range_;
  int prefix_bits_;
  PreparedPlan plan_;
  Index most_gathered_;
  ClassCosts class_costs_;
  Splits splits_;
  DeviceList<Element> other_;
  DeviceArray<u64> histograms_;
  DeviceArray<u64> counts_;
  DeviceArray<u32> buckets_;
  DeviceArray<u32> which_skewed_, skewed_count_, skewed_buckets_;  // SkewedKeys
  DeviceArray<u32> tiles_taken_;            // of each of the passes by all digits, and of that by class
  DeviceArray<BitsOf<Key>> frequent_bits_;  // FrequentKeys
  DeviceArray<u32> frequent_count_;
  DeviceArray<u64> class_counts_;
};

}  // namespace fathom
