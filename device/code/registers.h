// SPDX-License-Identifier: Apache-2.0
// Where the values of a kernel's registers come from.
#pragma once

#include <fathom/device/code/flow.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

/// An instruction's operands as they are listed: "R2", "-R4", "!P0", "0x1f", "c[0x0][0x210]".
struct Operands {
  std::vector<std::string> results, sources;
};
Operands operands_of(const MachineInstruction& one);

/// The number of a register, whatever its sign and suffix: "R2", "-R2.reuse". Absent for RZ, PT and all else.
std::optional<int> register_in(std::string_view operand);
/// The number that an operand is: "0x1f", "-0x4", "5"; 0 for RZ.
std::optional<long> immediate_in(std::string_view operand);
/// True for one that all lanes of a warp share, and for its predicates.
bool is_uniform_register(int number);
/// All registers in an operand, for example of an address.
std::vector<int> registers_in(std::string_view operand);

/// Which instructions may have written what a register holds.
class Definitions {
 public:
  /// Both must live as long as this.
  Definitions(const Disassembly& code, const FlowGraph& flow);

  static constexpr std::size_t unknown = std::size_t(-1);  ///< nothing in this routine
  /// Those from which the value can reach instruction `at`.
  std::set<std::size_t> reaching(int reg, std::size_t at) const;
  /// The only one that always wrote it.
  std::optional<std::size_t> only(int reg, std::size_t at) const;

 private:
  const Disassembly& code_;
  const FlowGraph& flow_;
  std::vector<std::vector<int>> written_;                ///< by each instruction
  std::vector<std::vector<std::size_t>> blocks_before_;  ///< each block
};

}  // namespace fathom
