// SPDX-License-Identifier: Apache-2.0
#include "block_cases.h"

#include "block_kernels.h"

#include <fathom/algorithms/launch.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace fathom {
std::span<const HeaderText> block_kernel_headers();  // generated: cmake/EmbedText.cmake
}

namespace {

using namespace fathom;
using namespace block_kernels;

using Values = std::vector<u32>;

std::span<const HeaderText> all_headers() {
  static const std::vector<HeaderText> all = [] {
    std::vector<HeaderText> texts(kernel_headers().begin(), kernel_headers().end());
    texts.insert(texts.end(), block_kernel_headers().begin(), block_kernel_headers().end());
    return texts;
  }();
  return all;
}

/// The shape of a block, and how many elements of the tile there are.
struct Shape {
  int threads, elements, count;

  int size() const { return threads * elements; }
  int a_count() const { return count / 3; }
};

struct Expectation {
  /// Elements of the input for a count.
  std::function<int(const Shape&)> inputs;
  /// Brings random input into the form that the primitive asks for.
  std::function<void(Values&, const Shape&)> prepare;
  /// The beginning of the output. What follows must be as before.
  std::function<Values(const Values&, const Shape&)> output;
};

int count_of(const Shape& shape) {
  return shape.count;
}
int threads_of(const Shape& shape) {
  return shape.threads;
}
void as_it_is(Values&, const Shape&) {}
void sort_lists(Values& values, const Shape& shape) {
  std::sort(values.begin(), values.begin() + shape.a_count());
  std::sort(values.begin() + shape.a_count(), values.end());
}
/// So that the first list has the least elements.
void sort_all(Values& values, const Shape&) {
  std::sort(values.begin(), values.end());
}

template <class Kernel>
int shared_memory(const Shape& shape) {
  if constexpr (requires { Kernel::shared_memory(1, 1); })
    return Kernel::shared_memory(shape.threads, shape.elements);
  return 0;
}

/// One launch; says what is wrong with its output.
template <class Primitive>
std::string run_once(Executor& executor, const Launch& launch, const Shape& shape, const Values& values,
                     const Values& expected) {
  constexpr u32 untouched = 0x55555555;
  const DeviceArray<u32> input(executor, std::span<const u32>(values));
  const DeviceArray<u32> output(executor, std::size_t(2 * shape.size()));
  executor.fill(output.data(), untouched & 0xff, output.bytes());
  executor.launch(
      *executor.prepare(launch), launch.blocks,
      OnTile<Primitive>{
          {input.data(), input.size()}, output.span(), shape.count, shape.threads, shape.elements});
  executor.synchronize();
  const Values found = output.download();
  for (std::size_t i = 0; i < found.size(); ++i)
    if (const u32 right = i < expected.size() ? expected[i] : untouched; found[i] != right)
      return "of " + std::to_string(shape.count) + " elements, output " + std::to_string(i) + " is " +
             std::to_string(found[i]) + ", should be " + std::to_string(right);
  return "";
}

/// For random input, and for one with few different values, of counts around a warp and a tile.
template <class Primitive>
BlockCase make_case(int threads, int elements, Expectation expected) {
  const Shape whole{threads, elements, threads * elements};
  const Launch launch = make_launch<OnTile<Primitive>, all_headers>(
      1, {threads, shared_memory<Primitive>(whole)}, {threads, elements});
  return {
      struct_name(type_name(typeid(Primitive))) + ", " + std::to_string(threads) + " threads of " +
          std::to_string(elements) + " elements",
      launch, [=](Executor& executor) -> std::string {
        std::mt19937 random(1);
        for (const int count : {1, 31, 32, 33, 64, 65, whole.size() / 2 + 1, whole.size() - 1, whole.size()})
          for (const u32 values : {~0u, 7u}) {
            if (count > whole.size()) continue;
            const Shape shape{threads, elements, count};
            Values input(std::size_t(expected.inputs(shape)));
            for (u32& value : input) value = random() & values;
            expected.prepare(input, shape);
            const std::string wrong =
                run_once<Primitive>(executor, launch, shape, input, expected.output(input, shape));
            if (!wrong.empty()) return wrong;
          }
        return "";
      }};
}

/// Inclusive prefixes of groups of neighbours.
Values scanned(const Values& input, int group_size) {
  Values prefixes = input;
  for (std::size_t i = 0; i < prefixes.size(); ++i)
    if (i % std::size_t(group_size) != 0) prefixes[i] = Compose{}(prefixes[i - 1], prefixes[i]);
  return prefixes;
}

Values merged(const Values& input, const Shape& shape) {
  Values output(input.size());
  std::merge(input.begin(), input.begin() + shape.a_count(), input.begin() + shape.a_count(), input.end(),
             output.begin());
  return output;
}

/// Places in `input`, sorted by `less` of the values there.
template <class LessThan>
Values sorted_places(const Values& input, LessThan less) {
  Values places(input.size());
  std::iota(places.begin(), places.end(), 0u);
  std::stable_sort(places.begin(), places.end(), [&](u32 a, u32 b) { return less(input[a], input[b]); });
  return places;
}

/// Of each number of merged elements those from the first list.
Values from_first(const Values& input, const Shape& shape) {
  Values counts{0};
  for (const u32 place : sorted_places(input, std::less<>{}))
    counts.push_back(counts.back() + u32(place < u32(shape.a_count())));
  return counts;
}

Values sorted_by_digits(const Values& input, const Shape&) {
  Values output = input;
  std::stable_sort(output.begin(), output.end(),
                   [](u32 a, u32 b) { return sorted_bits.of(a) < sorted_bits.of(b); });
  return output;
}

Values sorted_digits(const Values& input, const Shape& shape) {
  Values output;
  for (const u32 number : input) output.push_back(u32(RankInAnyOrder::digit.of(number)));
  std::ranges::sort(output);
  output.resize(std::size_t(shape.size()), RankInAnyOrder::padding);
  return output;
}

/// Keys of 200 values that are spread over the last bits, if not of few, which are less than 8.
template <int last_bits>
void spread_evenly(Values& keys, const Shape&) {
  for (u32& key : keys)
    if (key > 7) key = (8 + key % 200 * 5000) << (last_bits - 20);
}
/// Stably, but as they are if one thread would have too many keys, as all that are less than 8 have one, or
/// if words have no room for places.
template <int last_bits>
Values sorted_with_places(const Values& keys, const Shape& shape) {
  using Record = fathom::Record<u32, u32>;
  constexpr auto most = int(BlockValueSort<u32, Number, Number>::most_of_thread);
  const int least_common_bits =
      BlockRecordSort<Record, Number, Number>::least_common_bits(shape.threads, shape.elements);
  const bool refused =
      (std::ranges::max(keys) < 8 && shape.count > most) || 32 - last_bits < least_common_bits;
  Values places(keys.size());
  std::iota(places.begin(), places.end(), 0u);
  if (!refused) std::ranges::stable_sort(places, {}, [&](u32 place) { return keys[place]; });
  Values output;
  for (const u32 place : places) output.push_back(keys[place] | common_bits<last_bits>);
  output.insert(output.end(), places.begin(), places.end());
  return output;
}

/// Each thread's elements in order; of the last thread with elements, also copies of its largest.
Values sorted_by_thread(const Values& input, const Shape& shape) {
  Values output = input;
  for (auto begin = output.begin(); begin < output.end();) {
    const auto end = begin + std::min<std::ptrdiff_t>(shape.elements, output.end() - begin);
    std::sort(begin, end);
    begin = end;
  }
  while (output.size() % std::size_t(shape.elements) != 0) output.push_back(output.back());
  return output;
}

/// How many of the first elements of all lists, by rank and then by list, are in each.
Values selected(const Values& input, const Shape& shape) {
  Values output;
  for (int thread = 0; thread < shape.threads; thread += group) {
    const Values places = sorted_places(input, std::less<>{});
    Values counts(group);
    for (Index i = 0; i < SelectFromLists::rank_of(thread, shape.count); ++i)
      ++counts[places[std::size_t(i)] / u32(shape.count)];
    output.insert(output.end(), counts.begin(), counts.end());
  }
  return output;
}

/// Of a value for each thread, or for each element.
using Output = std::function<Values(const Values&, const Shape&)>;
Expectation of_threads(Output output) {
  return {threads_of, as_it_is, std::move(output)};
}
Expectation of_elements(Output output) {
  return {count_of, as_it_is, std::move(output)};
}

Values scanned_block(const Values& input, const Shape& shape) {
  const Values prefixes = scanned(input, shape.threads);
  Values output{Compose::identity<u32>()};
  output.insert(output.end(), prefixes.begin(), prefixes.end() - 1);
  output.resize(2 * prefixes.size(), prefixes.back());
  return output;
}
Values counted(const Values& input, const Shape&) {
  Values counts(group);
  for (u32 value : input) ++counts[value % group];
  return counts;
}
Values sorted(Values input, const Shape&) {
  std::sort(input.begin(), input.end());
  return input;
}
void sort_each_list(Values& values, const Shape& shape) {
  for (auto list = values.begin(); list < values.end(); list += shape.count)
    std::sort(list, list + shape.count);
}

}  // namespace

std::vector<BlockCase> block_cases() {
  const auto copy = [](const Values& input, const Shape&) { return input; };
  const auto scan_by = [](int size) {
    return [=](const Values& input, const Shape&) { return scanned(input, size); };
  };
  const auto total = [](const Values& input, const Shape& shape) {
    return Values{scanned(input, shape.threads).back()};
  };
  const auto places = [](const Values& input, const Shape&) { return sorted_places(input, std::less<>{}); };
  const Expectation merge{count_of, sort_lists, merged};
  return {
      make_case<ScanWarp>(96, 1, of_threads(scan_by(warp_width))),
      make_case<ScanLanes>(64, 1, of_threads(scan_by(group))),
      make_case<ScanBlock>(160, 1, of_threads(scanned_block)),
      make_case<ReduceBlock>(160, 1, of_threads(total)),
      make_case<CountInGrid>(64, 12, of_elements(counted)),
      make_case<LoadConsecutive>(64, 5, of_elements(copy)),
      make_case<SortThreads>(64, 7, of_elements(sorted_by_thread)),
      make_case<ExchangeLayouts>(64, 8, of_elements(copy)),
      make_case<MergeShares>(64, 5, merge),
      make_case<MergeShares>(32, 16, merge),
      make_case<SplitByWarp>(64, 5, {count_of, sort_lists, from_first}),
      make_case<SplitByWarp>(64, 5, {count_of, sort_all, from_first}),
      make_case<MergeRecords>(64, 5, {count_of, sort_lists, places}),
      make_case<MergeWithoutConflicts>(64, 8, merge),
      make_case<MergeWithoutConflicts>(64, 32, merge),
      make_case<SortByMerges>(128, 7, of_elements(sorted)),
      make_case<SortByDigits>(64, 9, of_elements(sorted_by_digits)),
      make_case<RankInAnyOrder>(64, 9, of_elements(sorted_digits)),
      make_case<RankInAnyOrder>(96, 5, {count_of, sort_all, sorted_digits}),
      make_case<SortWithPlaces<20>>(64, 9, {count_of, spread_evenly<20>, sorted_with_places<20>}),
      make_case<SortWithPlaces<20>>(96, 6, {count_of, spread_evenly<20>, sorted_with_places<20>}),
      make_case<SortWithPlaces<28>>(64, 9, {count_of, spread_evenly<28>, sorted_with_places<28>}),
      make_case<SortWithPlaces<29>>(64, 9, {count_of, spread_evenly<29>, sorted_with_places<29>}),
      make_case<SelectFromLists>(
          32, 9, {[](const Shape& shape) { return group * shape.count; }, sort_each_list, selected}),
  };
}
