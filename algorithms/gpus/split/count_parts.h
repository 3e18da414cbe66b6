// SPDX-License-Identifier: Apache-2.0
// How many elements each of a few parts has.
#pragma once

#include <fathom/algorithms/block/reduce.h>
#include <fathom/algorithms/block/store.h>
#include <fathom/algorithms/gpus/split/few_cuts.h>

namespace fathom {

/// counters[i] += the elements of part i. Any number of blocks, each of which has fewer than 2^32 elements
/// and at least as many threads as there are parts. A thread counts in registers: with few parts, additions
/// in shared memory would wait for each other.
template <class Key, class Threads = Number, class Parts = Number>
struct CountParts {
  static constexpr const char* header = "fathom/algorithms/gpus/split/count_parts.h";

  Span<const Key> keys;
  Span<const Cut> cuts;  ///< in front of all parts but the first
  Span<u64> counters;
  u64 rank;
  Threads threads_per_block;
  Parts parts;

  static constexpr int in_flight = 16 / int(sizeof(Key)) * 4;  ///< keys that a thread loads at a time
  static int shared_memory(int parts) { return shared_bytes<u32>(parts); }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const auto counts = block.template shared<u32>(parts);
    fill_shared(block, threads_per_block, counts, parts, 0u);
    block.barrier();

    FewCuts<Key, Parts> few(cuts, rank, parts);
    Registers<u32, Parts> own(parts);  // elements of this part and of later ones
    FATHOM_UNROLL
    for (int part = 0; part < parts; ++part) own[part] = 0;
    const auto count = [&](int, const auto& is_behind) {
      own[0] += 1;
      FATHOM_UNROLL
      for (int cut = 0; cut < parts - 1; ++cut) own[cut + 1] += is_behind(cut) ? 1 : 0;
    };
    const Index n = Index(keys.count), stride = Index(threads_per_block) * in_flight;
    for (Index first = block.index() * stride; first < n; first += block.blocks() * stride) {
      const auto at = [&](int i) { return first + block.thread() + i * threads_per_block; };
      if (first + stride <= n) {
        Registers<Key, Constant<in_flight>> loaded(Constant<in_flight>{});
        FATHOM_UNROLL
        for (int i = 0; i < in_flight; ++i) loaded[i] = keys.load(at(i));
        few.look_at(first, first + stride);
        few.for_each(
            Constant<in_flight>{}, [&](int i) { return loaded[i]; }, at, count);
      } else {
        FATHOM_NO_UNROLL
        for (int i = 0; at(i) < n; ++i) count(i, few.is_behind(keys.load(at(i)), at(i)));
      }
    }
    FATHOM_UNROLL
    for (int part = 0; part < parts; ++part) {
      const u32 of_warp = reduce_warp(block, own[part], Plus{});
      if (block.lane() == 0) counts.atomic_add(part, of_warp);
    }
    block.barrier();
    if (const int part = block.thread(); part < parts) {
      const u32 later = part + 1 < parts ? counts.load(part + 1) : 0;
      if (const u32 count = counts.load(part) - later; count > 0)
        counters.atomic_add_relaxed(part, u64(count));
    }
  }
};

}  // namespace fathom
