// SPDX-License-Identifier: Apache-2.0
// The radix sort of few elements on the device.
#pragma once

#include <fathom/algorithms/launch.h>
#include <fathom/algorithms/sort/device_list.h>
#include <fathom/algorithms/sort/radix/single/sort_in_one_block.h>
#include <fathom/device/prepared_plan.h>

#include <stdexcept>
#include <string>

namespace fathom {

/// The kernel and work space for sorting up to n elements, keys or records, stably, by a range of bits of
/// their keys, with one block. Made for what fits in its tile of threads × elements, which takes as long as
/// passes over a tile in shared memory do, whatever n; more elements are sorted at the speed of one
/// multiprocessor.
template <class Element>
class RadixSingle {
  using Sort = SortInOneBlock<Element>;

 public:
  /// `threads` is a multiple of the warp's width and at least 2^bits. Throws std::invalid_argument otherwise.
  RadixSingle(Executor& executor, Index n, int bits, int threads, int elements,
              BitRange range = BitRange::all<KeyOf<Element>>())
      : n_(n),
        bits_(bits),
        threads_(threads),
        elements_(elements),
        range_(range),
        plan_(executor, plan(n, bits, threads, elements, range, executor.plan_device())),
        other_(executor, n > Index(threads) * elements ? std::size_t(n) : 0) {}

  static Plan plan(Index n, int bits, int threads, int elements, BitRange, const PlanDevice&) {
    if (threads < 1 << bits)
      throw std::invalid_argument("radix-single: " + std::to_string(threads) +
                                  " threads are fewer than the " + std::to_string(1 << bits) +
                                  " values of a digit: set t to that at least, or d to less");
    Launch launch = launch_of<Sort>(n, 1, {threads, Sort::shared_memory(threads, elements, bits)},
                                    {threads, elements, bits});
    // An input that fits in a tile takes other work for an element than one that does not.
    if (const Index tile = Index(threads) * elements; n <= tile) {
      launch.kernel = &variant_of(*launch.kernel, 1);
      launch.largest_n = double(tile);
    }
    return {launch};
  }

  /// Queues the sort of `input` into `output`; both have n elements and do not overlap.
  void run(ConstListOf<Element> input, ListOf<Element> output) {
    if (n_ == 0) return;
    plan_.launch(0, Sort{input, output, other_.list(), range_, n_, threads_, elements_, bits_});
  }

  std::vector<KernelResources> kernels() const { return plan_.resources(); }

 private:
  Index n_;
  int bits_, threads_, elements_;
  BitRange range_;
  PreparedPlan plan_;
  DeviceList<Element> other_;
};

}  // namespace fathom
