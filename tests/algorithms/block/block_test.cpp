// SPDX-License-Identifier: Apache-2.0
// The primitives of algorithms/block/ alone: on the CPU against serial code, and through the run-time
// compiler.
#include "../../support/skip.h"
#include "block_cases.h"

#include <fathom/algorithms/block/tile.h>
#include <fathom/device/counting/counting_executor.h>
#include <fathom/device/cuda/cuda_executor.h>
#include <fathom/model/architectures.h>

#include <catch2/catch.hpp>

using namespace fathom;

TEST_CASE("every primitive gives what serial code gives, around a warp and a tile") {
  CountingExecutor executor;
  for (const BlockCase& each : block_cases()) {
    INFO(each.name);
    CHECK(each.run(executor) == "");
  }
}

TEST_CASE("the last tile of an array has what is left") {
  const auto last = TileRange::number(3, 128, 400);
  CHECK(last.first == 384);
  CHECK(last.count == 16);
  CHECK_FALSE(last.is_whole());
  CHECK(TileRange::number(2, 128, 400).is_whole());
  CHECK(TileRange::number(2, 128, 384).is_whole());
}

TEST_CASE("every primitive compiles for the oldest and the newest architecture") {
  tests::need_compiler();
  for (const int architecture : {75, architectures().back().compute_capability})
    for (const BlockCase& each : block_cases()) {
      INFO("sm_" << architecture << " " << each.name);
      CHECK_NOTHROW(compile_kernel(each.launch.source(), each.launch.shape.threads, architecture));
    }
}
