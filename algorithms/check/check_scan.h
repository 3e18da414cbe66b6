// An exclusive scan by its definition: output[0] = identity, output[i] = output[i-1] ∘ input[i-1].
#pragma once

#include <fathom/device/contract.h>

namespace fathom {

/// Counts the positions where the definition does not hold. That it holds everywhere proves the whole scan,
/// by induction, for operators that are exact (integers).
template <class T, class Operator>
struct CheckScan {
  Span<const T> input;
  Span<const T> output;
  Span<u64> wrong;  ///< one counter, zeroed

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Index n = Index(input.count);
    const Index stride = block.blocks() * block.threads();
    u64 mismatches = 0;
    for (Index i = block.index() * block.threads() + block.thread(); i < n; i += stride) {
      const T expected =
          i == 0 ? Operator::template identity<T>() : Operator{}(output.load(i - 1), input.load(i - 1));
      if (output.load(i) != expected) ++mismatches;
    }
    block.atomic_add(wrong, 0, mismatches);
  }
};

}  // namespace fathom
