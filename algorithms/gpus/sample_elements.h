// SPDX-License-Identifier: Apache-2.0
// The keys of a rank's samples.
#pragma once

#include <fathom/algorithms/block/digits.h>
#include <fathom/algorithms/gpus/samples.h>

namespace fathom {

/// One thread per sample. Without keys they are all 0.
template <class Key>
struct SampleElements {
  static constexpr const char* header = "fathom/algorithms/gpus/sample_elements.h";

  Span<const Key> keys;
  Span<u64> bits;  ///< of the samples' keys, in the order of their numbers
  u32 rank;

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Index stride = block.blocks() * block.threads(), n = Index(keys.count), samples = Index(bits.count);
    for (Index i = block.index() * block.threads() + block.thread(); i < samples; i += stride)
      bits.store(i, n > 0 ? u64(ordered_bits(keys.load(Sample{rank, u32(i)}.position(samples, n)))) : 0);
  }
};

}  // namespace fathom
