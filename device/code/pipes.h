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

/// The pipe of an opcode without modifiers ("IADD3"), the same on all architectures with Support::tables
/// (model/architectures.h) and their relatives. Absent for an unknown opcode.
std::optional<Pipe> pipe_of(std::string_view opcode);

/// Clocks for which an instruction of one warp occupies its pipe: 32 lanes over the lanes of the pipe, per
/// quarter of a multiprocessor ("Arithmetic Instructions" in the CUDA C++ Programming Guide, throughputs
/// for 8.0 to 10.0). Of FMA, those of floating-point instructions, which two halves of it share.
int clocks_on(Pipe pipe);

}  // namespace fathom
