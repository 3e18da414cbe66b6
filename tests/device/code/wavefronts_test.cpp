// SPDX-License-Identifier: Apache-2.0
// Wavefronts of shared memory that compiled code takes, from machine code written by hand.
#include "listing.h"

#include <catch2/catch.hpp>

using namespace fathom;
using namespace fathom::tests;

TEST_CASE("a combined store takes the wavefronts of one of its accesses, or what its width needs") {
  const auto code = listed("STS.128 [R2], R4 @5; EXIT");
  const auto wavefronts = [&](u64 of_each) {
    KernelCounts counts = forty_warps();
    add_shared_stores(counts, 5, 4 * 40, of_each, 40);
    const KernelInstructions result = count_instructions(code, counts);
    CHECK(relative(result.by_opcode.at("STS"), 40) < 1e-3);
    return result.shared_wavefronts / 40;  // of an STS.128
  };
  CHECK(wavefronts(1) == Approx(4).epsilon(1e-3));  // 512 bytes
  CHECK(wavefronts(4) == Approx(4).epsilon(1e-3));
  CHECK(wavefronts(8) == Approx(8).epsilon(1e-3));
}

TEST_CASE("stores that were not combined take what was counted") {
  const auto code = listed("STS [R2], R4 @5; STS [R3], R4 @5; EXIT");
  KernelCounts counts = forty_warps();
  add_shared_stores(counts, 5, 2 * 40, 3, 40);
  CHECK(count_instructions(code, counts).shared_wavefronts == Approx(2 * 40 * 3).epsilon(1e-3));
}

TEST_CASE("a guarded access takes a wavefront also where no lane executes it") {
  const auto code = listed("STS [R2], R4 @3; @P0 STS [R2], R4 @9; EXIT");
  KernelCounts counts = forty_warps();
  add_shared_stores(counts, 3, 40, 1, 40);
  add_shared_stores(counts, 9, 8, 2, 8);
  // 40 of the first; of the guarded one 8 with a conflict, and 32 that find no lane.
  CHECK(count_instructions(code, counts).shared_wavefronts == Approx(40 + 8 * 2 + 32).epsilon(1e-3));
}

TEST_CASE("one combined store may serve two places in the source") {
  const auto code = listed("STS.128 [R2], R4 @5; EXIT");
  KernelCounts counts = forty_warps();
  counts.blocks *= 2;  // eighty warps: half of the words come from each place
  add_shared_stores(counts, 5, 4 * 40, 4, 40);
  add_shared_stores(counts, 30, 4 * 40, 4, 40);
  CHECK(count_instructions(code, counts).shared_wavefronts == Approx(80 * 4).epsilon(1e-3));
}

TEST_CASE("a combined store may have a line of which it is none") {
  const auto code = listed("LDG.E R0, [R2] @3; STS.128 [R2], R4 @5; EXIT");
  KernelCounts counts = forty_warps();
  add_loads(counts, 3, 40, 40, 40);
  add_shared_stores(counts, 30, 2 * 40, 2, 40);
  add_shared_stores(counts, 60, 2 * 40, 2, 40);
  CHECK(count_instructions(code, counts).shared_wavefronts == Approx(40 * 4).epsilon(1e-3));
}

TEST_CASE("a shared access without machine code takes what was counted") {
  const auto code = listed("LDG.E R0, [R2] @3; EXIT");
  KernelCounts counts = forty_warps();
  add_loads(counts, 3, 40, 40, 40);
  add_shared_stores(counts, 30, 20, 2, 20);
  CHECK(count_instructions(code, counts).shared_wavefronts == 20 * 2);
}
