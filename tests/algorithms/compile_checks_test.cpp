// SPDX-License-Identifier: Apache-2.0
// The kernels that make inputs and check outputs, which belong to no algorithm, compile for the oldest and
// the newest GPUs. Needs no GPU.
#include "../support/skip.h"
#include "compile_together.h"

#include <fathom/algorithms/check/check.h>
#include <fathom/device/recording_executor.h>

#include <catch2/catch.hpp>

#include <set>

using namespace fathom;
using namespace fathom::tests;

namespace {

template <class... Key>
void ask_for_sorts(Executor& executor, Types<Key...>) {
  const auto with_order = [&]<class K, class LessThan>() {
    check_sorted_pairs<K, u32, LessThan>(executor, {nullptr, 1}, {nullptr, 1}, {nullptr, 1}, true);
    check_sorted_pairs<K, u64, LessThan>(executor, {nullptr, 1}, {nullptr, 1}, {nullptr, 1}, true);
  };
  (with_order.template operator()<Key, Less>(), ...);
  (with_order.template operator()<Key, Greater>(), ...);
  (fill_keys<Key>(executor, {nullptr, 1}, Input::random), ...);
  (fill_keys<Key>(executor, {nullptr, 1}, Input::conflict_heavy), ...);
  fill_values<u32>(executor, {nullptr, 1});
  fill_values<u64>(executor, {nullptr, 1});
}

template <class... T>
void ask_for_sums(Executor& executor, Types<T...>) {
  (fill_summands<T>(executor, {nullptr, 1}, Input::random), ...);
  (fill_summands<T>(executor, {nullptr, 1}, Input::conflict_heavy), ...);
  (check_reduction<T, Plus>(executor, {nullptr, 1}, {nullptr, 1}), ...);
  (check_exclusive_scan<T, Plus>(executor, {nullptr, 1}, {nullptr, 1}, 0), ...);
  (check_exclusive_scan<T, Plus>(executor, {nullptr, 1}, {nullptr, 1}, 1), ...);
}

}  // namespace

TEST_CASE("kernels that make inputs and check outputs compile for every type") {
  need_compiler();
  RecordingExecutor executor({.multiprocessors = 1,
                              .shared_bytes_per_multiprocessor = 0,
                              .shared_bytes_reserved = 0,
                              .resident_blocks = [](const Launch&) { return 1; }});
  ask_for_sorts(executor, KeyElements{});
  ask_for_sums(executor, SummandElements{});

  std::set<std::string> seen;
  std::vector<Compilation> compilations;
  for (const Launch& launch : executor.launches())
    if (seen.insert(launch.source().expression).second)
      for (int architecture : {75, 90, 120})
        compilations.push_back({launch.source().expression, launch, architecture});
  const std::size_t keys = element_types(KeyElements{}).size(),
                    summands = element_types(SummandElements{}).size();
  CHECK(seen.size() ==
        8 * keys + 4 * summands + 4);  // the last two terms: filling values, and checking sums that round

  check_that_all_compile(compilations);
}
