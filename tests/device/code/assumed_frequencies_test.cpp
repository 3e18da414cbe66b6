// SPDX-License-Identifier: Apache-2.0
#include <fathom/device/code/frequencies/assumed_frequencies.h>

#include <catch2/catch.hpp>

#include <map>

#include "listing.h"

using namespace fathom;
using namespace fathom::tests;

namespace {

/// Ten blocks of four warps.
constexpr LaunchGrid launch{{10, 1, 1}, {128, 1, 1}};

AssumedFrequencies assumed(const Disassembly& code, const std::vector<GivenTurns>& given = {}) {
  return assumed_frequencies(code, flow_graph(code), launch, given);
}

/// Executions of the instructions with this opcode, by a warp.
double executions(const Disassembly& code, const AssumedFrequencies& found, std::string_view opcode) {
  const FlowGraph flow = flow_graph(code);
  double sum = 0;
  for (std::size_t i = 0; i < code.instructions.size(); ++i)
    if (code.instructions[i].name() == opcode) sum += found.frequencies.blocks[flow.block_of[i]];
  return sum / (launch.blocks() * launch.warps());
}

GivenTurns at_line(int line, double turns) {
  GivenTurns given;
  given.line = line;
  given.turns = turns;
  return given;
}

constexpr const char* unknown_loop =
    "NOP @1; .L: FADD R1, R1, R2 @3; ISETP.GE.AND P0, PT, R3, R4, PT @2; @!P0 BRA `(.L) @2; FMUL R1, R1, R1; "
    "EXIT";
/// Four copies of a load as long as four are left, then one by one.
constexpr const char* unrolled =
    "NOP @1; @P1 BRA `(.R) @2; "
    ".L: 4 × LDG.E R1, [R2.64] @3; ISETP.GE.AND P0, PT, R3, R4, PT @2; @!P0 BRA `(.L) @2; "
    ".R: @P2 EXIT; .M: LDG.E R1, [R2.64] @3; ISETP.NE.AND P3, PT, R5, R6, PT @2; @P3 BRA `(.M) @2; EXIT";

struct Rule {
  const char* name;
  const char* code;
  std::vector<GivenTurns> given;
  std::map<std::string, double> executions;  ///< by a warp
  std::size_t halved = 0;
};

const std::vector<Rule> rules{
    {"code without branches", "NOP; FADD R1, R1, R2; EXIT", {}, {{"FADD", 1}}},
    {"a loop turns once", unknown_loop, {}, {{"FADD", 1}, {"FMUL", 1}}},
    {"a loop turns as often as was said", unknown_loop, {at_line(2, 12)}, {{"FADD", 12}, {"FMUL", 1}}},
    {"a loop of which the code tells the turns",
     "MOV R0, RZ; .L: FADD R1, R1, R2; IADD3 R0, R0, 0x1, RZ; ISETP.NE.AND P0, PT, R0, 0x8, PT; @P0 BRA "
     "`(.L); EXIT",
     {},
     {{"FADD", 8}}},
    {"loops within each other",
     "NOP; .L: FADD R1, R1, R2; .M: FMUL R1, R1, R2; @P0 BRA `(.M) @4; @P1 BRA `(.L) @3; EXIT",
     {at_line(3, 5), at_line(4, 7)},
     {{"FADD", 5}, {"FMUL", 35}}},
    {"an early exit is not taken", "@P0 EXIT; FADD R1, R1, R2; EXIT", {}, {{"FADD", 1}}},
    {"an early exit with other code behind it",
     "@P0 BRA `(.E); FADD R1, R1, R2; EXIT; .E: EXIT",
     {},
     {{"FADD", 1}}},
    {"a loop is not left early",
     "NOP; .L: FADD R1, R1, R2; @P1 BRA `(.E); FMUL R1, R1, R2; @P0 BRA `(.L) @3; .E: EXIT",
     {at_line(3, 6)},
     {{"FADD", 6}, {"FMUL", 6}}},
    {"the branch that looks like a loop's may never run",
     "NOP; .L: FADD R1, R1, R2; @P0 BRA `(.F) @3; CALL.REL.NOINC `($__internal_0_div); @P1 BRA `(.L); EXIT; "
     ".F: @P2 BRA `(.M); EXIT; .M: BRA `(.L); $__internal_0_div: RET.REL.NODEC R2",
     {},
     {{"FADD", 1}}},
    {"a way that turns again is no if",
     "NOP; .L: FADD R1, R1, R2; @P0 BRA `(.C); FMUL R1, R1, R2; BRA `(.L); .C: NOP; @P1 BRA `(.L) @3; EXIT",
     {at_line(3, 8)},
     {{"FADD", 8}},
     1},
    {"an if without else", "@P0 BRA `(.E); FADD R1, R1, R2; .E: NOP; EXIT", {}, {{"FADD", 1}}},
    {"of two ways each has a half",
     "@P0 BRA `(.F); FADD R1, R1, R2; BRA `(.E); .F: FMUL R1, R1, R2; .E: NOP; EXIT",
     {},
     {{"FADD", 0.5}, {"FMUL", 0.5}, {"NOP", 1}},
     1},
    {"the first warp of four",
     "S2R R0, SR_TID.X; ISETP.NE.AND P0, PT, R0, RZ, PT; @P0 BRA `(.E); FADD R1, R1, R2; .E: NOP; EXIT",
     {},
     {{"FADD", 0.25}, {"NOP", 1}}},
    {"two conditions on the thread, as if they did not depend on each other",
     "S2R R0, SR_TID.X; ISETP.GT.U32.AND P0, PT, R0, 0x5f, PT; @P0 BRA `(.E); ISETP.GE.AND P1, PT, R0, 0x20, "
     "PT; "
     "@!P1 BRA `(.E); FADD R1, R1, R2; .E: NOP; EXIT",
     {},
     {{"FADD", 0.75 * 0.75}, {"NOP", 1}}},
    {"threads that leave early",
     "S2R R0, SR_TID.X; ISETP.GE.AND P0, PT, R0, 0x21, PT; @P0 EXIT; FADD R1, R1, R2; EXIT",
     {},
     {{"FADD", 0.5}}},
    {"one block of ten",
     "S2R R0, SR_CTAID.X; ISETP.NE.AND P0, PT, R0, RZ, PT; @P0 EXIT; FADD R1, R1, R2; EXIT",
     {},
     {{"FADD", 0.1}}},
    {"a subroutine of the compiler's is a slow path",
     "@P0 BRA `(.F); CALL.REL.NOINC `($__internal_0_div); BRA `(.E); .F: FMUL R1, R1, R2; .E: NOP; EXIT; "
     "$__internal_0_div: FADD R1, R1, R2; RET.REL.NODEC R2 `(.E)",
     {},
     {{"FADD", 0}, {"FMUL", 1}}},
    {"large arguments of sine and cosine are a slow path",
     "FSETP.GE.AND P0, PT, |R11|, 105615, PT; @!P0 BRA `(.E); .L: FADD R1, R1, R2; @P1 BRA `(.L) @3; .E: "
     "NOP; EXIT",
     {},
     {{"FADD", 0}, {"NOP", 1}}},
    {"a function is called",
     "CALL.REL.NOINC `($kernel$f); NOP; EXIT; $kernel$f: FADD R1, R1, R2; RET.REL.NODEC R2",
     {},
     {{"FADD", 1}, {"NOP", 1}}},
    {"an unrolled body runs once, its rest not at all", unrolled, {}, {{"LDG", 4}}},
    {"turns are spread over an unrolled body and its rest", unrolled, {at_line(2, 11)}, {{"LDG", 11}}},
    {"fewer turns than the body has copies", unrolled, {at_line(2, 3)}, {{"LDG", 3}}},
    {"a loop that never turns", unrolled, {at_line(2, 0)}, {{"LDG", 0}}},
};

}  // namespace

TEST_CASE("without counts, code runs as often as the rules say") {
  for (const Rule& rule : rules) {
    INFO(rule.name);
    const Disassembly code = listed(rule.code, Source::own);
    const AssumedFrequencies found = assumed(code, rule.given);
    for (const auto& [opcode, expected] : rule.executions) {
      INFO(opcode);
      CHECK(executions(code, found, opcode) == Approx(expected).margin(1e-9));
    }
    CHECK(found.halved == rule.halved);
  }
}

TEST_CASE("what enters a block leaves it") {
  for (const Rule& rule : rules) {
    INFO(rule.name);
    const Disassembly code = listed(rule.code, Source::own);
    const FlowGraph flow = flow_graph(code);
    const AssumedFrequencies found = assumed(code, rule.given);
    for (std::size_t i = 0; i < flow.blocks.size(); ++i) {
      double leaving = 0;
      for (const double edge : found.frequencies.edges[i]) leaving += edge;
      const bool ends = flow.blocks[i].end == BasicBlock::End::exits || flow.blocks[i].next.empty();
      if (!ends) CHECK(leaving == Approx(found.frequencies.blocks[i]).margin(1e-9));
    }
  }
}

TEST_CASE("a loop is told by its line, its address, and where its turns are from") {
  const AssumedFrequencies found = assumed(listed(unrolled, Source::own));
  REQUIRE(found.loops.size() == 1);
  CHECK(found.loops[0].line == SourceLine{"kernel.cu", 2});
  CHECK(found.loops[0].address == 0x20);
  CHECK(found.loops[0].turns == 4);
  CHECK(found.loops[0].from == AssumedLoop::From::assumed);
  GivenTurns by_address;
  by_address.address = 0x20;
  by_address.turns = 9;
  const AssumedFrequencies told = assumed(listed(unrolled, Source::own), {by_address});
  CHECK(told.loops[0].turns == 9);
  CHECK(told.loops[0].from == AssumedLoop::From::given);
}

TEST_CASE("turns that name no loop are refused") {
  const Disassembly code = listed(unknown_loop, Source::own);
  CHECK_THROWS_WITH(assumed(code, {at_line(7, 3)}), "no loop at line 7: choose from kernel.cu:2");
  GivenTurns elsewhere = at_line(2, 3);
  elsewhere.file = "other.cu";
  CHECK_THROWS_WITH(assumed(code, {elsewhere}), "no loop at other.cu:2: choose from kernel.cu:2");
  GivenTurns here = at_line(2, 3);
  here.file = "src/kernel.cu";
  CHECK_NOTHROW(assumed(code, {here}));
  CHECK_THROWS_WITH(assumed(listed("NOP; EXIT"), {at_line(2, 3)}),
                    "no loop at line 2: the kernel has no loop whose turns are unknown");
}

TEST_CASE("code that calls itself is refused") {
  CHECK_THROWS_AS(assumed(listed("CALL.REL.NOINC `($f); EXIT; $f: FADD R1, R1, R2; CALL.REL.NOINC `($f); "
                                 "CALL.REL.NOINC `($f); RET.REL.NODEC R2")),
                  std::invalid_argument);
}
