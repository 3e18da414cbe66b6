// SPDX-License-Identifier: Apache-2.0
// The sequential-parallel scan on the device (nakano2012): groups one after another, each by interval sums.
#pragma once

#include <fathom/algorithms/scan/interval/scan_interval.h>

#include <algorithm>

namespace fathom {

/// The kernels of a scan of n elements with any associative operator that has an identity, and its work space
/// of less than `group` elements for any n. A group that fits the L2 cache is read from memory and written to
/// it once.
template <class T, class Operator, class Kind = Exclusive>
class ScanSequential {
  using Group = ScanInterval<T, Operator, Kind>;

 public:
  /// `threads` per block; one thread per pair. `group` is k, a multiple of widest_vector<T>.
  ScanSequential(Executor& executor, Index n, int group, int threads)
      : n_(n),
        group_(std::min<Index>(group, n)),
        work_(executor, std::size_t(Group::work_elements(group_))),
        carries_(executor, 2),
        whole_(executor, group_, threads, work_.span()),
        rest_(executor, group_ > 0 ? n % group_ : 0, threads, work_.span()) {
    if (group < 1 || group % widest_vector<T> != 0)
      throw std::invalid_argument("scan-sequential: groups of " + std::to_string(group) +
                                  " elements are not a multiple of " + std::to_string(widest_vector<T>) +
                                  ", the elements of a 16-byte access");
  }

  /// The launches of a whole group, repeated for every whole group, and those of the rest.
  static Plan plan(Index n, int group, int threads, const PlanDevice& device) {
    const Index size = std::min<Index>(group, n), whole_groups = n / size;
    Plan launches = Group::plan(size, threads, device, double(whole_groups));
    if (n % size > 0)
      for (const Launch& launch : Group::plan(n % size, threads, device)) launches.push_back(launch);
    return launches;
  }

  /// Queues the scan of `input` into `output`; they may be the same array. Throws std::invalid_argument for
  /// arrays that overlap partially or do not have n elements.
  void run(Span<const T> input, Span<T> output) {
    check_arrays("scan-sequential", input, output, n_, sizeof(T), InPlace::allowed);
    Span<T> total{carries_.data(), 1}, next_total{carries_.data() + 1, 1};
    Span<const T> carry{};  // nothing precedes the first group
    for (Index first = 0; first < n_; first += group_) {
      const bool whole = first + group_ <= n_;
      const u64 count = u64(whole ? group_ : n_ - first);
      (whole ? whole_ : rest_).run({input.data + first, count}, {output.data + first, count}, carry, total);
      carry = {total.data, 1};
      std::swap(total, next_total);
    }
  }

  Index depth() const { return Group::depth() + (group_ > 0 ? ceil_div(n_, group_) : 0); }
  std::vector<KernelResources> kernels() const { return whole_.kernels(); }

 private:
  Index n_, group_;
  DeviceArray<T> work_;
  DeviceArray<T> carries_;  ///< two: the carry into a group and into the next one
  Group whole_, rest_;
};

}  // namespace fathom
