// SPDX-License-Identifier: Apache-2.0
// The registers that an instruction reads, by bank.
#pragma once

#include <fathom/device/code/disassembly.h>

#include <array>
#include <cstdint>

namespace fathom {

/// Registers with even and with odd numbers lie in two banks. An operand that the instruction before, of the
/// same warp, marked for reuse in the same place need not be read. Of arithmetic alone: others pass their
/// operands on behind a queue.
///
/// That a bank gives one register per clock is what pipe-ffma with one chain shows on an H200 with all warps,
/// 2 clocks for FFMA R0, R0, R2, R3, and pipe-lop3-ffma with one, 7 clocks for four instructions of which one
/// reuses two operands (tests/counting/multiprocessor_test.cpp). With four chains pipe-lop3-ffma takes 21
/// clocks for 16 instructions; it would be 24 if each waited for the reads of the one before, and is 20 if
/// for all but the last.
std::array<std::uint8_t, 2> registers_read(const MachineInstruction& one, const MachineInstruction* before,
                                           int compute_capability);

}  // namespace fathom
