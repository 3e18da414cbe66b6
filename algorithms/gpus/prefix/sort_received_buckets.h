// SPDX-License-Identifier: Apache-2.0
// Blocks sort buckets whose elements come from several ranks.
#pragma once

#include <fathom/algorithms/sort/radix/msd/finish_bucket.h>

namespace fathom {

/// The elements of some buckets, those of a bucket from every rank.
template <class Element>
struct ReceivedBuckets {
  static constexpr int most_ranks = 16;

  ConstListOf<Element> received;  ///< from all ranks but one, rank by rank
  ConstListOf<Element> own;       ///< from that one
  int own_rank;
  Index begins[most_ranks];  ///< where those from each rank begin in `received`, or in `own`

  FATHOM_DEVICE
  ConstListOf<Element> list_of(int rank) const { return rank == own_rank ? own : received; }
};

/// Sorts consecutive buckets, one per block, by the bits that their keys do not have in common, into a list
/// where they lie in order: by counting where keys are spread evenly, by digits otherwise. Records are sorted
/// stably, if a rank's records of a bucket are in order.
template <class Element, class Threads = Number, class Elements = Number, class Bits = Number>
struct SortReceivedBuckets {
  static constexpr const char* header = "fathom/algorithms/gpus/prefix/sort_received_buckets.h";

  ReceivedBuckets<Element> from;
  ListOf<Element> output;
  /// Each rank's words say where each bucket begins among its elements; it ends where the next one begins.
  Span<const u32> begins;
  Index words_of_rank;        ///< in `begins`
  Index first_bucket;         ///< of `from` and of the output: that of the first block
  int ranks;                  ///< most_ranks at most
  BitRange range;             ///< without the prefix; not empty
  Threads threads_per_block;  ///< at least 2^bits
  Elements elements_per_thread;
  Bits bits;

  static constexpr int most_ranks = ReceivedBuckets<Element>::most_ranks;
  using Space = BucketSpace<Element, Threads, Elements>;

  static int shared_memory(int threads, int elements, int bits) {
    return shared_bytes<Index>(most_ranks + 1) + shared_bytes<int>(most_ranks) +
           Space::bytes(threads, elements, bits);
  }
  static constexpr int least_resident_blocks() {
    return least_resident_buckets<Element, Threads, Elements>();
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    // Elements of the bucket below ends[r] that are not below ends[r − 1] come from rank r: element i is at
    // i + offsets[r] of its list.
    const auto offsets = block.template shared<Index>(most_ranks + 1);
    const auto ends = block.template shared<int>(most_ranks);
    if (block.warp() == 0) find_parts(block, offsets, ends);
    block.barrier();
    const int count = ends.load(ranks - 1);
    if (count == 0) return;
    BlockRadixSort<Element, Threads, Elements> sort(
        block, threads_per_block, elements_per_thread,
        Space::rows(block, threads_per_block, elements_per_thread, bits));
    const ListOf<Element> bucket = output.from(offsets.load(most_ranks));
    const auto load = [places = Places{from, offsets, ends}](int at) mutable {
      const Place place = places.of(at);
      return place.list.load(place.at);
    };
    if (sort.by_counting().sort(block, count, load, bucket, range.end)) return;
    sort.load(count, [places = Places{from, offsets, ends}](int at) mutable { return places.of(at); });
    finish_bucket<Element>(block, sort, bucket, range, bits);
  }

 private:
  struct Place {
    ConstListOf<Element> list;
    Index at;
  };
  /// Where the bucket's elements are, in ascending order.
  class Places {
   public:
    FATHOM_DEVICE
    Places(const ReceivedBuckets<Element>& from, const Shared<Index>& offsets, const Shared<int>& ends)
        : from_(from), offsets_(offsets), ends_(ends), list_(from.list_of(0)) {
      end_ = ends.load(0);
      offset_ = offsets.load(0);
    }
    FATHOM_DEVICE
    Place of(int at) {
      while (at >= end_) {
        ++rank_;
        end_ = ends_.load(rank_);
        offset_ = offsets_.load(rank_);
        list_ = from_.list_of(rank_);
      }
      return {list_, at + offset_};
    }

   private:
    const ReceivedBuckets<Element>& from_;
    const Shared<Index>& offsets_;
    const Shared<int>& ends_;
    ConstListOf<Element> list_;
    int rank_ = 0, end_;
    Index offset_;
  };

  template <class Block>
  FATHOM_DEVICE
  void find_parts(Block& block, const Shared<Index>& offsets, const Shared<int>& ends) const {
    const int rank = block.lane();
    u32 before = 0, count = 0;  // elements of this rank in buckets from the first one on
    if (rank < ranks) {
      const Span<const u32> of_rank = begins.from(rank * words_of_rank + first_bucket);
      const u32 begin = of_rank.load(block.index());
      before = begin - of_rank.load(0);
      count = of_rank.load(block.index() + 1) - begin;
    }
    const int end = inclusive_scan_warp(block, int(count), Plus{});
    if (rank < ranks) {
      ends.store(rank, end);
      offsets.store(rank, from.begins[rank] + before - (end - int(count)));
    }
    const u32 before_all = block.reduce_add(before);
    if (rank == 0) offsets.store(most_ranks, Index(before_all));
  }
};

}  // namespace fathom
