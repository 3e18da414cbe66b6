// SPDX-License-Identifier: Apache-2.0
// Instructions of hand-made listings whose flow is known.
#include "../../support/environment.h"
#include "../../support/programs.h"
#include "listing.h"

#include <fathom/core/system/whole_file.h>
#include <fathom/device/code/registers.h>

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdint>

using namespace fathom;
using namespace fathom::tests;
using Catch::Matchers::Contains;

TEST_CASE("a listing gives the instructions with guard, targets, scheduling and lines") {
  const Disassembly code =
      Listing()
          .add("LDC R1, c[0x0][0x28]")
          .label(".L_x_1")
          .add("@!P0 LDG.E.128 R4, desc[UR8][R2.64]", 12, {.stall = 4, .write_barrier = 2})
          .add("@P1 BRA `(.L_x_1)", 0, {.stall = 5, .read_barrier = 1, .wait = 0b100100})
          .add("EXIT")
          .parse();
  REQUIRE(code.compute_capability == 90);
  REQUIRE(code.instructions.size() == 4);
  const MachineInstruction& load = code.instructions[1];
  CHECK(load.address == 16);
  CHECK(load.opcode == "LDG.E.128");
  CHECK(load.name() == "LDG");
  CHECK(load.has_modifier("128"));
  CHECK_FALSE(load.has_modifier("12"));
  CHECK(load.guard == "!P0");
  CHECK(load.operands == "R4, desc[UR8][R2.64]");
  CHECK(load.stall == 4);
  CHECK(load.write_barrier == 2);
  CHECK_FALSE(load.read_barrier);
  CHECK(load.lines == std::vector<SourceLine>{{"fathom/device/contract/cuda_block.h", 28}, {"kernel.h", 12}});
  const MachineInstruction& branch = code.instructions[2];
  CHECK(branch.targets == std::vector<std::size_t>{1});
  CHECK(branch.wait_mask == 0b100100);
  CHECK(branch.read_barrier == 1);
  CHECK(branch.stall == 5);
}

TEST_CASE("behind a jump lines are inherited until the next one is told") {
  const auto code =
      listed("LDG.E R0, [R2] @5; BRA `(.L2) @6; .L1: NOP; NOP @7; .L2: NOP; @P0 EXIT @8; .L3: NOP");
  const auto inherits = [&](std::size_t i) { return code.instructions.at(i).inherits_lines; };
  CHECK(inherits(2));
  CHECK(code.instructions[2].lines == code.instructions[1].lines);
  for (const std::size_t other : {0, 1, 3, 4, 5, 6}) CHECK_FALSE(inherits(other));
  // A jump with a condition goes on.
  for (const char* jump : {"@P0 BRA `(.L1)", "BRA P1, `(.L1)", "BRA !UP1, `(.L1)"}) {
    INFO(jump);
    CHECK_FALSE(listed(std::string(jump) + " @6; .L1: NOP").instructions.at(1).inherits_lines);
  }
}

TEST_CASE("a jump through a table goes wherever its list says") {
  const Disassembly code = tests::Listing()
                               .add("BRX R2 -0x10 (*\"BRANCH_TARGETS .L_x_1,.L_x_2\"*)")
                               .label(".L_x_1")
                               .add("NOP")
                               .label(".L_x_2")
                               .add("EXIT")
                               .parse();
  CHECK(code.instructions.at(0).targets == std::vector<std::size_t>{1, 2});
}

TEST_CASE("what is no listing is refused") {
  CHECK_THROWS_WITH(parse_disassembly(""), Contains("no instructions"));
  CHECK_THROWS_WITH(parse_disassembly("/*0000*/ NOP ; /* 0x0 */"), Contains("cut short"));
  CHECK_THROWS_WITH(parse_disassembly("/* 0x0000000000000000 */"), Contains("without an instruction"));
  CHECK_THROWS_WITH(parse_disassembly("/*zz*/ NOP ; /* 0x0 */"), Contains("'zz'"));
  CHECK_THROWS_WITH(parse_disassembly("/* 0x0"), Contains("no end"));
  CHECK_THROWS_WITH(parse_disassembly(".target"), Contains("no instructions"));
  std::string inlined;
  for (int i = 0; i < 201; ++i) inlined += "//## File \"a.h\", line 1\n";
  CHECK_THROWS_WITH(parse_disassembly(inlined), Contains("more than 200 functions"));
}

TEST_CASE("lanes that do not converge at the code's last instruction go nowhere") {
  const auto code = listed("BSSY B0, `(.L_x_1); .L_x_1: @P0 BSYNC B0");
  const FlowGraph flow = flow_graph(code);
  REQUIRE(flow.blocks.size() == 2);
  CHECK(flow.blocks[1].partners == std::vector<std::size_t>{0});
  CHECK(flow.blocks[1].next == std::vector<std::size_t>{1});
}

TEST_CASE("straight code runs once per warp") {
  const auto code = listed("LDG.E R0, [R2] @5; 3 × IADD3 R0, R0, R1, RZ; IMAD R0, R1, R2, R3; EXIT");
  const KernelInstructions result = count_loads(code, {{5, 40}});
  CHECK(result.issued == Approx(40 * 6).epsilon(1e-4));
  CHECK(result.on(Pipe::alu) == Approx(40 * 3).epsilon(1e-4));
  CHECK(result.on(Pipe::fma) == Approx(40).epsilon(1e-4));
  CHECK(result.on(Pipe::lsu) == Approx(40).epsilon(1e-4));
  CHECK(result.on(Pipe::cbu) == Approx(40).epsilon(1e-4));
  CHECK(result.by_opcode.at("IADD3") == Approx(120).epsilon(1e-4));
  CHECK(relative(result.most_issued, 240) < 1e-3);
}

TEST_CASE("a loop runs as often as its load was counted") {
  const auto code = listed(R"(4 × MOV R0, R1;
      .L_x_0: LDG.E R0, [R2] @5; 9 × IADD3 R0, R0, R1, RZ; @P0 BRA `(.L_x_0);
      EXIT)");
  const KernelInstructions result = count_loads(code, {{5, 40 * 7}});
  CHECK(result.loose_loops.empty());
  CHECK(relative(result.issued, 40 * (4 + 7 * 11 + 1)) < 1e-3);
}

TEST_CASE("copies of a load in an unrolled loop and its remainder share the count") {
  // Fourteen loads: three turns of four and two of one.
  const auto code = listed(R"(@P2 BRA `(.L_x_1);
      .L_x_0: LDG.E R0, [R2] @5; LDG.E R1, [R2+0x80] @5; LDG.E R3, [R2+0x100] @5; LDG.E R4, [R2+0x180] @5;
              5 × IADD3 R0, R0, R1, RZ; @P0 BRA `(.L_x_0);
      .L_x_1: LDG.E R0, [R2] @5; 4 × IADD3 R0, R0, R1, RZ; @P0 BRA `(.L_x_1);
      EXIT)");
  const KernelInstructions result = count_loads(code, {{5, 40 * 14}});
  CHECK(result.by_opcode.at("LDG") == Approx(40 * 14).epsilon(1e-3));
  // The remainder runs once at least; 13 / 4 turns before it are the fewest instructions.
  CHECK(relative(result.issued, 40 * (1 + 13 / 4. * 10 + 6 + 1)) < 2e-3);
  CHECK(result.most_issued >= 40 * (1 + 3 * 10 + 2 * 6 + 1));
}

TEST_CASE("shuffles of copied code may have lost their lines to another shuffle there") {
  // Seven turns of a loop that is unrolled twice: the second copy's are all of line 20.
  const auto unrolled = [](const std::string& add_of_copy) {
    return listed(
        ".L_x_0: IADD3 R1, R1, R2, RZ @5; SHFL.IDX R0, R1 @5; SHFL.IDX R0, R1 @5; SHFL.IDX R0, R1 @20;"
        "LDG.E R0, [R2] @30; @P1 BRA `(.L_x_1) @30;" +
        add_of_copy +
        "SHFL.IDX R0, R1 @20; SHFL.IDX R0, R1 @20; SHFL.IDX R0, R1 @20; LDG.E R0, [R2] @30;"
        ".L_x_1: IADD3 R0, R0, R1, RZ @40; 8 × IADD3 R0, R0, R1, RZ; @P0 BRA `(.L_x_0); EXIT");
  };
  KernelCounts counts = forty_warps();
  add_loads(counts, 30, 40 * 14, 40 * 14, 40);
  add_shuffles(counts, 5, 40 * 28);
  add_shuffles(counts, 20, 40 * 14);
  const KernelInstructions result = count_instructions(unrolled("IADD3 R1, R1, R2, RZ @5;"), counts);
  CHECK(relative(result.issued, 40 * (7 * 21 + 1)) < 1e-3);
  REQUIRE(result.anchors.size() == 2);
  CHECK(result.anchors[1].counted == 40 * 42);
  CHECK(relative(result.anchors[1].solved, 40 * 42) < 1e-3);

  // Without an instruction of line 5 it is no copy of that line's code, and the counts stand.
  CHECK(relative(count_instructions(unrolled("IADD3 R1, R1, R2, RZ @20;"), counts).issued,
                 40 * (14 * 16 + 1)) < 1e-3);
}

TEST_CASE("a loop within a loop is entered by the warps that come to its lines") {
  const auto code = listed(R"(.L_x_0: LDG.E R0, [R2] @5; @P1 BRA `(.L_x_2); 5 × MOV R0, R1;
      .L_x_1: LDG.E R0, [R2] @25; 9 × IADD3 R0, R0, R1, RZ; @P0 BRA `(.L_x_1);
      .L_x_2: @P2 BRA `(.L_x_0); EXIT)");
  const KernelInstructions result = count_loads(code, {{5, 40 * 3}, {25, 40 * 7}});
  CHECK(result.by_opcode.at("MOV") == Approx(40 * 5).epsilon(1e-3));
  CHECK(relative(result.issued, 40 * (3 * 3 + 5 + 7 * 11 + 1)) < 1e-3);
}

TEST_CASE("a block of copies runs only where a warp has as many accesses left") {
  // A quarter of a turn of sixteen loads would be cheaper than a turn of four.
  const auto code = listed(R"(@P0 BRA `(.L_x_1);
      .L_x_0: 16 × LDG.E R0, [R2] @5; @P1 BRA `(.L_x_0);
      .L_x_1: @P2 BRA `(.L_x_3);
      .L_x_2: 4 × LDG.E R0, [R2] @5; 4 × IADD3 R0, R0, R1, RZ; @P3 BRA `(.L_x_2);
      .L_x_3: EXIT)");
  const auto issued = [&](u64 warps_with_four, u64 warps_with_twenty) {
    KernelCounts counts = forty_warps();
    const u64 loads = 4 * warps_with_four + 20 * warps_with_twenty;
    add_loads(counts, 5, loads, loads, warps_with_four + warps_with_twenty);
    std::vector<u64>& warps_beyond = counts.sites[0].warps_beyond;
    warps_beyond.resize(warps_with_twenty > 0 ? 20 : 4, warps_with_twenty);
    std::fill_n(warps_beyond.begin(), 4, warps_with_four + warps_with_twenty);
    return count_instructions(code, counts).issued;
  };
  CHECK(relative(issued(40, 0), 40 * (1 + 1 + 9 + 1)) < 1e-3);
  CHECK(relative(issued(30, 10), 40 * (1 + 1 + 9 + 1) + 10 * 17) < 1e-3);
}

TEST_CASE("a loop for what an unrolled one leaves over has no more than that") {
  // Of four loads the last one is not needed where they stand together; the loop always makes it.
  const auto code = listed(R"(LOP3.LUT R8, R3, 0x3, RZ, 0xc0, !PT; ISETP.NE.U32.AND P1, PT, R8, RZ, PT;
              @!P1 BRA `(.L_x_1);
      .L_x_0: LDG.E R0, [R2] @5; STG.E [R4], R0 @9; IADD3 R8, R8, -0x1, RZ; ISETP.NE.U32.AND P1, PT, R8, RZ, PT;
              @P1 BRA `(.L_x_0);
      .L_x_1: @!P2 BRA `(.L_x_3);
      .L_x_2: 3 × LDG.E R0, [R2] @5; 4 × STG.E [R4], R0 @9; 9 × IADD3 R4, R4, 0x4, RZ; @P2 BRA `(.L_x_2);
      .L_x_3: EXIT)");
  const auto issued = [&](u64 accesses) {
    KernelCounts counts = forty_warps();
    add_loads(counts, 5, 40 * accesses, 40 * accesses, 40);
    counts.sites.push_back(counts.sites[0]);
    counts.sites[1].line = 9;
    counts.sites[1].operation = MemoryOperation::store;
    for (AccessSite& site : counts.sites) site.warps_beyond.assign(accesses, 40);
    return count_instructions(code, counts).issued;
  };
  CHECK(relative(issued(4), 40 * (3 + 1 + 17 + 1)) < 1e-3);
  CHECK(relative(issued(6), 40 * (3 + 2 * 5 + 1 + 17 + 1)) < 1e-3);
}

TEST_CASE("a loop that counts to a constant turns as often") {
  // The loads could also be those ahead of it.
  const auto code = listed(R"(@P1 BRA `(.L_x_0); LDG.E R0, [R2] @5;
      .L_x_0: IMAD.MOV.U32 R8, RZ, RZ, RZ;
      .L_x_1: LDG.E R0, [R2] @5; 9 × IMAD R0, R0, R1, RZ; VIADD R8, R8, 0x1; ISETP.NE.AND P0, PT, R8, 0x6, PT;
              @P0 BRA `(.L_x_1);
      EXIT)");
  CHECK(relative(count_loads(code, {{5, 40 * 7}}).issued, 40 * (2 + 1 + 6 * 13 + 1)) < 1e-3);
}

TEST_CASE("where a warp's number must equal another, one warp of each launch goes") {
  // Ten blocks of four warps. Both ways have the load, and the unusual one is shorter.
  const auto issued = [](const std::string& number) {
    const auto code =
        listed("S2R R1, SR_TID.X; S2R R2, SR_CTAID.X; SHF.R.U32.HI R3, RZ, 0x5, R1; " + number +
               "; ISETP.NE.U32.AND P0, PT, R4, RZ, PT; @P0 BRA `(.L_x_0); LDG.E R0, [R2] @5; EXIT; "
               ".L_x_0: 9 × IADD3 R0, R0, R1, RZ; LDG.E R0, [R2] @5; EXIT");
    return count_loads(code, {{5, 40}}).issued;
  };
  const auto with = [](double warps) { return 40 * (6 + 2) + 9 * (40 - warps); };
  CHECK(relative(issued("IMAD.WIDE.U32 R4, R2, 0x4, R3"), with(1)) < 1e-3);
  CHECK(relative(issued("IMAD.MOV.U32 R4, RZ, RZ, R1"), with(10)) < 1e-3);
  CHECK(relative(issued("IMAD.MOV.U32 R4, RZ, RZ, R2"), with(4)) < 1e-3);
  CHECK(relative(issued("LOP3.LUT R4, R1, 0x1f, RZ, 0xc0, !PT"), with(40)) < 1e-3);
}

TEST_CASE("where a launch decides, all its warps go where each launch has a count") {
  const auto issued = [](const std::string& decision, u64 launches) {
    const auto code = listed("LDG.E R0, [R2] @3; " + decision +
                             "; @!P1 EXIT; 5 × IADD3 R0, R0, R1, RZ; @P2 EXIT; LDG.E R0, [R2] @25; EXIT");
    KernelCounts counts = forty_warps();
    counts.launches = 2;
    add_loads(counts, 3, 40, 40, 40);
    add_loads(counts, 25, 2, 2, 2);
    counts.sites[0].launches = 2;
    counts.sites[1].launches = launches;
    return count_instructions(code, counts).issued;
  };
  const std::string by_launch = "ULDC.64 UR8, c[0x0][0x258]; ISETP.NE.U32.AND P1, PT, RZ, UR8, PT",
                    by_data = "LDS R8, [R2]; ISETP.NE.U32.AND P1, PT, RZ, R8, PT";
  CHECK(relative(issued(by_launch, 2), 40 * (4 + 6) + 2 * 2) < 1e-3);
  CHECK(relative(issued(by_launch, 1), 40 * 4 + 2 * (6 + 2)) < 1e-3);
  CHECK(relative(issued(by_data, 2), 40 * 4 + 2 * (6 + 2)) < 1e-3);
}

TEST_CASE("definitions reach along all ways, and behind a call none does") {
  const auto code = listed(R"(MOV R0, 0x1; @P0 BRA `(.L_x_0); MOV R0, 0x2; @P1 MOV R3, R0;
      .L_x_0: IADD3 R1, P2, R0, R3, RZ; .L_x_1: LDG.E.64 R4, [R0]; @P3 BRA `(.L_x_1); CALL.REL.NOINC `(.L_x_2);
      MOV R2, R0; EXIT; .L_x_2: RET.REL.NODEC R20)");
  const FlowGraph flow = flow_graph(code);
  const Definitions definitions(code, flow);
  const auto reaching = [&](const char* reg, std::size_t at) {
    return definitions.reaching(register_in(reg).value(), at);
  };
  using Set = std::set<std::size_t>;
  CHECK(reaching("R0", 4) == Set{0, 2});
  CHECK(reaching("R3", 4) == Set{3, Definitions::unknown});
  CHECK(reaching("P2", 5) == Set{4});
  CHECK(reaching("R5", 5) == Set{5, Definitions::unknown});
  CHECK(reaching("R0", 8) == Set{Definitions::unknown});
  CHECK(definitions.only(register_in("R1").value(), 5) == 4);
  CHECK_FALSE(definitions.only(register_in("R3").value(), 4));
  CHECK(operands_of(code.instructions[4]).results == std::vector<std::string>{"R1", "P2"});
  CHECK_FALSE(register_in("RZ"));
  CHECK_FALSE(register_in("c[0x0][0x28]"));
  CHECK(registers_in("desc[UR8][R2.64+0x10]").size() == 2);
}

TEST_CASE("code has the bytes of instructions that run, but for what rounding leaves of others") {
  const auto code = listed("LDG.E R0, [R2] @5; @P0 EXIT; 8 × IADD3 R0, R0, R1, RZ; LDG.E R0, [R2] @25; EXIT");
  KernelCounts counts = forty_warps();
  add_loads(counts, 5, 40, 40, 40);
  const auto code_bytes = [&](double executions) {
    const FlowGraph flow = flow_graph(code);
    Frequencies frequencies = block_frequencies(code, flow, counts);
    frequencies.blocks.back() = executions;
    return count_instructions(code, flow, frequencies, counts).code_bytes;
  };
  CHECK(code_bytes(0.01) == 2 * 16);
  CHECK(code_bytes(0.99) == 12 * 16);
}

TEST_CASE("loads that the compiler combined are counted in words") {
  const auto code = listed("LDG.E.128 R0, [R2] @5; EXIT");
  const KernelInstructions result = count_loads(code, {{5, 4 * 40}});
  REQUIRE(result.worst_anchor());
  CHECK(result.worst_anchor()->mismatch() == Approx(0).margin(0.01));
}

TEST_CASE("both ways of a branch run as often as their loads, also where lanes part") {
  const auto code = listed(R"(BSSY B0, `(.L_x_2); @P0 BRA `(.L_x_0);
              LDG.E R0, [R2] @5; 10 × IADD3 R0, R0, R1, RZ; BRA `(.L_x_1);
      .L_x_0: LDG.E R0, [R2] @15; 20 × IMAD R0, R0, R1, RZ;
      .L_x_1: BSYNC B0;
      .L_x_2: EXIT)");
  const KernelInstructions one_way = count_loads(code, {{5, 30}, {15, 10}});
  CHECK(relative(one_way.issued, 40 * 2 + 30 * 12 + 10 * 21 + 40 * 2) < 1e-3);
  const KernelInstructions parted = count_loads(code, {{5, 40}, {15, 40}});
  CHECK(relative(parted.on(Pipe::fma), 40 * 20) < 1e-3);
  CHECK(relative(parted.on(Pipe::alu), 40 * 10) < 1e-3);
  CHECK(relative(parted.by_opcode.at("EXIT"), 40) < 1e-3);
}

TEST_CASE("a branch around nothing but compare-exchanges is taken as often as these were counted") {
  for (const char* instruction : {"VIMNMX.U32 R0, R1, R2, PT", "SEL R0, R1, R2, P1", "@P1 MOV R0, R1"}) {
    INFO(instruction);
    const auto code = Listing()
                          .add("LDG.E R0, [R2]", 5)
                          .add("@P0 BRA `(.L_x_0)")
                          .add(instruction, 8, {}, "put_in_order.h")
                          .add(instruction, 8, {}, "put_in_order.h")
                          .add("IADD3 R0, R0, R1, RZ")
                          .label(".L_x_0")
                          .add("EXIT")
                          .parse();
    KernelCounts counts = forty_warps();
    add_loads(counts, 5, 40, 40, 40);
    counts.exchanged_words = 30;  // each is two selections
    const KernelInstructions result = count_instructions(code, counts);
    CHECK(relative(result.issued, 40 * 3 + 30 * 3) < 1e-3);
    counts.exchanged_words = 0;
    CHECK(relative(count_instructions(code, counts).issued, 40 * 3) < 1e-3);
  }
}

TEST_CASE("behind a guarded exit the warps with lanes left go on") {
  const auto code = listed("LDG.E R0, [R2] @5; @P0 EXIT; LDG.E R0, [R2] @25; EXIT");
  CHECK(relative(count_loads(code, {{5, 40}, {25, 30}}).issued, 40 * 2 + 30 * 2) < 1e-3);
}

TEST_CASE("a guarded load issues also where no lane executes it") {
  const auto code = listed("LDG.E R1, [R4] @3; @P0 LDG.E R0, [R2] @9; EXIT");
  CHECK(relative(count_loads(code, {{3, 40}, {9, 8}}).issued, 120) < 1e-3);
}

TEST_CASE("one instruction under a neighbouring line does not make the other way of a branch run") {
  // Both ways have a line 20 and a line 30 eighteen times; on the usual one the compiler gave an instruction
  // of the former to the latter. Line 8, ahead of the branch and on the unusual way, ran ahead of it only.
  Listing listing;
  constexpr int times = 18, ahead = 4;
  for (int i = 0; i < ahead; ++i) listing.add("SHFL.IDX PT, R0, R1, R2", 8);
  listing.add("BSSY B0, `(.L_x_behind)").add("@P0 BRA `(.L_x_unusual)");
  for (int i = 0; i < times; ++i) listing.add("STS [R2], R4", i == 0 ? 30 : 20).add("STS [R3], R4", 30);
  listing.add("BRA `(.L_x_end)").label(".L_x_unusual");
  for (int i = 0; i < times; ++i)
    listing.add("SHFL.IDX PT, R0, R1, R2", 8)
        .add("STS [R2], R4", 20)
        .add(fmt::format("@P1 BRA `(.L_x_{}a)", i))
        .add("STS [R3], R4", 30)
        .label(fmt::format(".L_x_{}a", i));
  listing.label(".L_x_end").add("BSYNC B0").label(".L_x_behind").add("EXIT");
  KernelCounts counts = forty_warps();
  for (const int line : {20, 30}) {
    add_shared_stores(counts, unsigned(line), 40 * times, 1, 40);
    counts.sites.back().visits = 40 * times;
  }
  counts.instruction_sites.push_back({.function = "",
                                      .file = "kernel.h",
                                      .path = "/a/kernel.h",
                                      .line = 8,
                                      .instruction = Instruction::shuffle,
                                      .executions = 40 * ahead,
                                      .words = 40 * ahead});
  CHECK(relative(count_instructions(listing.parse(), counts).issued, 40 * (ahead + 2 + 2 * times + 1 + 2)) <
        1e-3);
}

TEST_CASE("code that has lost its lines is that of the counted line without code") {
  // Both ways load twice. The way of line 27 is shorter, but nothing was counted there.
  const auto loads = [](const char* lost) {
    const auto code =
        listed(std::string("@!P0 BRA `(.L1) @3; 2 × LDG.E R0, [R2] @27; BRA `(.L2) @27; .L1: 6 × IADD3 R1") +
               lost + "; 2 × LDG.E R0, [R2]; .L2: EXIT @30");
    return count_loads(code, {{22, 80}});
  };
  const KernelInstructions found = loads("");
  CHECK(relative(found.issued, 40 * (1 + 6 + 2 + 1)) < 1e-3);
  CHECK(found.without_code.empty());
  // Loads behind an instruction with a line of its own have that line.
  CHECK(relative(loads(" @28").issued, 40 * (1 + 2 + 1 + 1)) < 1e-3);
  // Line 27 was counted: its instructions stay with it.
  const auto both = count_loads(
      listed("@!P0 BRA `(.L1) @3; LDG.E R0, [R2] @27; BRA `(.L2) @27; .L1: LDG.E R0, [R2]; .L2: EXIT @30"),
      {{22, 40}, {27, 10}});
  CHECK(both.without_code.size() == 1);
}

TEST_CASE("the copy engine is asked as often as warps came to the copy") {
  // The request is in a loop over the lanes with a request of their own.
  const auto code = listed(R"(LDG.E R0, [R2] @3; @P0 BRA `(.L_x_1); 5 × IADD3 R0, R0, R1, RZ;
      .L_x_0: ELECT P1, URZ, PT; UBLKCP.S.G [UR10], [UR6], UR4 @7; @P1 BRA.U.ANY `(.L_x_0);
      .L_x_1: EXIT)");
  KernelCounts counts = forty_warps();
  add_loads(counts, 3, 40, 40, 40);
  add_loads(counts, 7, 30 * 8, 30 * 8 * 4, 30);
  CHECK(relative(count_instructions(code, counts).issued, 40 * 3 + 30 * 8) < 1e-3);
}

TEST_CASE("an access that the compiler joined with another within eight lines is counted with it") {
  const auto code = listed("LDG.E R1, [R4] @3; @P0 LDG.E R0, [R2] @20; EXIT");
  const auto counted_with_it = [&](unsigned line) {
    const KernelInstructions result = count_loads(code, {{3, 40}, {20, 15}, {line, 25}});
    CHECK(result.without_code.size() == 1);
    const auto anchor =
        std::ranges::find_if(result.anchors, [](const auto& one) { return one.line.line == 20; });
    REQUIRE(anchor != result.anchors.end());
    return anchor->counted;
  };
  CHECK(counted_with_it(28) == 40);
  CHECK(counted_with_it(12) == 40);
  CHECK(counted_with_it(29) == 15);
}

TEST_CASE("additions with VIADD run where multiplications do") {
  const auto code = listed("LDG.E R0, [R2] @5; 3 × VIADD R0, R0, 0x1; EXIT");
  const KernelInstructions result = count_loads(code, {{5, 40}});
  CHECK(result.on(Pipe::fma) == Approx(3 * 40).epsilon(1e-4));
  CHECK(result.on(Pipe::alu) == 0);
}

TEST_CASE("an unknown opcode is named and issued, on no pipe") {
  const auto code = listed("LDG.E R1, [R4] @3; FROBNICATE.U32 R1, R2; EXIT");
  const KernelInstructions result = count_loads(code, {{3, 40}});
  CHECK(result.issued == Approx(120).epsilon(1e-4));
  REQUIRE(result.unknown.size() == 1);
  CHECK(result.unknown.at("FROBNICATE") == Approx(40).epsilon(1e-4));
  double on_pipes = 0;
  for (Pipe pipe : all_pipes) on_pipes += result.on(pipe);
  CHECK(on_pipes == Approx(80).epsilon(1e-4));
}

TEST_CASE("a loop in which nothing is counted is reported") {
  const auto code = listed("LDG.E R1, [R4] @3; .L_x_0: IADD3 R0, R0, R1, RZ @4; @P0 BRA `(.L_x_0); EXIT");
  const KernelInstructions result = count_loads(code, {{3, 40}});
  REQUIRE(result.loose_loops.size() == 1);
  CHECK(result.loose_loops[0].address == 16);
  CHECK(result.loose_loops[0].line == SourceLine{"kernel.h", 4});
  CHECK(relative(result.issued, 40 * 4) < 1e-3);
}

TEST_CASE("a count without instructions is reported") {
  const auto code = listed("LDG.E R1, [R4] @3; EXIT");
  const KernelInstructions result = count_loads(code, {{3, 40}, {30, 40}});
  REQUIRE(result.without_code.size() == 1);
  CHECK(result.without_code[0].line.line == 30);
}

TEST_CASE("a kernel without line information is refused") {
  CHECK_THROWS_WITH(count_instructions(listed("EXIT"), forty_warps()), Contains("no line information"));
}

TEST_CASE("the dominators and loops of a diamond in a loop") {
  // Every instruction is a block.
  const FlowGraph flow = flow_graph(
      listed("MOV R0, R1; .L_x_0: @P0 BRA `(.L_x_1); MOV R0, R1; .L_x_1: @P1 BRA `(.L_x_0); EXIT"));
  REQUIRE(flow.blocks.size() == 5);
  REQUIRE(flow.loops.size() == 1);
  CHECK(flow.loops[0].blocks == std::vector<std::size_t>{1, 2, 3});
  CHECK(flow.dominator({2, 3}) == 1);
  CHECK(flow.dominator({4}) == 4);
  CHECK(flow.postdominator({1, 2}) == 3);
  CHECK(flow.postdominator({0, 4}) == 4);
}

TEST_CASE("the disassembler is asked for its version once, and again when its file has changed") {
  const TemporaryDirectory folder;
  const auto put = [&](const std::string& version) {
    return put_program(folder / "nvdisasm",
                       "echo asked >> " + (folder / "log").string() + "; echo " + version);
  };
  const Environment program("FATHOM_NVDISASM", put("one").string());
  const std::string one = disassembler_identity();
  CHECK(disassembler_identity() == one);
  CHECK_THAT(one, Contains("nvdisasm") && Contains("one"));
  CHECK(read_whole(folder / "log") == "asked\n");
  put("another");
  CHECK_THAT(disassembler_identity(), Contains("another"));
  CHECK(read_whole(folder / "log") == "asked\nasked\n");
  put_program(folder / "nvdisasm", "exit 1");
  CHECK_THROWS_AS(disassembler_identity(), DisassemblerUnavailable);
}

TEST_CASE("a machine without disassembler says what to install") {
  const Environment none("FATHOM_NVDISASM", "/nowhere/nvdisasm");
  CHECK_THROWS_AS(disassemble(std::vector<char>{'x'}), DisassemblerUnavailable);
  CHECK_THROWS_WITH(disassemble(std::vector<char>{'x'}), Contains("nvidia-cuda-nvdisasm"));
}
