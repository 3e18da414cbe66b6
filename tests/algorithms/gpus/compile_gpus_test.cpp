// SPDX-License-Identifier: Apache-2.0
// The kernels of algorithms for several GPUs compile, for every type. Needs no GPU.
#include "../../support/machines.h"
#include "../../support/skip.h"
#include "../compile_together.h"

#include <fathom/algorithms/gpus/find_cuts.h>
#include <fathom/algorithms/gpus/merge_received.h>
#include <fathom/algorithms/gpus/prefix/order_by_prefix.h>
#include <fathom/algorithms/gpus/prefix/sort_pieces.h>
#include <fathom/algorithms/gpus/sample_elements.h>
#include <fathom/algorithms/make_algorithm.h>

#include <catch2/catch.hpp>

#include <map>

using namespace fathom;
using namespace fathom::tests;

namespace {

template <class... Element>
void add_sorts_by_prefix(Plan& launches, Types<Element...>) {
  const auto add = [&](const Plan& plan) { launches.insert(launches.end(), plan.begin(), plan.end()); };
  for (const Index n : {Index(1) << 20, Index(1) << 29}) {
    (add(OrderByPrefix<Element>::plan(n / 2, PrefixDivision::of<Element>(n, 2, any_device()), any_device())),
     ...);
    (add(SortPieces<Element>::plan(n / 2, PrefixDivision::of<Element>(n, 2, any_device()), 2)), ...);
  }
}
template <class Stability, class... Element>
void add_merges(Plan& launches, Types<Element...>) {
  for (const Plan& plan : {MergeReceived<Element, Stability>::plan(1000, 8, any_device())...})
    launches.insert(launches.end(), plan.begin(), plan.end());
}
template <class... Key>
void add_cuts(Plan& launches, Types<Key...>) {
  for (const Launch& launch :
       {launch_of<SampleElements<Key>>(0, 1, {256})..., launch_of<FindCuts<Key>>(0, 1, {warp_width})...})
    launches.push_back(launch);
}

}  // namespace

TEST_CASE("kernels for several GPUs compile") {
  need_compiler();
  Plan launches;
  add_cuts(launches, RadixKeys{});
  add_sorts_by_prefix(launches, RadixKeys{});
  add_sorts_by_prefix(launches, RecordTypes{});
  add_merges<Unstable>(launches, RadixKeys{});
  add_merges<Unstable>(launches, RecordTypes{});
  add_merges<Stable>(launches, RecordTypes{});
  // Plans launch a kernel more than once, and have many of them in common.
  std::map<std::pair<std::string, int>, Launch> kernels;
  for (const Launch& launch : launches)
    kernels.try_emplace({launch.source().expression, launch.shape.threads}, launch);
  std::vector<Compilation> compilations;
  for (const auto& [key, launch] : kernels)
    for (const int architecture : {75, 90})
      compilations.push_back({std::string(launch.name()), launch, architecture});
  check_that_all_compile(compilations);
}
