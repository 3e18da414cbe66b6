// SPDX-License-Identifier: Apache-2.0
// Host side of making inputs and checking outputs, on the executor that holds the data.
//
// A check throws KernelFailure with a one-line message if the output is wrong. All functions are instantiated
// for every element type (core/element_type.h): a Key is one of KeyElements, a T one of SummandElements. A
// Value is u32 or u64, LessThan is Less or Greater, Operator is Plus.
#pragma once

#include <fathom/core/problem.h>
#include <fathom/device/executor.h>

namespace fathom {

/// The tiles of the pairwise mergesort that a conflict-heavy input targets. The default is that of its
/// default parameters.
struct TileShape {
  int threads = 256;
  int elements = 17;  ///< per thread
};

/// The problem's tiles if its parameters define any, else the default.
TileShape tile_shape(const Problem& problem);

// Both fill `output` with an input pattern; only the conflict-heavy one uses `tile`.

/// For sorts. Random keys cover the type's whole range and are never NaN.
template <class Key>
void fill_keys(Executor& executor, Span<Key> output, Input input, TileShape tile = {});
/// About this share of the keys begins with each of so many prefixes.
struct PrefixShare {
  double share = 0;
  double prefixes = 1;
};
/// How often the keys that fill_keys() makes of a type with digits (block/digits.h) begin with which `bits`
/// bits, 16 at most: all prefixes that keys have, but of inputs with mostly small keys only the commonest.
std::vector<PrefixShare> prefix_shares(const Input& input, ElementType key, int bits);
/// The shares that the most frequent of these keys have of them all, the largest first, 1,000 at most; empty
/// if no key is frequent.
std::vector<double> frequent_key_shares(const Input& input);
/// The ordered bits (block/digits.h) that all n such keys of the problem share. None of inputs with random
/// keys, of which only very few would share any.
u64 shared_bits(const Problem& problem, const Input& input);
/// For reductions and scans. Sums of random summands are exact in any order.
template <class T>
void fill_summands(Executor& executor, Span<T> output, Input input, TileShape tile = {});

/// For sorts of keys with values: value i is i, its key's position (modulo 2^32 if it has 32 bits).
template <class Value>
void fill_values(Executor& executor, Span<Value> output);

/// The output must hold the input's keys, bit by bit, in order. Rejects an input with a NaN.
template <class Key, class LessThan>
void check_sorted(Executor& executor, Span<const Key> input, Span<const Key> output);

/// In addition, every key must have its value of the input, whose values must be those of fill_values(), and
/// in a stable sort equal keys must have kept their order. Throws std::invalid_argument for a stable sort of
/// more than 2^32 keys with 32-bit values, which cannot number that many.
template <class Key, class Value, class LessThan>
void check_sorted_pairs(Executor& executor, Span<const Key> keys_in, Span<const Key> keys_out,
                        Span<const Value> values_out, bool stable);

/// The lists of a segmented sort: list i is elements [begins[i], begins[i + 1]), and the last of `begins` is
/// n. Their lengths are from 0 to three times `mean`, which is at least 1.
void cut_lists(Executor& executor, Span<Index> begins, Index n, Index mean);

/// check_sorted() and check_sorted_pairs() of each list by itself.
template <class Key, class LessThan>
void check_sorted_lists(Executor& executor, Span<const Index> begins, Span<const Key> input,
                        Span<const Key> output);
template <class Key, class Value, class LessThan>
void check_sorted_lists_of_pairs(Executor& executor, Span<const Index> begins, Span<const Key> keys_in,
                                 Span<const Key> keys_out, Span<const Value> values_out, bool stable);

// Sums of floating-point numbers depend on the order of the additions. `depth` is the longest chain of
// additions that an element passes through: the result may be wrong by depth·ε·Σ|x|, plus the reference's own
// rounding. Depth 0 requires equality, as does every type that does not round.

/// 0 if the input's sums are exact in any order, as those of random summands are, else `depth`.
Index rounding_depth(Input input, Index depth);

/// output[0] must be the in-order combination of all of `input`.
template <class T, class Operator>
void check_reduction(Executor& executor, Span<const T> input, Span<const T> output, Index depth = 0);

/// `output` must be the exclusive scan of `input`.
template <class T, class Operator>
void check_exclusive_scan(Executor& executor, Span<const T> input, Span<const T> output, Index depth = 0);

/// The checks in the form that workloads take, for an algorithm of this depth on this input.
template <class T, class Operator>
auto reduction_check(Input input, Index depth) {
  return [depth = rounding_depth(input, depth)](Executor& executor, Span<const T> in, Span<const T> out) {
    check_reduction<T, Operator>(executor, in, out, depth);
  };
}
template <class T, class Operator>
auto exclusive_scan_check(Input input, Index depth) {
  return [depth = rounding_depth(input, depth)](Executor& executor, Span<const T> in, Span<const T> out) {
    check_exclusive_scan<T, Operator>(executor, in, out, depth);
  };
}

}  // namespace fathom
