// SPDX-License-Identifier: Apache-2.0
// Every element moves to one of a few parts.
#pragma once

#include <fathom/algorithms/block/load.h>
#include <fathom/algorithms/block/scan.h>
#include <fathom/algorithms/gpus/split/few_cuts.h>

namespace fathom {

/// One block per tile, of at most 65535 elements. It ranks its elements by part, with counters in registers
/// that are added up across the block, takes as many places in each part as it has elements for it, and moves
/// them through shared memory, so that those of a part go to consecutive addresses. Their order within a part
/// is arbitrary.
template <class Element, class Threads = Number, class Elements = Number, class Parts = Number>
struct ScatterToParts {
  static constexpr const char* header = "fathom/algorithms/gpus/split/scatter_to_parts.h";

  ConstListOf<Element> input;
  ListOf<Element> output;
  Span<const Cut> cuts;  ///< in front of all parts but the first
  Span<u64> counters;    ///< where the next element of each part goes
  u64 rank;
  Index n;
  Threads threads_per_block;
  Elements elements_per_thread;  ///< 255 at most
  Parts parts;                   ///< PartCounters::most_parts at most

  /// Blocks take places in parts from each other. On a GPU the order varies.
  static constexpr bool blocks_communicate = true;

  static int shared_memory(int parts, int threads, int elements) {
    return words(parts) * shared_bytes<u64>(warp_width) + shared_bytes<Index>(parts) +
           shared_bytes<int>(parts + 1) + shared_bytes<Element>(threads * elements);
  }

  /// A thread has its elements, their parts, and some twenty registers more.
  static constexpr int least_resident_blocks() {
    return blocks_with_registers(Threads{}, Elements{} * (int(sizeof(Element)) / 4 + 1) + 24);
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const auto range = TileRange::number(block.index(), threads_per_block * elements_per_thread, n);
    Registers<Element, Elements> element(elements_per_thread);
    FATHOM_UNROLL
    for (int i = 0; i < elements_per_thread; ++i)
      if (const int at = place_of_element(block, i); range.is_whole() || at < range.count)
        element[i] = input.load(range.first + at);

    FewCuts<KeyOf<Element>, Parts> few(cuts, rank, parts);
    few.look_at(range.first, range.first + range.count);
    PartCounters<Parts> counted(parts);
    Registers<u16, Elements> part_and_before(elements_per_thread);
    few.for_each(
        elements_per_thread, [&](int i) { return key_in(element[i]); },
        [&](int i) { return range.first + place_of_element(block, i); },
        [&](int i, const auto& is_behind) {
          int part = 0;
          FATHOM_UNROLL
          for (int cut = 0; cut < parts - 1; ++cut) part += is_behind(cut) ? 1 : 0;
          if (range.is_whole() || place_of_element(block, i) < range.count)
            part_and_before[i] = u16(counted.add(part) << 8 | part);
        });

    // Where a thread's elements of each part begin in the tile.
    const auto targets = block.template shared<Index>(parts);
    const auto begins = block.template shared<int>(parts + 1);
    PartPlaces<Parts> places(parts);
    u64 begin = 0;  // of the parts before
    FATHOM_UNROLL
    for (int four = 0; four < PartCounters<Parts>::words; ++four) {
      if (four >= words(parts)) continue;
      const auto sums = block.template shared<u64>(warp_width);
      const auto prefix = thread_prefix_in_block(block, counted.widened(four), sums, Plus{});
      // The elements of the four parts are added up from the lowest one on, behind the parts before.
      const u64 up_to = (prefix.aggregate + begin) * one_each;
      places.set_four(four, prefix.exclusive_prefix + (up_to - prefix.aggregate));
      if (block.thread() / 4 == four && block.thread() < parts)
        take_places(block.thread(), sixteen_bits(up_to - prefix.aggregate, block.thread() % 4),
                    sixteen_bits(prefix.aggregate, block.thread() % 4), targets, begins);
      begin = u64(sixteen_bits(up_to, 3));
    }
    if (block.thread() == 0) begins.store(parts, range.count);

    const auto tile = block.template shared<Element>(threads_per_block * elements_per_thread);
    FATHOM_UNROLL
    for (int i = 0; i < elements_per_thread; ++i)
      if (range.is_whole() || place_of_element(block, i) < range.count)
        tile.store(places.of(part_and_before[i] & 0xff) + (part_and_before[i] >> 8), element[i]);
    block.barrier();

    for (int each = 0; each < parts; ++each) {
      const Index target = targets.load(each);
      const int end = begins.load(each + 1);
      for (int at = begins.load(each) + block.thread(); at < end; at += threads_per_block)
        output.store(target + at, tile.load(at));
    }
  }

 private:
  static constexpr u64 one_each = 0x0001000100010001;

  FATHOM_DEVICE
  static constexpr int words(int parts) { return (parts + 3) / 4; }
  FATHOM_DEVICE
  static int sixteen_bits(u64 word, int which) { return int(word >> (16 * which) & 0xffff); }

  template <class Block>
  FATHOM_DEVICE
  int place_of_element(const Block& block, int i) const { return block.thread() + i * threads_per_block; }

  FATHOM_DEVICE
  static KeyOf<Element> key_in(const Element& element) {
    if constexpr (has_values<Element>)
      return KeyOf<Element>(element.key);
    else
      return element;
  }

  /// targets[p] + i is where element i of the tile goes if it belongs to part p.
  FATHOM_DEVICE
  void take_places(int part, int begin, int count, Shared<Index> targets, Shared<int> begins) const {
    const u64 target = count > 0 ? counters.atomic_add_relaxed(part, u64(count)) : 0;
    targets.store(part, Index(target) - begin);
    begins.store(part, begin);
  }
};

}  // namespace fathom
