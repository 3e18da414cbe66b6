// SPDX-License-Identifier: Apache-2.0
// Which pipe of a multiprocessor executes an instruction.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace fathom {

/// The pipes as NVIDIA's profiler names them (smsp__inst_executed_pipe_…).
enum class Pipe {
  alu,      ///< integer and logic, comparisons, selections
  fma,      ///< FP32, and integer multiplication
  fp64,     ///< double precision
  xu,       ///< transcendental functions, conversions, bit counts
  lsu,      ///< loads, stores, atomics, shuffles, special registers
  uniform,  ///< the same for all lanes of the warp
  adu,      ///< block barriers, constants at computed addresses
  cbu,      ///< branches and convergence
  tensor,   ///< matrix products
  tma,      ///< bulk copies
  none      ///< issued only
};
inline constexpr std::array all_pipes{Pipe::alu, Pipe::fma, Pipe::fp64,   Pipe::xu,  Pipe::lsu, Pipe::uniform,
                                      Pipe::adu, Pipe::cbu, Pipe::tensor, Pipe::tma, Pipe::none};
std::string_view name(Pipe pipe);  ///< "alu", …

/// The pipe of an opcode without modifiers ("IADD3") on an architecture (90 for sm_90). Absent for an unknown
/// opcode. One that is not listed in model/architectures.h is taken to be like most of those.
std::optional<Pipe> pipe_of(std::string_view opcode, int compute_capability);

/// Clocks for which an instruction of one warp occupies its pipe: 32 lanes over the lanes of the pipe, per
/// quarter of a multiprocessor of this architecture. Of FMA, those of floating-point instructions: where
/// there are 128 cores, two halves of the pipe share them. One that is not listed is taken to be like sm_90.
int clocks_on(Pipe pipe, int compute_capability);

}  // namespace fathom
