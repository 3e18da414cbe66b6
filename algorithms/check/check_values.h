// SPDX-License-Identifier: Apache-2.0
// Checks that every value stayed with its key. The values of the input are those of FillValues.
#pragma once

#include <fathom/algorithms/check/digest_keys.h>

namespace fathom {

/// What CheckValues adds up.
struct ValueFaults {
  u64 strayed;         ///< positions whose key differs, in any bit, from their value's key in the input
  u64 out_of_turn;     ///< positions whose key equals its predecessor but preceded it in the input
  u64 sum, other_sum;  ///< digests of the input's values minus those of the output's; 0 if they are the same

  bool same_values() const { return sum == 0 && other_sum == 0; }
};

template <class Key, class Value, class LessThan>
struct CheckValues {
  static constexpr const char* header = "fathom/algorithms/check/check_values.h";

  Span<const Key> keys_in, keys_out;  ///< keys_out in order
  Span<const Value> values_out;
  Span<u64> faults;  ///< a ValueFaults, zeroed

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Index n = Index(keys_out.count);
    const Index stride = block.blocks() * block.threads();
    u64 strayed = 0, out_of_turn = 0, sum = 0, other_sum = 0;
    for (Index i = block.index() * block.threads() + block.thread(); i < n; i += stride) {
      const Key key = keys_out.load(i);
      const Value value = values_out.load(i);
      if (!was_value_of(key, value)) ++strayed;
      if (i > 0 && !LessThan{}(keys_out.load(i - 1), key) && value <= values_out.load(i - 1)) ++out_of_turn;
      sum += digest_of(Value(i), digest_seed) - digest_of(value, digest_seed);
      other_sum += digest_of(Value(i), other_digest_seed) - digest_of(value, other_digest_seed);
    }
    block.atomic_add(faults, 0, strayed);
    block.atomic_add(faults, 1, out_of_turn);
    block.atomic_add(faults, 2, sum);
    block.atomic_add(faults, 3, other_sum);
  }

 private:
  /// A 32-bit value gives its index modulo 2^32: the key must match one of the candidates.
  FATHOM_DEVICE
  bool was_value_of(const Key& key, Value value) const {
    constexpr u64 values = u64(1) << 32;
    for (u64 i = value; i < keys_in.count; i += values) {
      if (same_bits(keys_in.load(Index(i)), key)) return true;
      if (sizeof(Value) > 4) break;
    }
    return false;
  }
};

}  // namespace fathom
