// SPDX-License-Identifier: Apache-2.0
#include "register_reads.h"

#include <fathom/device/code/pipes.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>
#include <vector>

namespace fathom {
namespace {

struct Operand {
  int place = 0;
  int number = 0;  ///< of its register
  bool reuse = false;
};

bool is_arithmetic(const MachineInstruction& one, int compute_capability) {
  const auto pipe = pipe_of(one.name(), compute_capability);
  return pipe == Pipe::alu || pipe == Pipe::fma || pipe == Pipe::fp64;
}

/// Registers that the operands name, in their order; "R12" of -|R12|, R12.reuse or [R12.64].
std::vector<Operand> registers_in(std::string_view operands) {
  std::vector<Operand> found;
  int place = 0;
  for (std::size_t at = 0; at < operands.size(); ++at) {
    if (operands[at] == ',') ++place;
    const bool starts =
        operands[at] == 'R' && (at == 0 || !std::isalnum(static_cast<unsigned char>(operands[at - 1])));
    std::size_t end = at + 1;
    int number = 0;
    while (end < operands.size() && std::isdigit(static_cast<unsigned char>(operands[end])))
      number = 10 * number + (operands[end++] - '0');
    if (!starts || end == at + 1) continue;  // RZ is no register
    found.push_back({place, number, operands.substr(end).starts_with(".reuse")});
  }
  return found;
}

/// Those that are read: all but the result, which stands in the first place unless that is a predicate.
std::vector<Operand> sources(const MachineInstruction& one) {
  std::vector<Operand> all = registers_in(one.operands);
  if (!all.empty() && all.front().place == 0) all.erase(all.begin());
  return all;
}

}  // namespace

std::array<std::uint8_t, 2> registers_read(const MachineInstruction& one, const MachineInstruction* before,
                                           int compute_capability) {
  if (!is_arithmetic(one, compute_capability)) return {};
  std::vector<Operand> kept;
  if (before && is_arithmetic(*before, compute_capability)) kept = sources(*before);
  const bool pairs = pipe_of(one.name(), compute_capability) == Pipe::fp64;
  std::set<int> even, odd;
  for (const Operand& operand : sources(one)) {
    const bool known = std::ranges::any_of(kept, [&](const Operand& other) {
      return other.reuse && other.place == operand.place && other.number == operand.number;
    });
    if (known) continue;
    (operand.number % 2 ? odd : even).insert(operand.number);
    if (pairs) (operand.number % 2 ? even : odd).insert(operand.number + 1);
  }
  return {std::uint8_t(even.size()), std::uint8_t(odd.size())};
}

}  // namespace fathom
