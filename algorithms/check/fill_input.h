// SPDX-License-Identifier: Apache-2.0
// Inputs, made on the device.
#pragma once

#include <fathom/algorithms/check/pattern.h>

namespace fathom {

/// `Role` is AsKey or AsSummand.
template <class T, class Role>
struct FillInput {
  static constexpr const char* header = "fathom/algorithms/check/fill_input.h";

  Span<T> output;
  Pattern pattern;
  u64 threshold;  ///< of patterns with a degree

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Index n = Index(output.count);
    const Index stride = block.blocks() * block.threads();
    for (Index i = block.index() * block.threads() + block.thread(); i < n; i += stride)
      output.store(i, pattern == Pattern::random
                          ? Role::template random<T>(scatter(u64(i)))
                          : Role::template of<T>(pattern_value(pattern, i, n, threshold)));
  }
};

/// Values that record their key's position: value i is i, modulo 2^32 if it has 32 bits.
template <class Value>
struct FillValues {
  static constexpr const char* header = "fathom/algorithms/check/fill_input.h";

  Span<Value> output;

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Index n = Index(output.count);
    const Index stride = block.blocks() * block.threads();
    for (Index i = block.index() * block.threads() + block.thread(); i < n; i += stride)
      output.store(i, Value(i));
  }
};

}  // namespace fathom
