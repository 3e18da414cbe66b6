// SPDX-License-Identifier: Apache-2.0
#include <fathom/device/code/registers.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

namespace fathom {
namespace {

// General and uniform registers, then their predicates.
constexpr int first_uniform = 256, first_predicate = 512, first_uniform_predicate = 520, predicates = 8;

bool is_predicate(std::string_view operand) {
  return operand == "PT" || operand == "UPT" || register_in(operand).value_or(0) >= first_predicate;
}

/// A register and nothing else: no address, sign or negation.
bool is_plain(std::string_view operand) {
  static const std::set<std::string_view> constants{"RZ", "URZ", "PT", "UPT"};
  return constants.contains(operand) ||
         ((operand.starts_with('R') || operand.starts_with('U') || operand.starts_with('P')) &&
          register_in(operand) && operand.find('[') == operand.npos);
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  int depth = 0;
  std::string part;
  for (const char c : text) {
    if (c == '[' || c == '(' || c == '{') ++depth;
    if (c == ']' || c == ')' || c == '}') --depth;
    if (c == ',' && depth == 0) {
      parts.push_back(std::exchange(part, {}));
    } else if (c != ' ' || !part.empty()) {
      part += c;
    }
  }
  if (!part.empty()) parts.push_back(part);
  return parts;
}

bool has_results(const MachineInstruction& one) {
  static const std::set<std::string_view> without{
      "ST",  "STG",   "STS",   "STL",    "RED",    "REDG",   "BRA",   "BRX",       "BRXU",   "JMP",
      "JMX", "CALL",  "RET",   "EXIT",   "KILL",   "BSSY",   "BSYNC", "WARPSYNC",  "BAR",    "NOP",
      "B2R", "YIELD", "FENCE", "MEMBAR", "LDGSTS", "UBLKCP", "CCTL",  "NANOSLEEP", "DEPBAR", "LDGDEPBAR"};
  return !without.contains(one.name());
}

/// A predicate may come first, ahead of another or of a register; carries follow a register.
std::size_t results_among(const std::vector<std::string>& operands) {
  if (operands.empty() || !is_plain(operands[0])) return 0;
  if (is_predicate(operands[0])) return operands.size() > 1 && is_plain(operands[1]) ? 2 : 1;
  std::size_t count = 1;
  while (count < std::min<std::size_t>(3, operands.size()) && is_plain(operands[count]) &&
         is_predicate(operands[count]))
    ++count;
  return count;
}

/// 32-bit registers that a result takes.
int result_width(const MachineInstruction& one) {
  static const std::set<std::string_view> quads{"HMMA", "IMMA", "BMMA", "DMMA", "QMMA", "LDSM"};
  if (one.has_modifier("128") || quads.contains(one.name())) return 4;
  const bool pair = one.has_modifier("64") || one.has_modifier("WIDE") || one.has_modifier("F64") ||
                    one.name().starts_with('D') || one.name() == "CS2R";
  return pair ? 2 : 1;
}

std::vector<int> written_by(const MachineInstruction& one) {
  std::vector<int> written;
  if (one.name() == "R2P")
    for (int i = 0; i < predicates; ++i) written.push_back(first_predicate + i);
  for (const std::string& result : operands_of(one).results)
    if (const auto first = register_in(result))
      for (int i = 0; i < (is_predicate(result) ? 1 : result_width(one)); ++i) written.push_back(*first + i);
  return written;
}

}  // namespace

Operands operands_of(const MachineInstruction& one) {
  std::vector<std::string> all = split(one.operands);
  const auto first_source = all.begin() + std::ptrdiff_t(has_results(one) ? results_among(all) : 0);
  return {{all.begin(), first_source}, {first_source, all.end()}};
}

std::optional<long> immediate_in(std::string_view operand) {
  if (operand == "RZ" || operand == "URZ" || operand == "SRZ" || operand == "-RZ") return 0;
  const bool negative = operand.starts_with('-');
  if (negative) operand.remove_prefix(1);
  const bool hexadecimal = operand.starts_with("0x");
  if (hexadecimal) operand.remove_prefix(2);
  long value = 0;
  const auto [end, error] =
      std::from_chars(operand.data(), operand.data() + operand.size(), value, hexadecimal ? 16 : 10);
  constexpr long most = 0xffffffff;  // so that sums and products of two do not overflow
  if (error != std::errc{} || end != operand.data() + operand.size() || operand.empty() || value < 0 ||
      value > most)
    return std::nullopt;
  return negative ? -value : value;
}

std::vector<int> registers_in(std::string_view operand) {
  std::vector<int> found;
  for (std::size_t at = 0; at < operand.size();) {
    const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    if (!is_word(operand[at])) {
      ++at;
      continue;
    }
    const std::size_t end = std::size_t(
        std::find_if_not(operand.begin() + std::ptrdiff_t(at), operand.end(), is_word) - operand.begin());
    std::string_view word = operand.substr(at, end - at);
    at = end;
    const bool is_uniform = word.starts_with('U');
    if (is_uniform) word.remove_prefix(1);
    const char kind = word.empty() ? ' ' : word[0];
    if ((kind != 'R' && kind != 'P') || word.size() < 2 || word.size() > 4) continue;
    int number = 0;
    bool digits = true;
    for (const char c : word.substr(1)) {
      digits = digits && c >= '0' && c <= '9';
      number = 10 * number + (c - '0');
    }
    if (!digits) continue;
    found.push_back(number + (kind == 'P' ? (is_uniform ? first_uniform_predicate : first_predicate)
                                          : (is_uniform ? first_uniform : 0)));
  }
  return found;
}

bool is_uniform_register(int number) {
  return (number >= first_uniform && number < first_predicate) || number >= first_uniform_predicate;
}

std::optional<int> register_in(std::string_view operand) {
  const std::vector<int> found = registers_in(operand);
  return found.size() == 1 ? std::optional(found[0]) : std::nullopt;
}

Definitions::Definitions(const Disassembly& code, const FlowGraph& flow) : code_(code), flow_(flow) {
  for (const MachineInstruction& one : code.instructions) written_.push_back(written_by(one));
  blocks_before_.resize(flow.blocks.size());
  for (std::size_t i = 0; i < flow.blocks.size(); ++i)
    if (flow.blocks[i].reachable) {
      for (const std::size_t next : flow.blocks[i].next) blocks_before_[next].push_back(i);
      for (const std::size_t callee : flow.blocks[i].callees) blocks_before_[callee].push_back(i);
    }
}

std::set<std::size_t> Definitions::reaching(int reg, std::size_t at) const {
  std::set<std::size_t> found;
  std::set<std::size_t> seen;  // blocks gone through from their end
  std::vector<std::pair<std::size_t, std::size_t>> open{{flow_.block_of[at], at}};
  while (!open.empty()) {
    auto [block, i] = open.back();
    open.pop_back();
    bool written = false;
    while (!written && i > flow_.blocks[block].first) {
      --i;
      if (std::ranges::find(written_[i], reg) == written_[i].end()) continue;
      found.insert(i);
      written = code_.instructions[i].guard.empty();
    }
    if (written) continue;
    if (blocks_before_[block].empty() || block == 0) found.insert(unknown);
    for (const std::size_t before : blocks_before_[block]) {
      if (flow_.blocks[before].end == BasicBlock::End::calls)
        found.insert(unknown);  // the subroutine may have written it
      else if (seen.insert(before).second)
        open.emplace_back(before, flow_.blocks[before].last);
    }
  }
  return found;
}

std::optional<std::size_t> Definitions::only(int reg, std::size_t at) const {
  const std::set<std::size_t> found = reaching(reg, at);
  if (found.size() != 1 || *found.begin() == unknown) return std::nullopt;
  if (!code_.instructions[*found.begin()].guard.empty()) return std::nullopt;
  return *found.begin();
}

}  // namespace fathom
