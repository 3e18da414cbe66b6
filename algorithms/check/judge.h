// SPDX-License-Identifier: Apache-2.0
// What follows from what a check has counted. Wrong outputs throw KernelFailure.
#pragma once

#include <fathom/algorithms/check/check_values.h>
#include <fathom/core/problem.h>

#include <cstddef>

namespace fathom {

/// Of n keys before and after a sort.
void judge_keys(const KeyDigest& before, const KeyDigest& after, u64 n);
void judge_values(const ValueFaults& faults, u64 n, bool stable);
/// Throws std::invalid_argument for values of so many bytes that cannot number n keys.
void can_check_values(u64 n, std::size_t value_bytes, bool stable);

/// How the input's elements are made, and with which threshold (pattern.h). Not of the conflict-heavy one.
Pattern pattern_of(const Input& input);
u64 threshold_of(const Input& input);

}  // namespace fathom
