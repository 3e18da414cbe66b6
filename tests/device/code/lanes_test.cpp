// SPDX-License-Identifier: Apache-2.0
#include <fathom/device/code/frequencies/lanes.h>

#include <catch2/catch.hpp>

#include "listing.h"

using namespace fathom;
using namespace fathom::tests;

namespace {

struct Address {
  const char* name;
  const char* code;  ///< with one LDG or STG
  bool differs;
};

const Address addresses[] = {
    {"of the thread", "S2R R0, SR_TID.X; IMAD.WIDE R2, R0, 0x4, R8; STG.E [R2.64], R5", true},
    {"of the block",
     "S2R R0, SR_CTAID.X; MOV R8, c[0x0][0x210]; IMAD.WIDE R2, R0, 0x4, R8; STG.E [R2.64], R5", false},
    {"of an argument", "MOV R2, c[0x0][0x210]; LDG.E R5, desc[UR4][R2.64]", false},
    {"of a row, if a warp lies in one",
     "S2R R0, SR_TID.Y; LEA R2, R0, c[0x0][0x210], 0x2; LDG.E R5, desc[UR4][R2.64]", false},
    {"read where all lanes read the same", "MOV R2, c[0x0][0x210]; LDS R3, [R2]; LDG.E R5, [R3.64]", false},
    {"read where each lane reads its own", "S2R R0, SR_LANEID; LDS R3, [R0]; LDG.E R5, [R3.64]", true},
    {"shuffled", "MOV R2, c[0x0][0x210]; SHFL.BFLY PT, R3, R2, 0x1, 0x1f; LDG.E R5, [R3.64]", true},
    {"selected by the lane",
     "S2R R0, SR_TID.X; ISETP.NE.AND P0, PT, R0, RZ, PT; MOV R2, RZ; @P0 MOV R2, 0x10; LDG.E R5, [R2.64]",
     true},
    {"that goes on in a loop",
     "MOV R2, c[0x0][0x210]; .L: IADD3 R2, R2, 0x4, RZ; LDG.E R5, [R2.64]; @P1 BRA `(.L)", false},
    {"of the thread, that goes on in a loop",
     "S2R R2, SR_TID.X; .L: IADD3 R2, R2, 0x4, RZ; LDG.E R5, [R2.64]; @P1 BRA `(.L)", true},
};

}  // namespace

TEST_CASE("lanes differ in an address if it depends on the lane") {
  for (const Address& address : addresses) {
    INFO(address.name);
    const Disassembly code = listed(std::string(address.code) + "; EXIT", Source::own);
    const FlowGraph flow = flow_graph(code);
    Lanes lanes(code, flow, true);
    std::size_t access = 0;
    for (std::size_t i = 0; i < code.instructions.size(); ++i)
      if (code.instructions[i].name() == "LDG" || code.instructions[i].name() == "STG") access = i;
    CHECK(lanes.differ_in_address(access) == address.differs);
  }
}

TEST_CASE("lanes of a warp that has several rows differ by y") {
  const Disassembly code = listed("S2R R0, SR_TID.Y; LDG.E R5, [R0.64]; EXIT");
  const FlowGraph flow = flow_graph(code);
  CHECK(Lanes(code, flow, false).differ_in_address(1));
}
