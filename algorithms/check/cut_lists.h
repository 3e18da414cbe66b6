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
      const Index between = before + Index(scatter(~u64(i)) % u64(after - before + 1));
      begins.store(i, i + 1 == count ? n : i % 2 == 0 ? before : between);
    }
  }

 private:
  FATHOM_DEVICE
  Index begin_of_pair(Index pair) const {
    if (pair == 0) return 0;
    if (2 * pair >= Index(begins.count) - 1) return n;
    return min(n, 2 * pair * mean + Index(scatter(u64(pair)) % u64(mean + 1)));
  }
};

}  // namespace fathom
