// SPDX-License-Identifier: Apache-2.0
// Cuts are chosen among samples, the same by every rank for itself.
#pragma once

#include <fathom/algorithms/block/scan.h>
#include <fathom/algorithms/gpus/samples.h>
#include <fathom/algorithms/gpus/slices.h>

namespace fathom {

/// The cuts in front of all parts but the first, which are to be of one size; one block per cut.
///
/// A rank's samples are in the middle of equal shares of its elements in order. So of a rank with n elements
/// and s samples, the number that comes before any cut is known within n/2s; and one of the samples is within
/// half of the largest share of the place that is wanted. With n elements in all and s samples of every rank,
/// a part is off by less than n/s plus the largest share.
struct ChooseCuts {
  static constexpr const char* header = "fathom/algorithms/gpus/choose_cuts.h";

  Span<const u64> bits;    ///< of all ranks' samples, equally many of each rank, in order
  Span<const u32> tags;    ///< theirs; of equal bits in the order of ranks and numbers
  Span<const Index> n_of;  ///< elements of each rank, at least one and less than 2^39 in all
  int slices;              ///< that each rank sorts one after another
  Span<RunCut> cuts;       ///< one less than there are parts

  static int shared_memory() { return shared_bytes<u64>(warp_width) + shared_bytes<u32>(counters); }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const auto sums = block.template shared<u64>(warp_width);
    const auto counter = block.template shared<u32>(counters);
    if (block.thread() < counters) counter.store(block.thread(), 0);
    block.barrier();
    const Index nearest = nearest_sample(block, sums, counter);
    if (nearest == count())
      store(block, {~u64(0), ~u64(0), 0, 1});  // behind all elements
    else
      choose(block, nearest, counter);
  }

 private:
  enum Counter { passed, in_run, before_in_run, counters };

  FATHOM_DEVICE
  Index count() const { return Index(bits.count); }
  FATHOM_DEVICE
  Index samples_of_rank() const { return count() / Index(n_of.count); }
  /// Sample i stands for so many elements, times samples_of_rank(); there are none behind the last sample.
  FATHOM_DEVICE
  u64 share(Index i) const { return i < count() ? u64(n_of.load(Sample::from(tags.load(i)).rank)) : 0; }

  /// The sample nearest to where this block's cut is wanted, or their number if the end is nearer. Half of a
  /// sample's share comes before it. It is passed if what is wanted lies behind the middle between it and the
  /// next one. All is counted in halves of an element's samples_of_rank()-th, and so exact.
  template <class Block>
  FATHOM_DEVICE
  Index nearest_sample(Block& block, const Shared<u64>& sums, const Shared<u32>& counter) const {
    const Index chunk = ceil_div(count(), Index(block.threads()));
    const Index begin = block.thread() * chunk, end = min(begin + chunk, count());
    u64 sum = 0;
    for (Index i = begin; i < end; ++i) sum += share(i);
    const auto [before_chunk, all] = thread_prefix_in_block(block, sum, sums, Plus{});
    const u64 parts = cuts.count + 1;
    const u64 twice_wanted = (4 * all * u64(block.index() + 1) + parts - 1) / parts;

    u64 before = 2 * before_chunk, own = share(begin);
    u32 passing = 0;
    for (Index i = begin; i < end; ++i) {
      const u64 next = share(i + 1);
      const u64 here = before + own, there = before + 2 * own + next;
      passing += here + there < twice_wanted ? 1 : 0;
      before += 2 * own;
      own = next;
    }
    return sum_of_block(block, passing, counter, passed);
  }

  /// The run of a cut is that which its element has become part of. Which share of this run's elements with
  /// the cut's key comes before it, the samples tell.
  template <class Block>
  FATHOM_DEVICE
  void choose(Block& block, Index nearest, const Shared<u32>& counter) const {
    const u64 key = bits.load(nearest);
    const Sample sample = Sample::from(tags.load(nearest));
    const Index position = position_of(sample), slice = slice_of(sample.rank, position);
    u32 equal = 0, before = 0;
    for (Index i = block.thread(); i < count(); i += block.threads()) {
      if (bits.load(i) != key) continue;
      const Sample other = Sample::from(tags.load(i));
      if (other.rank != sample.rank) continue;
      const Index its_position = position_of(other);
      if (slice_of(other.rank, its_position) != slice) continue;
      ++equal;
      before += its_position < position ? 1 : 0;
    }
    const u32 of = sum_of_block(block, equal, counter, in_run);
    const u32 first = sum_of_block(block, before, counter, before_in_run);
    store(block, {key, number_of_run(sample.rank, u64(slice)), first, of});
  }
  FATHOM_DEVICE
  Index position_of(Sample sample) const {
    return sample.position(samples_of_rank(), n_of.load(sample.rank));
  }
  FATHOM_DEVICE
  Index slice_of(u32 rank, Index position) const {
    const Index n = n_of.load(rank);
    Index slice = 0;
    while (slice + 1 < slices && slice_begin(n, slices, slice + 1) <= position) ++slice;
    return slice;
  }

  /// A barrier separates it from what was stored before.
  template <class Block>
  FATHOM_DEVICE
  static u32 sum_of_block(Block& block, u32 value, const Shared<u32>& counter, Counter which) {
    const u32 of_warp = block.reduce_add(value);
    if (block.lane() == 0) counter.atomic_add(which, of_warp);
    block.barrier();
    return counter.load(which);
  }
  template <class Block>
  FATHOM_DEVICE
  void store(Block& block, const RunCut& cut) const {
    if (block.thread() > 0) return;
    cuts.store(block.index(), cut);
  }
};

}  // namespace fathom
