// Host side of making inputs and checking outputs, on whatever executor the data lies.
#pragma once

#include <fathom/algorithms/check/digest_keys.h>
#include <fathom/algorithms/driver.h>
#include <fathom/device/executor.h>

namespace fathom {

/// Fills `output` with an input pattern. T: u32, u64.
template <class T>
void fill_input(Executor& executor, Span<T> output, Input input);

template <class Key, class LessThan>
KeyDigest digest_keys(Executor& executor, Span<const Key> keys);

/// Throws KernelFailure when `output` is not `input`'s keys in order.
template <class Key, class LessThan>
void check_sorted(Executor& executor, Span<const Key> input, Span<const Key> output);

/// Throws KernelFailure when `output` is not the exclusive scan of `input`.
template <class T, class Operator>
void check_exclusive_scan(Executor& executor, Span<const T> input, Span<const T> output);

}  // namespace fathom
