// SPDX-License-Identifier: Apache-2.0
// The lists of a segmented sort's input, made on the device.
#pragma once

#include <fathom/algorithms/check/pattern.h>

namespace fathom {

/// begins[i] = the first element of list i, which depends on i alone, and n behind the last. Two lists share
/// what lies between one multiple of twice the mean length and the next, each of which is moved by up to the
/// mean length, at random. So lengths are from 0 to three times the mean, and short ones are not rare.
struct CutLists {
  static constexpr const char* header = "fathom/algorithms/check/cut_lists.h";

  Span<Index> begins;
  Index n;
  Index mean;  ///< at least 1

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Index count = Index(begins.count), stride = block.blocks() * block.threads();
    for (Index i = block.index() * block.threads() + block.thread(); i < count; i += stride) {
      const Index before = begin_of_pair(i / 2), after = begin_of_pair(i / 2 + 1);
      const Index between = before + Index(share(u64(i / 2)) * double(after - before + 1));
      begins.store(i, i + 1 == count ? n : i % 2 == 0 ? before : between);
    }
  }

 private:
  /// The first list's share of a pair, in [0, 1). Of 16 pairs each has one in another sixteenth, in a random
  /// order: so a few hundred lists have about as many short and long ones as many have.
  FATHOM_DEVICE
  static double share(u64 pair) {
    const u64 of_group = scatter(~(pair / 16)),
              place = ((pair ^ of_group) * (of_group >> 8 | 1) ^ of_group >> 4) % 16;
    return (double(place) + double(scatter(~pair << 1) >> 11) * 0x1p-53) / 16;
  }
  FATHOM_DEVICE
  Index begin_of_pair(Index pair) const {
    if (pair == 0) return 0;
    if (2 * pair >= Index(begins.count) - 1) return n;
    return min(n, 2 * pair * mean + Index(scatter(u64(pair)) % u64(mean + 1)));
  }
};

}  // namespace fathom
