// One pass of a radix sort over global memory: every element is read once and written once.
#pragma once

#include <fathom/algorithms/sort/radix/radix_pass.h>
#include <fathom/algorithms/sort/radix/rank_tile.h>

namespace fathom {

/// What tiles tell later ones (merrill2016: decoupled look-back): how many keys have a digit in one tile, or
/// in all tiles up to it. The upper two bits of a word say which of the two, and in which pass: 2·parity or
/// 2·parity + 1, where parities of consecutive passes differ. A pass overwrites every word, and words of the
/// pass before look like words not yet written: they need no clearing. Count is u32 or u64.
template <class Count>
struct DigitStates {
  static constexpr int count_bits = 8 * int(sizeof(Count)) - 2;
  static constexpr Count most = (Count(1) << count_bits) - 1;
  static constexpr int window = 4;  ///< states that a thread loads at a time

  Span<Count> words;  ///< of bin b of tile i: [i·bins + b]
  int bins;
  int parity;

  FATHOM_DEVICE
  void publish(Index tile, int bin, Count count, bool up_to_here) const {
    words.store_relaxed(tile * bins + bin, count | Count(2 * parity + up_to_here) << count_bits);
  }

  /// The sum over all tiles before `tile`, which is not the first, and what the first added to its own.
  FATHOM_DEVICE
  Count sum_before(Index tile, int bin) const {
    Count sum = 0;
    for (Index next = tile - 1;;) {
      Registers<Count, Constant<window>> states(Constant<window>{});
      FATHOM_UNROLL
      for (int i = 0; i < window; ++i) states[i] = words.load_relaxed(max(next - i, Index(0)) * bins + bin);
      bool ready = true;
      FATHOM_UNROLL
      for (int i = 0; i < window; ++i) {
        const int label = int(states[i] >> count_bits);
        ready = ready && label / 2 == parity;
        if (ready) {
          sum += states[i] & most;
          if (label % 2 == 1) return sum;
          --next;
        }
      }
    }
  }
};

/// Moves every element to its digit's place, stably, one tile of threads × elements per block: ranks the
/// tile's elements, learns from the tiles before where they go, puts them in order in shared memory, and
/// writes them from there, so that most lanes write next to their neighbours.
template <class Element, class Count, class Threads = Number, class Elements = Number, class Bits = Number>
struct SplitByDigit {
  static constexpr const char* header = "fathom/algorithms/sort/radix/onesweep/split_by_digit.h";
  static constexpr bool blocks_communicate = true;

  using Key = KeyOf<Element>;

  RadixLists<Element> lists;
  Span<const RadixPass> pass;  ///< of one element
  Span<const u64> starts;      ///< of the digit's bins in the output
  Span<Count> states;          ///< n < 2^DigitStates::count_bits
  Index n;
  Threads threads_per_block;  ///< at least 2^bits
  Elements elements_per_thread;
  Bits bits;

  static int shared_memory(int threads, int elements, int bits) {
    return DigitRows::shared_memory(threads, 1 << bits) +
           SharedList<Element>::shared_memory(threads * elements) + shared_bytes<Count>(1 << bits) +
           shared_bytes<u32>(warp_width);
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const RadixPass todo = pass.load(0);
    if (todo.to == RadixPass::nowhere) return;
    const auto input = lists.source(todo);
    const int tile_size = threads_per_block * elements_per_thread;
    const Index first = block.index() * tile_size;
    const int count = int(min<Index>(n - first, tile_size));
    const auto rows = DigitRows::make(block, 1 << bits);
    const auto tile = SharedList<Element>::make(block, tile_size);
    const auto offsets = block.template shared<Count>(1 << bits);

    const int own = DigitRows::first_of_thread(block, elements_per_thread);
    Registers<Key, Elements> keys(elements_per_thread);
    // What pads the last tile sorts behind all else, and is not written.
    load(keys_of(input).from(first), own, count, from_ordered_bits<Key>(~BitsOf<Key>(0)), keys);
    Registers<u32, Elements> ranks(elements_per_thread);
    rows.rank(block, todo.digit, keys, elements_per_thread, tile_size, ranks);
    block.barrier();
    place_bins(block, rows, todo.parity, offsets);
    block.barrier();
    rows.rank_in_tile(block, elements_per_thread, ranks);
    scatter(keys, ranks, tile.keys);
    if constexpr (has_values<Element>) {
      using Value = typename decltype(lists.output.values)::Value;
      Registers<Value, Elements> values(elements_per_thread);
      load(input.values.from(first), own, count, Value{}, values);
      scatter(values, ranks, tile.values);
    }
    block.barrier();
    write(block, tile, todo.digit, offsets, count, lists.target(todo));
  }

 private:
  template <class T>
  FATHOM_DEVICE
  void load(Span<const T> list, int own, int count, const T& padding, Registers<T, Elements>& loaded) const {
    const bool whole = count == threads_per_block * elements_per_thread;
    FATHOM_UNROLL
    for (int i = 0; i < elements_per_thread; ++i) {
      const int at = own + i * DigitRows::lanes;
      if (whole)
        loaded[i] = list.load(at);
      else
        loaded[i] = at < count ? list.load(at) : padding;
    }
  }

  template <class T>
  FATHOM_DEVICE
  void scatter(const Registers<T, Elements>& elements, const Registers<u32, Elements>& ranks,
               Shared<T> tile) const {
    FATHOM_UNROLL
    for (int i = 0; i < elements_per_thread; ++i) tile.store(int(ranks[i]), elements[i]);
  }

  /// A few elements at a time: with all of them in flight, registers would limit the resident blocks.
  template <class Block>
  FATHOM_DEVICE
  void write(Block& block, const SharedList<Element>& tile, Digit digit, Shared<Count> offsets, int count,
             ListOf<Element> output) const {
    constexpr int in_flight = 4;
    FATHOM_NO_UNROLL
    for (int first = block.thread(); first < count; first += in_flight * threads_per_block) {
      FATHOM_UNROLL
      for (int i = 0; i < in_flight; ++i) {
        const int at = first + i * threads_per_block;
        if (at >= count) continue;
        const Key key = tile.keys.load(at);
        const Index to = Index(Count(offsets.load(digit.of(key)) + Count(at)));
        keys_of(output).store(to, key);
        if constexpr (has_values<Element>) output.values.store(to, tile.values.load(at));
      }
    }
  }

  /// Turns counts into ranks in the tile, and sets offsets[b] to what must be added to the ranks of keys of
  /// digit b for their places in the output. Thread b does digit b.
  template <class Block>
  FATHOM_DEVICE
  void place_bins(Block& block, const DigitRows& rows, int parity, Shared<Count> offsets) const {
    const auto sums = block.template shared<u32>(warp_width);
    const DigitStates<Count> tiles{states, rows.bins, parity};
    const int bin = block.thread();
    const bool has_bin = bin < rows.bins;
    const DigitColumn<Threads> column{rows, has_bin ? bin : 0, threads_per_block};
    const u32 here = has_bin ? column.sum() : 0;
    const bool is_first = block.index() == 0;
    if (has_bin && !is_first) tiles.publish(block.index(), bin, here, false);
    const u32 start = thread_prefix_in_block(block, here, sums, Plus{}).exclusive_prefix;
    if (!has_bin) return;
    const Count before = is_first ? Count(starts.load(bin)) : tiles.sum_before(block.index(), bin);
    tiles.publish(block.index(), bin, before + here, true);
    offsets.store(bin, before - start);
    column.store_ranks(start);
  }
};

}  // namespace fathom
