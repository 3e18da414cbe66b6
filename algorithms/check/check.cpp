#include <fathom/algorithms/check/check.h>
#include <fathom/algorithms/check/check_scan.h>
#include <fathom/algorithms/kernel_source.h>

#include <algorithm>

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

}  // namespace

template <class T>
void fill_input(Executor& executor, Span<T> output, Input input) {
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

template <class T, class Operator>
void check_exclusive_scan(Executor& executor, Span<const T> input, Span<const T> output) {
  using Kernel = CheckScan<T, Operator>;
  const u64 wrong = count_with(executor, kernel_source<T, Operator>("check/check_scan.h", "CheckScan"),
                               Kernel{input, output, {}}, &Kernel::wrong, 1, input.count)[0];
  if (wrong > 0)
    throw KernelFailure("wrong result: " + std::to_string(wrong) + " of " + std::to_string(input.count) +
                        " elements differ from the definition of the scan");
}

template void fill_input(Executor&, Span<u32>, Input);
template void fill_input(Executor&, Span<u64>, Input);
template KeyDigest digest_keys<u32, Less>(Executor&, Span<const u32>);
template KeyDigest digest_keys<u64, Less>(Executor&, Span<const u64>);
template void check_sorted<u32, Less>(Executor&, Span<const u32>, Span<const u32>);
template void check_sorted<u64, Less>(Executor&, Span<const u64>, Span<const u64>);
template void check_exclusive_scan<u32, Plus>(Executor&, Span<const u32>, Span<const u32>);
template void check_exclusive_scan<u64, Plus>(Executor&, Span<const u64>, Span<const u64>);

}  // namespace fathom
