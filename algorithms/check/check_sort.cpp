// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/check/check.h>
#include <fathom/algorithms/check/check_lists.h>
#include <fathom/algorithms/check/check_values.h>
#include <fathom/algorithms/check/cut_lists.h>
#include <fathom/algorithms/check/judge.h>
#include <fathom/algorithms/check/run_check.h>

#include <tuple>

namespace fathom {
namespace {

template <class Kernel>
KeyDigest digest_by(Executor& executor, const Kernel& kernel) {
  const auto counted = count_with(executor, kernel.keys.count, kernel, &Kernel::digest, 4);
  return {counted[0], counted[1], counted[2], counted[3]};
}
template <class Key, class LessThan>
KeyDigest digest_keys(Executor& executor, Span<const Key> keys) {
  return digest_by(executor, DigestKeys<Key, LessThan>{keys, {}});
}
template <class Key, class LessThan>
KeyDigest digest_lists(Executor& executor, Span<const Key> keys, Span<const Index> begins) {
  return digest_by(executor, DigestLists<Key, LessThan>{keys, begins, {}});
}

/// "3 of 1000 keys"
std::string share(u64 some, u64 all, const std::string& what) {
  return std::to_string(some) + " of " + std::to_string(all) + " " + what;
}

}  // namespace

void judge_keys(const KeyDigest& before, const KeyDigest& after, u64 n) {
  if (before.nans > 0)
    throw KernelFailure("the input cannot be sorted: " + share(before.nans, n, "keys are NaN") +
                        ", which has no place in the order: remove them or replace them with an infinity");
  if (after.out_of_order > 0) wrong_result(share(after.out_of_order, n, "keys are out of order"));
  if (!after.same_keys(before)) wrong_result("the output is sorted, but its keys differ from the input's");
}

void judge_values(const ValueFaults& faults, u64 n, bool stable) {
  if (faults.strayed > 0) wrong_result(share(faults.strayed, n, "values are paired with the wrong key"));
  if (!faults.same_values()) wrong_result("some values are duplicated and others are lost");
  if (stable && faults.out_of_turn > 0)
    wrong_result("the sort is not stable: " + share(faults.out_of_turn, n, "keys") +
                 " changed order with an equal key");
}

void can_check_values(u64 n, std::size_t value_bytes, bool stable) {
  if (stable && value_bytes == 4 && n > u64(1) << 32)
    throw std::invalid_argument(
        "32-bit values cannot number more than 2^32 keys to check stability: use u64");
}

namespace {

void same_count(u64 expected, u64 found) {
  if (expected != found)
    throw std::invalid_argument("the output has " + std::to_string(found) + " elements, but the input has " +
                                std::to_string(expected));
}

}  // namespace

template <class Key, class LessThan>
void check_sorted(Executor& executor, Span<const Key> input, Span<const Key> output) {
  same_count(input.count, output.count);
  judge_keys(digest_keys<Key, LessThan>(executor, input), digest_keys<Key, LessThan>(executor, output),
             input.count);
}

namespace {

template <class Value>
void can_check_values(u64 n, Span<const Value> values_out, bool stable) {
  same_count(n, values_out.count);
  fathom::can_check_values(n, sizeof(Value), stable);
}

/// Of keys in order.
template <class Key, class Value, class LessThan>
void check_values(Executor& executor, Span<const Key> keys_in, Span<const Key> keys_out,
                  Span<const Value> values_out, bool stable) {
  using Kernel = CheckValues<Key, Value, LessThan>;
  const u64 n = keys_in.count;
  const auto counted = count_with(executor, n, Kernel{keys_in, keys_out, values_out, {}}, &Kernel::faults, 4);
  judge_values({counted[0], counted[1], counted[2], counted[3]}, n, stable);
}

}  // namespace

template <class Key, class Value, class LessThan>
void check_sorted_pairs(Executor& executor, Span<const Key> keys_in, Span<const Key> keys_out,
                        Span<const Value> values_out, bool stable) {
  can_check_values(keys_in.count, values_out, stable);
  check_sorted<Key, LessThan>(executor, keys_in, keys_out);
  check_values<Key, Value, LessThan>(executor, keys_in, keys_out, values_out, stable);
}

void cut_lists(Executor& executor, Span<Index> begins, Index n, Index mean) {
  launch_over(executor, begins.count, CutLists{begins, n, mean});
}

template <class Key, class LessThan>
void check_sorted_lists(Executor& executor, Span<const Index> begins, Span<const Key> input,
                        Span<const Key> output) {
  same_count(input.count, output.count);
  judge_keys(digest_lists<Key, LessThan>(executor, input, begins),
             digest_lists<Key, LessThan>(executor, output, begins), input.count);
}

// Lists have other positions in the input than those before them, and so greater values: that of all keys
// suffices as a check of stability.
template <class Key, class Value, class LessThan>
void check_sorted_lists_of_pairs(Executor& executor, Span<const Index> begins, Span<const Key> keys_in,
                                 Span<const Key> keys_out, Span<const Value> values_out, bool stable) {
  using Kernel = CountStrayedValues<Value>;
  const u64 n = keys_in.count;
  can_check_values(n, values_out, stable);
  check_sorted_lists<Key, LessThan>(executor, begins, keys_in, keys_out);
  check_values<Key, Value, LessThan>(executor, keys_in, keys_out, values_out, stable);
  const auto strayed = count_with(executor, n, Kernel{values_out, begins, {}}, &Kernel::strayed, 1);
  if (strayed[0] > 0) wrong_result(share(strayed[0], n, "values are in another list than their key was"));
}

namespace {

// Taking their addresses instantiates the functions for all types in this object file.
template <class... Key>
constexpr auto for_keys(Types<Key...>) {
  return std::tuple{&check_sorted<Key, Less>...,
                    &check_sorted<Key, Greater>...,
                    &check_sorted_lists<Key, Less>...,
                    &check_sorted_lists_of_pairs<Key, u32, Less>...,
                    &check_sorted_lists_of_pairs<Key, u64, Less>...,
                    &check_sorted_pairs<Key, u32, Less>...,
                    &check_sorted_pairs<Key, u32, Greater>...,
                    &check_sorted_pairs<Key, u64, Less>...,
                    &check_sorted_pairs<Key, u64, Greater>...};
}
[[gnu::used]] const auto functions = for_keys(KeyElements{});

}  // namespace

}  // namespace fathom
