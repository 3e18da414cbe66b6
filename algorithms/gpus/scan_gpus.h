// SPDX-License-Identifier: Apache-2.0
// The exclusive scan of an array that is spread over GPUs.
#pragma once

#include <fathom/algorithms/gpus/group_call.h>
#include <fathom/algorithms/scan/matrix/scan_matrix.h>

namespace fathom {

/// A matrix scan whose middle step goes on from the ranks before. Like that scan it reads every element twice
/// and writes it once: its first step, which sums chunks, is what the ranks need of each other, so that
/// nothing is read once more. A scan by look-back would write first and add the carry in a second pass, or
/// sum before it.
template <class T>
class ScanGpus final : public GroupCall {
  using Reduce = ReduceChunks<T, Plus>;
  using Sums = SpineScan<T, Plus, Exclusive>;
  using Scan = ScanChunks<T, Plus, Exclusive>;
  using OnOneGpu = ScanMatrix<T, Plus>;

 public:
  /// `threads` and `rows` are those of ScanMatrix.
  ScanGpus(Communicator& own, Index n, int threads, int rows)
      : own_(&own),
        n_(n),
        threads_(threads),
        rows_(rows),
        chunk_(OnOneGpu::chunk(n, threads, rows, own.executor().plan_device())),
        plan_(own.executor(), OnOneGpu::plan(n, threads, rows, own.executor().plan_device())),
        chunk_sums_(own.executor(), chunks()),
        chunk_begins_(own.executor(), chunks()),
        rank_sum_(own.executor(), 1),
        rank_sums_(own.executor(), std::size_t(own.size())),
        rank_begins_(own.executor(), std::size_t(own.size())),
        carry_(own.executor(), 1),
        output_(own.executor(), std::size_t(n)) {}

  OwnPart run(const InputArrays& input) override {
    const Span<const T> elements{static_cast<const T*>(input.keys), u64(n_)};
    if (n_ > 0) plan_.launch(0, Reduce{elements, chunk_sums_.span(), n_, chunk_, threads_});
    scan_sums(chunk_sums_, chunk_begins_, Index(chunks()), {}, rank_sum_.span());
    own_->all_gather(rank_sum_.data(), rank_sum_.bytes(), rank_sums_.data());
    scan_sums(rank_sums_, rank_begins_, own_->rank(), {}, carry_.span());
    scan_sums(chunk_sums_, chunk_begins_, Index(chunks()), {carry_.data(), 1}, {});
    if (n_ > 0)
      plan_.launch(2, Scan{elements,
                           output_.span(),
                           {chunk_begins_.data(), chunk_begins_.size()},
                           n_,
                           chunk_,
                           threads_,
                           rows_});
    return {output_.data(), nullptr, n_};
  }

 private:
  std::size_t chunks() const { return std::size_t(ceil_div(n_, chunk_)); }

  /// The scan of the first `count` sums, from `carry` on, and their total.
  void scan_sums(const DeviceArray<T>& sums, const DeviceArray<T>& begins, Index count, Span<const T> carry,
                 Span<T> total) {
    plan_.launch(1, Sums{{sums.data(), sums.size()}, begins.span(), carry, total, count, Sums::most_threads});
  }

  Communicator* own_;
  Index n_;
  int threads_, rows_;
  Index chunk_;
  PreparedPlan plan_;
  DeviceArray<T> chunk_sums_, chunk_begins_, rank_sum_, rank_sums_, rank_begins_, carry_, output_;
};

}  // namespace fathom
