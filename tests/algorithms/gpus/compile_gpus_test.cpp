// SPDX-License-Identifier: Apache-2.0
// The kernels of algorithms for several GPUs compile, for every type. Needs no GPU.
#include "../../support/machines.h"
#include "../../support/skip.h"
#include "../compile_in_parallel.h"

#include <fathom/algorithms/gpus/find_cuts.h>
#include <fathom/algorithms/gpus/merge_received.h>
#include <fathom/algorithms/gpus/sample_elements.h>
#include <fathom/algorithms/gpus/split/split_by_cuts.h>
#include <fathom/algorithms/make_algorithm.h>

#include <catch2/catch.hpp>

using namespace fathom;
using namespace fathom::tests;

namespace {

template <class... Element>
void add_splits(Plan& launches, Types<Element...>) {
  for (const int parts : {1, 4, 8, 40})  // few, and more
    for (const Plan& plan : {SplitByCuts<Element>::plan(1000, parts, any_device())...})
      launches.insert(launches.end(), plan.begin(), plan.end());
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
  add_splits(launches, RadixKeys{});
  add_splits(launches, RecordTypes{});
  add_merges<Unstable>(launches, RadixKeys{});
  add_merges<Unstable>(launches, RecordTypes{});
  add_merges<Stable>(launches, RecordTypes{});
  std::vector<Compilation> compilations;
  for (const Launch& launch : launches)
    for (const int architecture : {75, 90})
      compilations.push_back({std::string(launch.name()), launch, architecture});
  compile_in_parallel(compilations);
  for (const Compilation& each : compilations) {
    INFO(each.label << " sm_" << each.architecture);
    CHECK(each.error == "");
  }
}
