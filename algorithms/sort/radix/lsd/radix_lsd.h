// SPDX-License-Identifier: Apache-2.0
// Radix sort on the device from the least significant digit (merrill2010): per digit, three kernels.
#pragma once

#include <fathom/algorithms/launch.h>
#include <fathom/algorithms/sort/device_list.h>
#include <fathom/algorithms/sort/radix/lsd/count_digits.h>
#include <fathom/algorithms/sort/radix/lsd/rank_and_scatter.h>
#include <fathom/algorithms/sort/radix/lsd/scan_counts.h>
#include <fathom/device/prepared_plan.h>

#include <algorithm>

namespace fathom {

/// The kernels and work space for sorting up to n elements by the bits [begin, end) of their keys, stably.
/// Element: a key with digits (digits.h), or a record of such a key and a value of whole words.
///
/// Blocks are as many as the device runs at a time, and each has the same share of the tiles in the first
/// kernel and the last.
template <class Element>
class RadixLsd {
  using Key = KeyOf<Element>;
  using Bits = BitsOf<Key>;
  using Count = CountDigits<Bits>;
  using Scan = ScanCounts<>;
  using Scatter = RankAndScatter<AsBits<Element>>;

 public:
  /// Digits of 1 to 8 bits; `threads` per block, up to 256, a multiple of the warp's width; tiles of threads
  /// · elements, at most 65535.
  RadixLsd(Executor& executor, Index n, int digit_bits, int threads, int elements,
           BitRange bits = BitRange::all<Key>())
      : n_(n),
        digit_bits_(digit_bits),
        threads_(threads),
        elements_(elements),
        bits_(bits),
        plan_(executor, plan(n, digit_bits, threads, elements, executor.plan_device(), bits)),
        other_(executor, std::size_t(n)),
        counts_(executor, std::size_t(plan_[0].blocks) << digit_bits),
        totals_(executor, std::size_t(1) << digit_bits) {}

  /// The three kernels, each once for every digit.
  static Plan plan(Index n, int digit_bits, int threads, int elements, const PlanDevice& device,
                   BitRange bits = BitRange::all<Key>()) {
    const double passes = double(bits.digits(digit_bits));
    const Launch one_block =
        launch_of<Scatter>(n, 1, {threads, Scatter::shared_memory(threads, elements, digit_bits)},
                           {threads, elements, digit_bits}, passes);
    const Launch scatter =
        with_resident_blocks(with_room_in_l1(one_block, device), n, Index(threads) * elements, device);
    Launch count = launch_of<Count>(n, scatter.blocks, {threads, Count::shared_memory(threads, digit_bits)},
                                    {threads, elements, digit_bits}, passes);
    count.grid = scatter.grid;
    count.tile = scatter.tile;
    const Launch scan = launch_of<Scan>(scatter.blocks << digit_bits, Index(1) << digit_bits,
                                        {threads_of_scan, Scan::shared_memory()}, {threads_of_scan}, passes);
    return {count, scan, scatter};
  }

  /// Queues the sort of `input` into `output`; both have n elements and do not overlap.
  void run(ConstListOf<Element> input, ListOf<Element> output) {
    if (n_ == 0) return;
    const Index blocks = plan_[0].blocks, all = tiles(n_, threads_, elements_);
    const TileShares shares{all / blocks, all % blocks};
    const Span<const u64> offsets{counts_.data(), counts_.size()}, totals{totals_.data(), totals_.size()};
    // Passes alternate between two arrays so that the last one writes to `output`.
    auto to = as_bits(output), other = as_bits(other_.list());
    if (bits_.digits(digit_bits_) % 2 == 0) std::swap(to, other);
    auto from = as_bits(input);
    for (int first = bits_.begin; first < bits_.end; first += digit_bits_) {
      const auto digit =
          DigitOfBits<Bits>::template of_keys<Key>({first, std::min(digit_bits_, bits_.end - first)});
      plan_.launch(0,
                   Count{keys_of(from), counts_.span(), n_, shares, digit, threads_, elements_, digit_bits_});
      plan_.launch(1, Scan{counts_.span(), totals_.span(), blocks, threads_of_scan});
      plan_.launch(2,
                   Scatter{from, to, offsets, totals, n_, shares, digit, threads_, elements_, digit_bits_});
      from = read_only(to);
      std::swap(to, other);
    }
  }

  std::vector<KernelResources> kernels() const { return plan_.resources(); }

 private:
  static constexpr int threads_of_scan = 512;

  static Index tiles(Index n, int threads, int elements) { return ceil_div(n, Index(threads) * elements); }

  Index n_;
  int digit_bits_, threads_, elements_;
  BitRange bits_;
  PreparedPlan plan_;
  DeviceList<Element> other_;
  DeviceArray<u64> counts_;  // then offsets
  DeviceArray<u64> totals_;
};

}  // namespace fathom
