// SPDX-License-Identifier: Apache-2.0
#include <fathom/device/code/frequencies/lanes.h>

#include <algorithm>

namespace fathom {
namespace {

/// "[R2.64+0x10]", "desc[UR4][R2.64]".
bool is_address(const std::string& operand) {
  return operand.find('[') != std::string::npos && !operand.starts_with("c[");
}

bool is_number_of_lane(std::string_view source, bool warps_are_rows) {
  const bool of_row = source == "SR_TID.Y" || source == "SR_TID.Z";
  return of_row ? !warps_are_rows
                : source.starts_with("SR_TID") || source == "SR_LANEID" || source.find("MASK") != source.npos;
}

}  // namespace

bool Lanes::differ_in_address(std::size_t instruction) {
  const Operands operands = operands_of(code_.instructions[instruction]);
  for (const auto* all : {&operands.results, &operands.sources})
    for (const std::string& one : *all)
      if (is_address(one) && differ(one, instruction)) return true;
  return false;
}

bool Lanes::differ(const std::string& operand, std::size_t at) {
  return std::ranges::any_of(registers_in(operand), [&](int reg) {
    if (is_uniform_register(reg)) return false;
    const std::set<std::size_t> made = definitions_.reaching(reg, at);
    return std::ranges::any_of(
        made, [&](std::size_t one) { return one == Definitions::unknown || differ_after(one); });
  });
}

/// What goes round in a loop differs only if something on the way makes it differ.
bool Lanes::differ_after(std::size_t instruction) {
  const auto [known, is_new] = known_.try_emplace(instruction, false);
  if (!is_new) return known->second;
  return known_[instruction] = made_different(instruction);
}

bool Lanes::made_different(std::size_t instruction) {
  const MachineInstruction& one = code_.instructions[instruction];
  const std::string_view name = one.name();
  const std::vector<std::string> sources = operands_of(one).sources;
  if (name == "S2R")
    return std::ranges::any_of(
        sources, [&](const std::string& source) { return is_number_of_lane(source, warps_are_rows_); });
  if (name == "VOTE" || name == "CS2R") return false;
  if (name == "SHFL" || name == "MATCH" || name.starts_with("ATOM") || name == "LDL" || name == "LDSM")
    return true;
  if (!one.guard.empty() && differ(one.guard, instruction)) return true;
  return std::ranges::any_of(sources, [&](const std::string& source) { return differ(source, instruction); });
}

}  // namespace fathom
