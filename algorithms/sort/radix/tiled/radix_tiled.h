// SPDX-License-Identifier: Apache-2.0
// The radix sort that merrill2010 compares with, of Satish, Harris and Garland: tiles are sorted by a digit
// before they are scattered.
#pragma once

#include <fathom/algorithms/scan/matrix/scan_matrix.h>
#include <fathom/algorithms/sort/device_list.h>
#include <fathom/algorithms/sort/radix/tiled/histogram_tiles.h>
#include <fathom/algorithms/sort/radix/tiled/scatter_tiles.h>
#include <fathom/algorithms/sort/radix/tiled/split_tiles.h>

namespace fathom {

/// The kernels and work space for sorting up to n elements by the bits [begin, end) of their keys, stably.
/// Element: a key with digits (digits.h), or a record of such a key and a value of whole words. Histograms of
/// all tiles are scanned together, in 64 bits, by the matrix scan.
template <class Element>
class RadixTiled {
  using Key = KeyOf<Element>;
  using Bits = BitsOf<Key>;
  using Split = SplitTiles<AsBits<Element>>;
  using Histogram = HistogramTiles<Bits>;
  using Scan = ScanMatrix<u64, Plus>;
  using Scatter = ScatterTiles<AsBits<Element>>;

 public:
  /// Digits of 1 to 8 bits; `threads` per block, a multiple of the warp's width; tiles of threads · elements,
  /// of at most 32 elements per thread.
  RadixTiled(Executor& executor, Index n, int digit_bits, int threads, int elements,
             BitRange bits = BitRange::all<Key>())
      : n_(n),
        digit_bits_(digit_bits),
        threads_(threads),
        elements_(elements),
        bits_(bits),
        plan_(executor, plan(n, digit_bits, threads, elements, executor.plan_device(), bits)),
        other_(executor, std::size_t(n)),
        counts_(executor, std::size_t(plan_[0].blocks) << digit_bits),
        starts_(executor, counts_.size()),
        scan_(executor, Index(counts_.size()), scan_threads, scan_rows) {}

  /// The split, the histogram, the three launches of the scan, and the scatter, each once for every digit.
  static Plan plan(Index n, int digit_bits, int threads, int elements, const PlanDevice& device,
                   BitRange bits = BitRange::all<Key>()) {
    const Index tile = Index(threads) * elements, tiles = std::max<Index>(1, ceil_div(n, tile));
    const double passes = double(bits.digits(digit_bits));
    const int digits = 1 << digit_bits;
    Plan plan{
        launch_of_tiles<Split>(n, tile, {threads, Split::shared_memory(threads, elements)},
                               {threads, elements}),
        launch_of_tiles<Histogram>(n, tile, {threads, Histogram::shared_memory(threads, elements, digits)},
                                   {threads, elements}),
        launch_of_tiles<Scatter>(n, tile, {threads, Scatter::shared_memory(digits)}, {threads, elements})};
    for (Launch& launch : plan) launch.blocks = tiles;
    for (const Launch& launch : Scan::plan(tiles << digit_bits, scan_threads, scan_rows, device))
      plan.push_back(launch);
    std::rotate(plan.begin() + 2, plan.begin() + 3, plan.end());
    for (Launch& launch : plan) launch.repeats = passes;
    return plan;
  }

  /// Queues the sort of `input` into `output`; both have n elements and do not overlap.
  void run(ConstListOf<Element> input, ListOf<Element> output) {
    if (n_ == 0) return;
    const auto sorted = as_bits(other_.list()), to = as_bits(output);
    auto from = as_bits(input);
    const Span<const u64> counts{counts_.data(), counts_.size()};
    const Span<const u32> starts{starts_.data(), starts_.size()};
    const int digits = 1 << digit_bits_;
    for (int first = bits_.begin; first < bits_.end; first += digit_bits_) {
      const int bits = std::min(digit_bits_, bits_.end - first);
      const auto digit = DigitOfBits<Bits>::template of_keys<Key>({first, bits});
      plan_.launch(0, Split{from, sorted, n_, digit, bits, threads_, elements_});
      plan_.launch(1, Histogram{keys_of(read_only(sorted)), counts_.span(), starts_.span(), n_, digit, digits,
                                threads_, elements_});
      scan_.run(counts, counts_.span());
      plan_.launch(plan_.size() - 1,
                   Scatter{read_only(sorted), to, counts, starts, n_, digit, digits, threads_, elements_});
      from = read_only(to);
    }
  }

  std::vector<KernelResources> kernels() const { return plan_.resources(); }

 private:
  static constexpr int scan_threads = 256, scan_rows = 8;

  Index n_;
  int digit_bits_, threads_, elements_;
  BitRange bits_;
  PreparedPlan plan_;
  DeviceList<Element> other_;
  DeviceArray<u64> counts_;
  DeviceArray<u32> starts_;
  Scan scan_;
};

}  // namespace fathom
