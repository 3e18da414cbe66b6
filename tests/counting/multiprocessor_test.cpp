// SPDX-License-Identifier: Apache-2.0
// The simulated multiprocessor, by programs whose clocks can be told by hand.
#include "../device/code/listing.h"

#include <fathom/algorithms/registry.h>
#include <fathom/counting/multiprocessor/multiprocessor.h>
#include <fathom/device/counting/counting_executor.h>

#include <catch2/catch.hpp>

#include <map>

using namespace fathom;
using namespace fathom::tests;

namespace {

/// Executions of the edges of a block, by its number, per block of threads.
using Edges = std::map<std::size_t, std::vector<double>>;

/// Blocks of so many warps. Where the code branches, `edges` says how often each way is taken; all else
/// follows.
MultiprocessorCode code_of(const Disassembly& code, int warps, const Edges& edges = {},
                           KernelCounts counts = {}) {
  counts.blocks = 1;
  counts.threads_per_block = 32 * warps;
  const FlowGraph flow = flow_graph(code);
  Frequencies frequencies;
  frequencies.blocks.assign(flow.blocks.size(), 0);
  for (const BasicBlock& block : flow.blocks) frequencies.edges.emplace_back(block.next.size(), 0.0);
  // Loops are in the code's order here, so that their edges back are all given.
  frequencies.blocks[0] = warps;
  for (const auto& [from, times] : edges) frequencies.edges[from] = times;
  for (std::size_t round = 0; round < flow.blocks.size(); ++round)
    for (std::size_t i = 0; i < flow.blocks.size(); ++i) {
      frequencies.blocks[i] = i == 0 ? warps : 0;
      for (std::size_t from = 0; from < flow.blocks.size(); ++from) {
        for (std::size_t k = 0; k < flow.blocks[from].next.size(); ++k)
          if (flow.blocks[from].next[k] == i) frequencies.blocks[i] += frequencies.edges[from][k];
        for (const std::size_t callee : flow.blocks[from].callees)
          if (callee == i) frequencies.blocks[i] += frequencies.blocks[from];
      }
      if (!edges.contains(i))
        for (double& edge : frequencies.edges[i]) edge = frequencies.blocks[i];
    }
  return multiprocessor_code(code, flow, frequencies, counts);
}

double clocks(const MultiprocessorCode& code, int blocks = 1, const MultiprocessorOptions& options = {}) {
  return together(code, blocks, options).clocks;
}

Disassembly repeated(const std::string& instruction, int times, Control control = {}) {
  Listing listing;
  for (int i = 0; i < times; ++i) listing.add(instruction, 0, control);
  return listing.add("EXIT").parse();
}

}  // namespace

TEST_CASE("a warp alone takes the stall counts and the latencies that it waits for") {
  CHECK(clocks(code_of(repeated("IADD3 R0, R0, R1, RZ", 10, {.stall = 4}), 1)) == 10 * 4);
  const auto load = Listing()
                        .add("LDS R0, [R2]", 0, {.stall = 2, .write_barrier = 0})
                        .add("IADD3 R0, R0, R1, RZ", 0, {.stall = 4, .wait = 1})
                        .add("EXIT")
                        .parse();
  CHECK(clocks(code_of(load, 1)) == 23 + 4);  // wait.shared of an H200
  const auto wide = Listing()
                        .add("LDS.128 R0, [R2]", 0, {.stall = 2, .write_barrier = 0})
                        .add("EXIT", 0, {.wait = 1})
                        .parse();
  CHECK(clocks(code_of(wide, 1)) == 32);  // pipe-lds16
  MultiprocessorOptions options;
  options.global_latency = 500;
  const auto global = Listing()
                          .add("LDG.E R0, [R2]", 0, {.stall = 2, .write_barrier = 0})
                          .add("EXIT", 0, {.wait = 1})
                          .parse();
  CHECK(clocks(code_of(global, 1), 1, options) == 1 + 500);
}

TEST_CASE("each pipe of a scheduler takes an instruction of one of its warps at a time") {
  constexpr int length = 1000;
  const auto per_instruction = [](const char* instruction, int warps) {
    return clocks(code_of(repeated(instruction, length), warps)) / length;
  };
  for (const int warps : {4, 8, 16}) {
    const double of_scheduler = warps / 4.0;
    CHECK(per_instruction("LOP3.LUT R0, R0, R1, RZ, 0x3c, !PT", warps) ==
          Approx(2 * of_scheduler).epsilon(0.01));
    CHECK(per_instruction("IMAD R0, R0, R1, RZ", warps) == Approx(2 * of_scheduler).epsilon(0.01));
    CHECK(per_instruction("FFMA R0, R0, R1, RZ", warps) == Approx(of_scheduler).epsilon(0.01));
    CHECK(per_instruction("DADD R0, R0, R2", warps) == Approx(2 * of_scheduler).epsilon(0.01));
    CHECK(per_instruction("POPC R0, R1", warps) == Approx(8 * of_scheduler).epsilon(0.01));
    CHECK(per_instruction("UIADD3 UR4, UR4, UR5, URZ", warps) == Approx(2 * of_scheduler).epsilon(0.01));
    CHECK(per_instruction("LDS R0, [R2]", warps) == Approx(warps).epsilon(0.01));
    CHECK(per_instruction("SHFL.BFLY PT, R0, R0, 0x1, 0x1f", warps) == Approx(warps).epsilon(0.01));
  }
  CHECK(per_instruction("FFMA R0, R0, R2, R3", 16) == Approx(2 * 4).epsilon(0.01));  // pipe-ffma, one chain
  // ALU and FMA in turn issue an instruction a clock.
  Listing both;
  for (int i = 0; i < length; ++i) both.add(i % 2 ? "IMAD R0, R0, R1, RZ" : "SEL R2, R3, R4, P0");
  CHECK(clocks(code_of(both.add("EXIT").parse(), 8)) / length == Approx(2).epsilon(0.01));
}

TEST_CASE("registers of one parity are read one after another, unless they are kept") {
  // As in pipe-lop3-ffma with one chain: an H200 takes 7 clocks.
  Listing listing;
  for (int i = 0; i < 250; ++i)
    listing.add("FFMA R8, R8, R2, R3")
        .add("LOP3.LUT R0, R0, R4, R5, 0x6a, !PT")
        .add("FFMA R8, R8, R2, R3")
        .add("LOP3.LUT R0, R0, R2.reuse, R3.reuse, 0x6a, !PT");
  const auto code = code_of(listing.add("EXIT").parse(), 16);
  CHECK(clocks(code) / (250 * 4) == Approx(7).epsilon(0.01));
}

TEST_CASE("six warps take as long as eight") {
  const auto code = repeated("SEL R2, R3, R4, P0", 1000);
  CHECK(clocks(code_of(code, 6)) == Approx(clocks(code_of(code, 8))).epsilon(0.01));
}

TEST_CASE("warps of a scheduler fill each other's waits") {
  const auto code = repeated("FADD R0, R0, R1", 100, {.stall = 4});
  CHECK(clocks(code_of(code, 4)) == Approx(clocks(code_of(code, 16))).epsilon(0.02));
  CHECK(clocks(code_of(code, 32)) == Approx(2 * clocks(code_of(code, 16))).epsilon(0.02));
}

TEST_CASE("accesses to shared memory pass one after another, with their conflicts") {
  const auto code = Listing()
                        .add("STS [R2], R0", 5)
                        .add("LDS R1, [R3]", 0, {.write_barrier = 0})
                        .add("EXIT", 0, {.wait = 1})
                        .parse();
  KernelCounts counts;
  add_shared_stores(counts, 5, 8, 7, 8);
  const SimulatedClocks eight = together(code_of(code, 8, {}, counts), 1);
  CHECK(eight.on(Port::lsu) == 8 * (7 + 1));
  // The schedulers issue their first stores, then loads; the last load is behind all that.
  CHECK(eight.clocks == Approx(8 * 8 + 22));
}

TEST_CASE("nobody waits for an access that its guard holds back") {
  Listing listing;
  constexpr int loads = 8;
  for (int i = 0; i < loads; ++i)
    listing.add("@P0 LDG.E R0, [R2]", 0, {.stall = 2, .write_barrier = 0, .wait = 1});
  MultiprocessorCode code = code_of(listing.add("EXIT", 0, {.stall = 1, .wait = 1}).parse(), 1);
  MultiprocessorOptions options;
  options.global_latency = 500;
  CHECK(clocks(code, 1, options) == loads * 501);
  for (int i = 0; i < loads; ++i) code.instructions[std::size_t(i)].passes = 0.25;
  const SimulatedClocks alone = together(code, 1, options);
  const double made = alone.on(Port::lsu);
  CHECK(made == 2);
  CHECK(alone.clocks == Approx(made * 501 + (loads - made) * 2).margin(2));
  CHECK(together(code, 20, options).on(Port::lsu) == Approx(2).margin(0.1));
}

TEST_CASE("a store's registers are free when it has passed") {
  const auto code = Listing()
                        .add("STS [R2], R0", 5, {.read_barrier = 0})
                        .add("IADD3 R0, R0, R1, RZ", 0, {.stall = 4, .wait = 1})
                        .add("EXIT")
                        .parse();
  KernelCounts counts;
  add_shared_stores(counts, 5, 1, 9, 1);
  CHECK(clocks(code_of(code, 1, {}, counts)) == 9 + 4);
}

TEST_CASE("a barrier holds all warps of a block until the last has come") {
  const auto code = Listing()
                        .add("@P0 BRA `(.L_x_0)", 0, {.stall = 5})
                        .add("IADD3 R0, R0, R1, RZ", 0, {.stall = 15})
                        .add("IADD3 R0, R0, R1, RZ", 0, {.stall = 15})
                        .label(".L_x_0")
                        .add("BAR.SYNC.DEFER_BLOCKING 0x0", 0, {.stall = 5})
                        .add("EXIT")
                        .parse();
  // One of eight warps works before it comes.
  const auto block = code_of(code, 8, {{0, {7, 1}}});
  CHECK(clocks(block) == Approx(5 + 30 + 2 + 12).margin(2));
  MultiprocessorOptions free;
  free.barriers_hold = false;
  CHECK(clocks(block, 1, free) == Approx(5 + 30 + 5).margin(2));
  // pipe-barrier: a pass of two clocks per warp.
  CHECK(clocks(code_of(repeated("BAR.SYNC.DEFER_BLOCKING 0x0", 100), 32)) / 100 ==
        Approx(12 + 2 * 32).epsilon(0.03));
}

TEST_CASE("warps that have ended hold no barrier up, and named ones wait for those they name") {
  const auto some_end =
      Listing().add("@P0 EXIT", 0, {.stall = 5}).add("BAR.SYNC.DEFER_BLOCKING 0x0").add("EXIT").parse();
  const SimulatedClocks result = together(code_of(some_end, 8, {{0, {3}}}), 1);
  CHECK(result.broken_barriers == 0);
  CHECK(result.instructions_per_block == 8 + 3 * 2);
  const auto named = Listing().add("BAR.SYNC.DEFER_BLOCKING 0x1, 0x40").add("EXIT").parse();
  CHECK(together(code_of(named, 4), 1).broken_barriers == 0);
}

TEST_CASE("rare ways are taken by as many warps as their share says") {
  const auto code = Listing()
                        .add("@P0 BRA `(.L_x_0)")
                        .add("FADD R0, R0, R1")
                        .label(".L_x_0")
                        .add("@P1 BRA `(.L_x_1)")
                        .add("FMUL R0, R0, R1")
                        .label(".L_x_1")
                        .add("EXIT")
                        .parse();
  for (const int blocks : {1, 2, 7}) {
    const SimulatedClocks result = together(code_of(code, 8, {{0, {7, 1}}, {2, {7, 1}}}), blocks);
    CHECK(result.executions[1] == u64(blocks));
    CHECK(result.executions[3] == u64(blocks));
  }
  // A thirtieth of the warps is a warp in every fourth block.
  const SimulatedClocks rare = together(code_of(code, 8, {{0, {7.75, 0.25}}, {2, {7, 1}}}), 16);
  CHECK(rare.executions[1] == 4);
}

TEST_CASE("of ways within a way as many are taken as their share says") {
  // Two of eight warps come to the second branch, and every other one of these goes on.
  const auto code = Listing()
                        .add("@P0 BRA `(.L_x_0)")
                        .add("@P1 BRA `(.L_x_0)")
                        .add("FMUL R0, R0, R1")
                        .label(".L_x_0")
                        .add("EXIT")
                        .parse();
  const SimulatedClocks result = together(code_of(code, 8, {{0, {6, 2}}, {1, {1, 1}}}), 10);
  CHECK(result.executions[1] == 20);
  CHECK(result.executions[2] == 10);
}

TEST_CASE("a loop runs its mean number of times, in whole turns") {
  const auto code =
      Listing().label(".L_x_0").add("FADD R0, R0, R1").add("@P0 BRA `(.L_x_0)").add("EXIT").parse();
  const SimulatedClocks result = together(code_of(code, 8, {{0, {28, 8}}}), 1);  // four and a half times
  CHECK(result.executions[0] == 36);
  // The longest way has five turns, not more.
  MultiprocessorOptions options;
  options.clocks.branch = 10;
  CHECK(clocks(code_of(code, 8, {{0, {28, 8}}}), 1, options) <= 4 * 11 + 20);
}

TEST_CASE("a branch that is taken costs its latency") {
  const auto code =
      Listing().add("BRA `(.L_x_0)", 0, {.stall = 5}).add("NOP").label(".L_x_0").add("EXIT").parse();
  MultiprocessorOptions options;
  options.clocks.branch = 11;
  CHECK(clocks(code_of(code, 1), 1, options) == 11);
}

TEST_CASE("lanes that part go both ways, one after the other") {
  const auto code = Listing()
                        .add("BSSY B0, `(.L_x_1)")
                        .add("@P0 BRA `(.L_x_0)")
                        .add("FADD R0, R0, R1")
                        .add("BRA `(.L_x_2)")
                        .label(".L_x_0")
                        .add("FMUL R0, R0, R1")
                        .label(".L_x_2")
                        .add("BSYNC B0")
                        .label(".L_x_1")
                        .add("EXIT")
                        .parse();
  // Of eight warps two go one way, two the other, and four both.
  const SimulatedClocks result = together(code_of(code, 8, {{1, {6, 6}}, {4, {8}}}), 1);
  CHECK(result.executions[2] == 6);
  CHECK(result.executions[3] == 6);
  CHECK(result.executions[4] == 12);
  CHECK(result.executions[5] == 8);
}

TEST_CASE("warps of a block go around a loop with a barrier equally often") {
  const auto code = Listing()
                        .label(".L_x_0")
                        .add("BAR.SYNC.DEFER_BLOCKING 0x0")
                        .add("@P0 BRA `(.L_x_0)")
                        .add("EXIT")
                        .parse();
  const SimulatedClocks result = together(code_of(code, 8, {{0, {28, 8}}}), 4);
  CHECK(result.broken_barriers == 0);
  CHECK(result.executions[0] == 4 * 36);
}

TEST_CASE("a call comes back to where it was made") {
  const auto code = Listing()
                        .add("CALL.REL.NOINC `(.L_x_0)")
                        .add("FADD R0, R0, R1")
                        .add("EXIT")
                        .label(".L_x_0")
                        .add("FMUL R0, R0, R1")
                        .add("RET.REL.NODEC R2 `(.L_x_1)")
                        .parse();
  CHECK(together(code_of(code, 1), 1).instructions_per_block == 5);
}

TEST_CASE("in the steady state a block costs what the busiest pipe takes") {
  const auto code = code_of(repeated("SEL R2, R3, R4, P0", 500), 4);
  CHECK(steady(code, 8).clocks == Approx(500 * 2).epsilon(0.02));
  MultiprocessorOptions starts;
  starts.block_start = 3000;
  CHECK(steady(code, 8, starts).clocks == Approx(3000).epsilon(0.02));
  MultiprocessorOptions turnover;
  turnover.turnover = 3000;
  CHECK(steady(code, 1, turnover).clocks == Approx(4000).epsilon(0.02));
  MultiprocessorOptions fast;
  fast.fast = 1u << unsigned(Port::alu);
  CHECK(steady(code, 8, fast).clocks == Approx(500).epsilon(0.02));
}

TEST_CASE("an opcode that is not known is issued, and named") {
  const auto code = code_of(Listing().add("WONDER R0").add("EXIT").parse(), 2);
  CHECK(code.unknown == std::map<std::string, double>{{"WONDER", 2}});
  CHECK(together(code, 1).on(Port::issue) == 2 * 2 / 4.0);
}

TEST_CASE("the policy decides who issues, not what is issued") {
  const auto code = code_of(repeated("LDS R0, [R2]", 50, {.stall = 2, .write_barrier = 0, .wait = 1}), 16);
  MultiprocessorOptions round_robin;
  round_robin.policy = IssuePolicy::round_robin;
  const SimulatedClocks oldest = steady(code, 3), in_turn = steady(code, 3, round_robin);
  CHECK(oldest.busy == in_turn.busy);
  CHECK(oldest.clocks == steady(code, 3).clocks);  // deterministic
}
