#include <fathom/algorithms/check/check.h>
#include <fathom/algorithms/check/check_scan.h>
#include <fathom/algorithms/check/conflict_heavy.h>
#include <fathom/algorithms/check/reduce_runs.h>
#include <fathom/algorithms/kernel_source.h>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>
#include <numeric>
#include <sstream>

namespace fathom {
namespace {

constexpr BlockShape shape{256};

/// A grid that strides over n elements: enough blocks to fill the device, no more than there is work for.
Index grid(const Executor& executor, u64 n) {
  return std::clamp<Index>(divide_up(Index(n), shape.threads), 1, Index(executor.multiprocessors()) * 8);
}

Pattern pattern_of(Input input) {
  switch (input) {
    case Input::random:
      return Pattern::random;
    case Input::sorted:
      return Pattern::sorted;
    case Input::reverse:
      return Pattern::reverse;
    case Input::nearly_sorted:
      return Pattern::nearly_sorted;
    case Input::few_unique:
      return Pattern::few_unique;
    case Input::equal:
      return Pattern::equal;
    case Input::zipf:
      return Pattern::zipf;
    case Input::conflict_heavy:
      break;  // no element is a function of its index alone
  }
  throw std::invalid_argument("unknown input pattern");
}

/// Runs a kernel that adds into zeroed counters, and reads them.
template <class Kernel>
std::vector<u64> count_with(Executor& executor, const KernelSource& source, Kernel kernel,
                            Span<u64> Kernel::*counters, std::size_t how_many, u64 n) {
  const DeviceArray<u64> array(executor, how_many);
  executor.fill(array.data(), 0, array.bytes());
  kernel.*counters = array.span();
  executor.launch(*executor.prepare<Kernel>(source, shape), grid(executor, n), kernel);
  return array.download();
}

/// The input in runs of equal length, each reduced by itself.
template <class T>
struct Runs {
  static constexpr Index length = 1024;
  std::vector<Wide<T>> results;
  std::vector<double> magnitudes;
};

template <class T, class Operator>
Runs<T> reduce_runs(Executor& executor, Span<const T> input) {
  using Kernel = ReduceRuns<T, Operator>;
  const std::size_t count = std::size_t(divide_up(Index(input.count), Runs<T>::length));
  const DeviceArray<Wide<T>> results(executor, count);
  const DeviceArray<double> magnitudes(executor, count);
  executor.launch(
      *executor.prepare<Kernel>(kernel_source<T, Operator>("check/reduce_runs.h", "ReduceRuns"), shape),
      grid(executor, count), Kernel{input, results.span(), magnitudes.span(), Runs<T>::length});
  return {results.download(), magnitudes.download()};
}

/// The error that rounding allows, as a multiple of Σ|x|: the result's own, and that of the reference, whose
/// elements go through the additions of their run, then through those of the runs.
template <class T>
double tolerance(const Runs<T>& runs, Index depth) {
  if constexpr (std::is_floating_point_v<T>) {
    const double reference_depth = double(Runs<T>::length) + double(runs.results.size());
    if (depth > 0)
      return double(depth) * std::numeric_limits<T>::epsilon() +
             reference_depth * std::numeric_limits<Wide<T>>::epsilon();
  }
  return 0;
}

template <class T>
bool within(const T& found, const Wide<T>& expected, double error) {
  if constexpr (std::is_floating_point_v<T>)
    return std::abs(double(found) - double(expected)) <= error;
  else
    return found == expected;
}

template <class T>
std::string text(const T& value) {
  std::ostringstream stream;
  stream << std::setprecision(17) << value;
  return stream.str();
}
std::string text(const Pair& pair) {
  return "(" + text(pair.first) + ", " + text(pair.second) + ")";
}

/// Elements of a scan that are wrong, where its sums round.
template <class T, class Operator>
u64 count_wrong_by_reference(Executor& executor, Span<const T> input, Span<const T> output, Index depth) {
  using Kernel = CheckRoundedScan<T, Operator>;
  Runs<T> runs = reduce_runs<T, Operator>(executor, input);
  std::exclusive_scan(runs.results.begin(), runs.results.end(), runs.results.begin(),
                      identity_of<Operator, Wide<T>>(), Operator{});
  std::exclusive_scan(runs.magnitudes.begin(), runs.magnitudes.end(), runs.magnitudes.begin(), 0.0);
  const DeviceArray<Wide<T>> before(executor, std::span<const Wide<T>>(runs.results));
  const DeviceArray<double> magnitudes(executor, std::span<const double>(runs.magnitudes));
  return count_with(executor, kernel_source<T, Operator>("check/check_scan.h", "CheckRoundedScan"),
                    Kernel{input,
                           output,
                           {before.data(), before.size()},
                           {magnitudes.data(), magnitudes.size()},
                           Runs<T>::length,
                           tolerance<T>(runs, depth),
                           {}},
                    &Kernel::wrong, 1, before.size())[0];
}

template <class T, class Operator>
u64 count_wrong(Executor& executor, Span<const T> input, Span<const T> output, Index depth) {
  if constexpr (std::is_floating_point_v<T>)
    if (depth > 0) return count_wrong_by_reference<T, Operator>(executor, input, output, depth);
  using Kernel = CheckScan<T, Operator>;
  return count_with(executor, kernel_source<T, Operator>("check/check_scan.h", "CheckScan"),
                    Kernel{input, output, {}}, &Kernel::wrong, 1, input.count)[0];
}

template <class T>
void fill_conflict_heavy(Executor& executor, Span<T> output, TileShape tile) {
  using Kernel = ConflictHeavy<T>;
  const auto kernel =
      executor.prepare<Kernel>(kernel_source<T>("check/conflict_heavy.h", "ConflictHeavy"), shape);
  Index longest_run = tile.elements;
  while (2 * longest_run < Index(output.count)) longest_run *= 2;
  executor.launch(*kernel, grid(executor, output.count),
                  Kernel{output, longest_run, tile.threads, tile.elements});
}

}  // namespace

template <class T>
void fill_input(Executor& executor, Span<T> output, Input input, TileShape tile) {
  if (input == Input::conflict_heavy) return fill_conflict_heavy(executor, output, tile);
  using Kernel = FillInput<T>;
  const auto kernel = executor.prepare<Kernel>(kernel_source<T>("check/fill_input.h", "FillInput"), shape);
  executor.launch(*kernel, grid(executor, output.count), Kernel{output, pattern_of(input)});
}

template <class Key, class LessThan>
KeyDigest digest_keys(Executor& executor, Span<const Key> keys) {
  using Kernel = DigestKeys<Key, LessThan>;
  const auto sums = count_with(executor, kernel_source<Key, LessThan>("check/digest_keys.h", "DigestKeys"),
                               Kernel{keys, {}}, &Kernel::digest, 3, keys.count);
  return {sums[0], sums[1], sums[2]};
}

template <class Key, class LessThan>
void check_sorted(Executor& executor, Span<const Key> input, Span<const Key> output) {
  const KeyDigest before = digest_keys<Key, LessThan>(executor, input);
  const KeyDigest after = digest_keys<Key, LessThan>(executor, output);
  if (after.out_of_order > 0)
    throw KernelFailure("wrong result: " + std::to_string(after.out_of_order) + " of " +
                        std::to_string(output.count) + " keys are out of order");
  if (!after.same_keys(before))
    throw KernelFailure("wrong result: the output is sorted, but of other keys than the input");
}

Index rounding_depth(Input input, Index depth) {
  return input == Input::random ? 0 : depth;
}

template <class T, class Operator>
void check_reduction(Executor& executor, Span<const T> input, Span<const T> output, Index depth) {
  const Runs<T> runs = reduce_runs<T, Operator>(executor, input);
  Wide<T> expected = identity_of<Operator, Wide<T>>();
  for (const Wide<T>& result : runs.results) expected = Operator{}(expected, result);
  const double magnitudes = std::accumulate(runs.magnitudes.begin(), runs.magnitudes.end(), 0.0);
  T found;
  executor.download(&found, output.data, sizeof found);
  if (!within(found, expected, tolerance<T>(runs, depth) * magnitudes))
    throw KernelFailure("wrong result: " + text(found) + " for the reduction of " +
                        std::to_string(input.count) + " elements, which is " + text(expected));
}

template <class T, class Operator>
void check_exclusive_scan(Executor& executor, Span<const T> input, Span<const T> output, Index depth) {
  const u64 wrong = count_wrong<T, Operator>(executor, input, output, depth);
  if (wrong > 0)
    throw KernelFailure("wrong result: " + std::to_string(wrong) + " of " + std::to_string(input.count) +
                        " elements differ from the definition of the scan");
}

template KeyDigest digest_keys<u32, Less>(Executor&, Span<const u32>);
template KeyDigest digest_keys<u64, Less>(Executor&, Span<const u64>);
template void check_sorted<u32, Less>(Executor&, Span<const u32>, Span<const u32>);
template void check_sorted<u64, Less>(Executor&, Span<const u64>, Span<const u64>);

#define FATHOM_CHECKS_OF_VALUES(T)                                                        \
  template void fill_input(Executor&, Span<T>, Input, TileShape);                         \
  template void check_reduction<T, Plus>(Executor&, Span<const T>, Span<const T>, Index); \
  template void check_exclusive_scan<T, Plus>(Executor&, Span<const T>, Span<const T>, Index);
FATHOM_CHECKS_OF_VALUES(u32)
FATHOM_CHECKS_OF_VALUES(u64)
FATHOM_CHECKS_OF_VALUES(f32)
FATHOM_CHECKS_OF_VALUES(f64)
FATHOM_CHECKS_OF_VALUES(Pair)
#undef FATHOM_CHECKS_OF_VALUES

}  // namespace fathom
