// SPDX-License-Identifier: Apache-2.0
// The instructions of a compiled kernel, by NVIDIA's disassembler.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

/// There is no nvdisasm. what() says what to install.
struct DisassemblerUnavailable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A line that an instruction comes from. Of a path, what follows the last "/fathom/" is kept, with
/// "fathom/"; the file's name if there is none: compilers are given the same header by different paths.
struct SourceLine {
  std::string file;
  int line = 0;
  auto operator<=>(const SourceLine&) const = default;
};
std::string source_name(std::string_view path);

/// One instruction of an architecture with 128-bit instructions (Volta, sm_70, and later).
struct MachineInstruction {
  std::uint32_t address = 0;
  std::string opcode;                ///< with modifiers: "LDG.E.128"
  std::string operands;              ///< "R4, desc[UR8][R2.64]"
  std::string guard;                 ///< "!P0"; empty: always executed
  std::vector<std::size_t> targets;  ///< indices of the instructions that its operands name

  // What the compiler tells the scheduler.
  int stall = 0;                     ///< clocks until the warp's next instruction
  std::optional<int> write_barrier;  ///< scoreboard released when its results are there
  std::optional<int> read_barrier;   ///< scoreboard released when its operands were read
  unsigned wait_mask = 0;            ///< bit s: waits for scoreboard s
  std::vector<SourceLine> lines;     ///< innermost first, then where each was inlined; may be empty
  /// True if its lines are those of a jump ahead of it that never goes on to it: the compiler has lost its
  /// own.
  bool inherits_lines = false;

  std::string_view name() const { return std::string_view(opcode).substr(0, opcode.find('.')); }
  bool has_modifier(std::string_view modifier) const;  ///< "128" of "LDG.E.128"
  bool has_condition() const;                          ///< a guard, or that of BRA P1, `(.L_x_1)
};

struct Disassembly {
  int compute_capability = 0;  ///< 90 for sm_90
  std::vector<MachineInstruction> instructions;

  bool has_lines() const;
};

/// Reads what `nvdisasm -c -hex -gi` prints for a cubin with one kernel. Throws std::invalid_argument, saying
/// what is wrong, for anything else.
Disassembly parse_disassembly(std::string_view listing);

/// The disassembler's name, a digest of its file, and its version, which decide how it reads machine code:
/// work that another one counted is not used. The program is started once, until its file changes. Throws
/// DisassemblerUnavailable where disassemble() would, and for a program that does not answer as NVIDIA's.
std::string disassembler_identity();
/// Runs nvdisasm: $FATHOM_NVDISASM, else the one in PATH, else that of the toolkit that Fathom was built
/// with, of /usr/local/cuda, or of a Python environment (files_of_wheels). Throws DisassemblerUnavailable,
/// and std::runtime_error if it fails, takes more than ProgramLimits, or prints something else. Of a cubin
/// with several kernels, `symbol` is the index of the one meant (CubinKernel::index).
Disassembly disassemble(std::span<const char> cubin, std::optional<std::size_t> symbol = {});

}  // namespace fathom
