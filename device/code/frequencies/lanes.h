// SPDX-License-Identifier: Apache-2.0
// Whether the lanes of a warp have the same values in a register.
#pragma once

#include <fathom/device/code/registers.h>

#include <map>

namespace fathom {

class Lanes {
 public:
  /// `warps_are_rows`: a warp's lanes differ by x alone, as in blocks of which a row has whole warps. Code
  /// and flow must live as long as this.
  Lanes(const Disassembly& code, const FlowGraph& flow, bool warps_are_rows)
      : code_(code), definitions_(code, flow), warps_are_rows_(warps_are_rows) {}

  /// Whether the lanes of a warp may access different places of memory. Which lanes are active does not
  /// count, nor do values that depend on the way that a lane took.
  bool differ_in_address(std::size_t instruction);

 private:
  bool differ(const std::string& operand, std::size_t at);
  bool differ_after(std::size_t instruction);
  bool made_different(std::size_t instruction);

  const Disassembly& code_;
  Definitions definitions_;
  bool warps_are_rows_;
  std::map<std::size_t, bool> known_;  ///< of results of instructions
};

}  // namespace fathom
