// SPDX-License-Identifier: Apache-2.0
// The critical path of a warp, from machine code written by hand.
#include "listing.h"

#include <catch2/catch.hpp>

using namespace fathom;
using namespace fathom::tests;

TEST_CASE("a warp waits once for a batch of loads, and once more for a load that depends on it") {
  const auto code = Listing()
                        .add("LDG.E R0, [R2]", 5, {.stall = 2, .write_barrier = 0})
                        .add("LDG.E R1, [R4]", 0, {.stall = 2, .write_barrier = 1})
                        .add("IADD3 R6, R0, R1, RZ", 0, {.stall = 4, .wait = 0b01})
                        .add("IADD3 R6, R6, R1, RZ", 0, {.stall = 4, .wait = 0b10})
                        .add("LDS R7, [R6]", 0, {.stall = 2, .write_barrier = 0})
                        .add("BAR.SYNC.DEFER_BLOCKING 0x0", 0, {.stall = 3})
                        .add("IADD3 R7, R7, R7, RZ", 0, {.stall = 4, .wait = 0b01})
                        .add("EXIT", 0, {.stall = 5})
                        .parse();
  const WarpChain chain = count_loads(code, {{5, 80}}).chain;
  CHECK(chain.issue_clocks == Approx(2 + 2 + 4 + 4 + 2 + 3 + 4 + 5).epsilon(1e-3));
  CHECK(chain.of(WaitKind::global).batches == Approx(1).epsilon(1e-3));
  CHECK(chain.of(WaitKind::global).covered ==
        Approx(4).epsilon(1e-3));  // of the first load; the second follows
  CHECK(chain.of(WaitKind::shared).batches == Approx(1).epsilon(1e-3));
  CHECK(chain.of(WaitKind::shared).covered == Approx(5).epsilon(1e-3));
  CHECK(chain.of(WaitKind::special).batches == Approx(0).margin(1e-3));
  CHECK(chain.barriers == Approx(1).epsilon(1e-3));
  CHECK(chain.clocks({0, 0, 30, 500}) == Approx(26 + 496 + 25).epsilon(1e-3));
}

TEST_CASE("a wait in a later block belongs to the load and counts once per turn of the loop") {
  // The load of the next turn is issued before the sum of this one: a pipeline of two.
  const auto code = Listing()
                        .add("LDG.E R0, [R2]", 5, {.stall = 2, .write_barrier = 0})
                        .label(".L_x_0")
                        .add("MOV R3, R0", 0, {.stall = 4, .wait = 0b1})
                        .add("LDG.E R0, [R2]", 25, {.stall = 2, .write_barrier = 0})
                        .add("IADD3 R5, R5, R3, RZ", 0, {.stall = 4})
                        .add("@P0 BRA `(.L_x_0)", 0, {.stall = 5})
                        .add("EXIT", 0, {.stall = 5})
                        .parse();
  const WarpChain chain = count_loads(code, {{5, 40}, {25, 400}}).chain;
  CHECK(chain.of(WaitKind::global).batches == Approx(10).epsilon(1e-3));
  CHECK(chain.issue_clocks == Approx(2 + 10 * 15 + 5).epsilon(1e-3));
}

TEST_CASE("a load is waited for however many branches are in between") {
  Listing listing;
  listing.add("LDG.E R0, [R2]", 5, {.stall = 2, .write_barrier = 0});
  constexpr int branches = 20;
  for (int i = 0; i < branches; ++i) {
    const std::string label = ".L_x_" + std::to_string(i);
    listing.add("@P0 BRA `(" + label + ")", 0, {.stall = 5}).label(label);
  }
  listing.add("MOV R3, R0", 0, {.stall = 4, .wait = 0b1}).add("EXIT", 0, {.stall = 5});
  const WarpChain chain = count_loads(listing.parse(), {{5, 40}}).chain;
  CHECK(chain.of(WaitKind::global).batches == Approx(1).epsilon(1e-3));
  CHECK(chain.of(WaitKind::global).covered == Approx(2 + branches * 5).epsilon(1e-3));
}

TEST_CASE("the chain is that of the slowest warp, unless hardly any block has such a one") {
  Listing listing;
  listing.add("LDG.E R0, [R2]", 5, {.stall = 2}).add("@P0 BRA `(.L_x_0)", 0, {.stall = 5});
  listing.add("LDG.E R0, [R2]", 25, {.stall = 2});
  for (int i = 0; i < 10; ++i) listing.add("IADD3 R5, R5, R3, RZ", 0, {.stall = 4});
  const auto code = listing.label(".L_x_0").add("EXIT", 0, {.stall = 5}).parse();
  const auto clocks = [&](u64 blocks, u64 warps_with_more) {
    KernelCounts counts = forty_warps();
    counts.blocks = blocks;
    add_loads(counts, 5, 4 * blocks, 4 * blocks, 4 * blocks);
    add_loads(counts, 25, warps_with_more, warps_with_more, warps_with_more);
    return count_instructions(code, counts).chain.issue_clocks;
  };
  const double all = 2 + 5 + 5, more = 2 + 10 * 4;
  CHECK(clocks(10, 40) == Approx(all + more).epsilon(1e-3));        // every warp
  CHECK(clocks(10, 10) == Approx(all + more).epsilon(1e-3));        // one of each block
  CHECK(clocks(10, 1) == Approx(all + more).epsilon(1e-3));         // one of ten blocks
  CHECK(clocks(100, 1) == Approx(all + more / 400).epsilon(1e-3));  // one of a hundred: the mean
}

TEST_CASE("a fence waits as long as a load, for what nobody waits for otherwise") {
  const auto chain_of = [](const char* fence) {
    const auto code = Listing().add("STG.E [R2], R0", 5).add(fence).add("EXIT").parse();
    KernelCounts counts = forty_warps();
    AccessSite site;
    site.path = "/b/kernel.h";
    site.line = 5;
    site.operation = MemoryOperation::store;
    site.global.accesses = 40;
    site.global.warp_words = 32 * 40;
    site.warps = site.visits = 40;
    counts.sites.push_back(site);
    return count_instructions(code, counts).chain;
  };
  CHECK(chain_of("MEMBAR.SC.GPU").of(WaitKind::global).batches == Approx(1).epsilon(1e-3));
  CHECK(chain_of("NOP").of(WaitKind::global).batches == 0);
}
