// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/check/check.h>
#include <fathom/algorithms/check/check_values.h>
#include <fathom/algorithms/check/run_check.h>

#include <tuple>

namespace fathom {
namespace {

template <class Key, class LessThan>
KeyDigest digest_keys(Executor& executor, Span<const Key> keys) {
  using Kernel = DigestKeys<Key, LessThan>;
  const auto counted = count_with(executor, keys.count, Kernel{keys, {}}, &Kernel::digest, 4);
  return {counted[0], counted[1], counted[2], counted[3]};
}

/// "3 of 1000 keys"
std::string share(u64 some, u64 all, const std::string& what) {
  return std::to_string(some) + " of " + std::to_string(all) + " " + what;
}

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

template <class Key, class Value, class LessThan>
void check_sorted_pairs(Executor& executor, Span<const Key> keys_in, Span<const Key> keys_out,
                        Span<const Value> values_out, bool stable) {
  using Kernel = CheckValues<Key, Value, LessThan>;
  const u64 n = keys_in.count;
  same_count(n, values_out.count);
  if (stable && sizeof(Value) == 4 && n > u64(1) << 32)
    throw std::invalid_argument(
        "32-bit values cannot number more than 2^32 keys to check stability: use u64");
  check_sorted<Key, LessThan>(executor, keys_in, keys_out);
  const auto counted = count_with(executor, n, Kernel{keys_in, keys_out, values_out, {}}, &Kernel::faults, 4);
  judge_values({counted[0], counted[1], counted[2], counted[3]}, n, stable);
}

namespace {

// Taking their addresses instantiates the functions for all types in this object file.
template <class... Key>
constexpr auto for_keys(Types<Key...>) {
  return std::tuple{&check_sorted<Key, Less>...,
                    &check_sorted<Key, Greater>...,
                    &check_sorted_pairs<Key, u32, Less>...,
                    &check_sorted_pairs<Key, u32, Greater>...,
                    &check_sorted_pairs<Key, u64, Less>...,
                    &check_sorted_pairs<Key, u64, Greater>...};
}
[[gnu::used]] const auto functions = for_keys(KeyElements{});

}  // namespace

}  // namespace fathom
