// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/portable.h>
#include <fathom/device/code/frequencies/conditions.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

namespace fathom {
namespace {

bool is_condition(std::string_view operand) {
  if (operand.starts_with('!')) operand.remove_prefix(1);
  return (operand.starts_with('P') || operand.starts_with("UP")) && register_in(operand);
}

/// Without the U of instructions on uniform registers.
std::string_view general_name(const MachineInstruction& one) {
  static const std::set<std::string_view> uniform{"UMOV", "UIADD3", "UIMAD", "UISETP", "ULOP3",
                                                  "USHF", "USEL",   "ULEA",  "UPLOP3", "ULDC"};
  const std::string_view name = one.name();
  return uniform.contains(name) ? name.substr(1) : name;
}

/// True if the results depend on nothing but the sources.
bool is_function(const MachineInstruction& one) {
  static const std::set<std::string_view> names{"MOV",  "IADD3",  "IMAD",      "ISETP", "LOP3", "SHF",
                                                "SEL",  "LEA",    "PLOP3",     "LDC",   "PRMT", "VIADD",
                                                "IABS", "VIMNMX", "VIADDMNMX", "R2UR",  "CS2R", "IMNMX"};
  return names.contains(general_name(one));
}

}  // namespace

std::optional<Conditions::Condition> Conditions::condition_of(std::size_t block) const {
  const MachineInstruction& last = last_of(block);
  const std::vector<std::string> sources = operands_of(last).sources;
  const bool second = !sources.empty() && is_condition(sources[0]);
  if (second == !last.guard.empty()) return std::nullopt;  // none or two
  const std::string_view text = second ? std::string_view(sources[0]) : last.guard;
  const auto predicate = register_in(text);
  if (!predicate) return std::nullopt;
  return Condition{*predicate, !text.starts_with('!'), flow_.blocks[block].last - 1};
}

std::optional<int> Conditions::first_result(std::size_t instruction) const {
  const std::vector<std::string> results = operands_of(code_.instructions[instruction]).results;
  return results.empty() ? std::nullopt : register_in(results.front());
}

// ---- the same in the whole launch ----

bool Conditions::same_in_launch(std::size_t block) {
  const auto condition = condition_of(block);
  if (!condition) return false;
  const auto made = definitions_.only(condition->predicate, condition->at);
  return made && makes_the_same(*made);
}

bool Conditions::same_in_launch(std::string_view operand, std::size_t at) {
  if (operand.starts_with("SR_")) return false;
  return std::ranges::all_of(registers_in(operand), [&](int reg) {
    const auto made = definitions_.only(reg, at);
    return made && makes_the_same(*made);
  });
}

bool Conditions::makes_the_same(std::size_t instruction) {
  const MachineInstruction& one = code_.instructions[instruction];
  const auto [known, unknown] = same_.try_emplace(instruction, false);
  if (!unknown || !is_function(one)) return known->second;
  const std::vector<std::string> sources = operands_of(one).sources;
  return same_[instruction] = std::ranges::all_of(
             sources, [&](const std::string& source) { return same_in_launch(source, instruction); });
}

// ---- the numbers of blocks and warps ----

std::optional<Conditions::Place> Conditions::place(std::string_view operand, std::size_t at) {
  if (same_in_launch(operand, at)) return Place{};
  const bool negative = operand.starts_with('-');
  if (operand.starts_with('~') || operand.starts_with('|')) return std::nullopt;
  const auto reg = register_in(operand);
  const auto made = reg ? definitions_.only(*reg, at) : std::nullopt;
  if (!made) return std::nullopt;
  if (first_result(*made) != reg) return std::nullopt;  // the upper half of a pair is something else
  const auto [known, is_new] = places_.try_emplace(*made);
  if (is_new) {
    const auto found = place_made_by(*made);
    constexpr long most = 1L << 30;
    if (found && std::max({std::abs(found->block), std::abs(found->warp), std::abs(found->lane)}) < most)
      places_[*made] = found;
  }
  const std::optional<Place> found = places_[*made];
  if (!found || !negative) return found;
  return Place{-found->block, -found->warp, -found->lane};
}

std::optional<Conditions::Place> Conditions::place_made_by(std::size_t instruction) {
  const MachineInstruction& one = code_.instructions[instruction];
  const std::vector<std::string> sources = operands_of(one).sources;
  const std::string_view name = general_name(one);
  const auto scaled = [](Place place, long by) {
    return Place{place.block * by, place.warp * by, place.lane * by};
  };
  const auto sum_of = [&](std::size_t first, std::size_t last) -> std::optional<Place> {
    Place sum;
    for (std::size_t i = first; i < std::min(last, sources.size()); ++i) {
      const auto part = place(sources[i], instruction);
      if (!part) return std::nullopt;
      sum = {sum.block + part->block, sum.warp + part->warp, sum.lane + part->lane};
    }
    return sum;
  };
  if (name == "S2R" || name == "S2UR") {
    if (sources.empty()) return std::nullopt;
    if (sources[0] == "SR_TID.X") return Place{0, warp_width, 1};
    if (sources[0] == "SR_CTAID.X") return Place{1, 0, 0};
    return std::nullopt;
  }
  if ((name == "MOV" || name == "R2UR") && !sources.empty()) return place(sources[0], instruction);
  if (one.has_modifier("X") || one.has_modifier("HI")) {
    // The only upper half that is known is that of a warp's number: SHF.R.U32.HI R1, RZ, 0x5, R0.
    if (name != "SHF" || !one.has_modifier("R") || sources.size() < 3 || immediate_in(sources[0]) != 0 ||
        immediate_in(sources[1]) != 5)
      return std::nullopt;
    const auto shifted = place(sources[2], instruction);
    if (!shifted || shifted->block != 0 || shifted->warp != warp_width || shifted->lane != 1)
      return std::nullopt;
    return Place{0, 1, 0};
  }
  if (name == "IADD3" || name == "VIADD") return sum_of(0, name == "VIADD" ? 2 : 3);
  if (name == "SHF" && one.has_modifier("L") && sources.size() > 1) {
    const auto shifted = place(sources[0], instruction);
    const auto by = immediate_in(sources[1]);
    if (!shifted || !by || *by < 0 || *by > 31) return std::nullopt;
    return scaled(*shifted, 1L << *by);
  }
  if (name == "IMAD" && sources.size() > 2) {
    const auto by = constant(sources[1], instruction);
    const auto factor = place(sources[0], instruction), rest = place(sources[2], instruction);
    if (!by || !factor || !rest) return std::nullopt;
    const Place product = scaled(*factor, *by);
    return Place{product.block + rest->block, product.warp + rest->warp, product.lane + rest->lane};
  }
  return std::nullopt;
}

// ---- comparisons ----

std::optional<Conditions::Comparison> Conditions::comparison(int predicate, std::size_t at) const {
  const auto made = definitions_.only(predicate, at);
  if (!made) return std::nullopt;
  const MachineInstruction& one = code_.instructions[*made];
  const Operands operands = operands_of(one);
  if (general_name(one) != "ISETP" || operands.sources.size() < 3 || first_result(*made) != predicate)
    return std::nullopt;
  Comparison result{one.has_modifier("NE")   ? "NE"
                    : one.has_modifier("EQ") ? "EQ"
                                             : "",
                    one.has_modifier("AND")  ? "AND"
                    : one.has_modifier("OR") ? "OR"
                                             : "",
                    operands.sources[0],
                    operands.sources[1],
                    operands.sources[2],
                    *made};
  if (result.relation.empty()) return std::nullopt;
  if (!one.has_modifier("EX")) return result;
  // Two halves that are compared one after the other: the lower ones tell enough.
  const auto carry = operands.sources.size() > 3 ? register_in(operands.sources[3]) : std::nullopt;
  const auto lower = carry ? comparison(*carry, *made) : std::nullopt;
  if (!lower || lower->relation != result.relation || lower->with != "PT") return std::nullopt;
  return Comparison{result.relation, result.combined, lower->a, lower->b, result.with, lower->at};
}

std::optional<Conditions::Equality> Conditions::equality(std::size_t block) {
  const auto condition = condition_of(block);
  const auto compared = condition ? comparison(condition->predicate, condition->at) : std::nullopt;
  if (!compared) return std::nullopt;
  const bool alone = compared->with == "PT" && compared->combined == "AND";
  const bool unequal = compared->relation == "NE";
  if (!alone && compared->combined != (unequal ? "OR" : "AND")) return std::nullopt;
  const auto a = place(compared->a, compared->at), b = place(compared->b, compared->at);
  if (!a || !b) return std::nullopt;
  // NE makes the predicate false if the numbers are equal.
  const bool jumps = condition->value == !unequal;
  const std::vector<std::size_t>& ways = flow_.blocks[block].next;
  const bool exits = flow_.blocks[block].end == BasicBlock::End::exits;
  if (ways.size() != (exits ? 1 : 2) || (exits && jumps)) return std::nullopt;
  return Equality{a->block - b->block, a->warp - b->warp, a->lane - b->lane, exits || jumps ? 0U : 1U};
}

// ---- the number of the thread ----

bool Conditions::Threshold::holds(long thread) const {
  if (relation == "LT") return thread < number;
  if (relation == "LE") return thread <= number;
  return relation == "GT" ? thread > number : thread >= number;
}

std::optional<Conditions::Threshold> Conditions::threshold(std::size_t block) const {
  const auto condition = condition_of(block);
  const auto made = condition ? definitions_.only(condition->predicate, condition->at) : std::nullopt;
  if (!made) return std::nullopt;
  const MachineInstruction& one = code_.instructions[*made];
  const Operands operands = operands_of(one);
  if (one.name() != "ISETP" || one.has_modifier("EX") || !one.has_modifier("AND") ||
      operands.sources.size() < 3 || operands.sources[2] != "PT" ||
      first_result(*made) != condition->predicate)
    return std::nullopt;
  const auto reg = register_in(operands.sources[0]);
  const auto number = immediate_in(operands.sources[1]);
  const auto thread = reg ? definitions_.only(*reg, *made) : std::nullopt;
  if (!number || !thread || code_.instructions[*thread].name() != "S2R" ||
      operands_of(code_.instructions[*thread]).sources != std::vector<std::string>{"SR_TID.X"})
    return std::nullopt;
  for (const std::string_view relation : {"LT", "LE", "GT", "GE"})
    if (one.has_modifier(relation)) return Threshold{relation, *number, condition->value};
  return std::nullopt;
}

// ---- sine and cosine ----

std::optional<std::size_t> Conditions::way_of_large_arguments(std::size_t block) const {
  // The compiler's own functions compare with this number, and then reduce the argument in a loop.
  constexpr std::string_view largest = "105615";
  const auto condition = condition_of(block);
  const auto made = condition ? definitions_.only(condition->predicate, condition->at) : std::nullopt;
  if (!made || flow_.blocks[block].next.size() != 2) return std::nullopt;
  const MachineInstruction& one = code_.instructions[*made];
  const std::vector<std::string> sources = operands_of(one).sources;
  if (one.name() != "FSETP" || !one.has_modifier("GE") || sources.size() < 2 || sources[1] != largest)
    return std::nullopt;
  return condition->value ? 0 : 1;
}

// ---- loops ----

std::optional<long> Conditions::constant(std::string_view operand, std::size_t at) const {
  if (const auto number = immediate_in(operand)) return number;
  const auto reg = register_in(operand);
  const auto made = reg ? definitions_.only(*reg, at) : std::nullopt;
  return made ? constant_made_by(*made) : std::nullopt;
}

std::optional<long> Conditions::constant_made_by(std::size_t instruction) const {
  const MachineInstruction& one = code_.instructions[instruction];
  const std::vector<std::string> sources = operands_of(one).sources;
  const std::string_view name = general_name(one);
  if ((name == "MOV" || name == "CS2R") && !sources.empty()) return immediate_in(sources[0]);
  if (name == "IMAD" && one.has_modifier("MOV") && sources.size() > 2) return immediate_in(sources[2]);
  return std::nullopt;
}

/// The largest value of x & 0x3 is 3, and that of its negative is taken to be −3.
std::optional<long> Conditions::largest_made_by(std::size_t instruction) const {
  const MachineInstruction& one = code_.instructions[instruction];
  const std::vector<std::string> sources = operands_of(one).sources;
  const std::string_view name = general_name(one);
  const auto largest = [&](std::string_view operand) -> std::optional<long> {
    const auto reg = register_in(operand);
    const auto made = reg ? definitions_.only(*reg, instruction) : std::nullopt;
    return made ? largest_made_by(*made) : std::nullopt;
  };
  if (name == "MOV" && !sources.empty()) return largest(sources[0]);
  if (sources.size() < 3) return std::nullopt;
  if (name == "LOP3" && sources.size() > 3 && sources[2] == "RZ" && sources[3] == "0xc0")
    return immediate_in(sources[1]);
  if (name == "IMAD" && one.has_modifier("MOV")) return largest(sources[2]);
  const bool negates =
      name == "IADD3" && sources[0] == "RZ" && sources[1].starts_with('-') && sources[2] == "RZ";
  const auto negated = negates ? largest(sources[1]) : std::nullopt;
  return negated ? std::optional(-*negated) : std::nullopt;
}

bool Conditions::is_entered_only_at(std::size_t header, const Loop& loop) const {
  if (loop.contains(0)) return false;
  for (std::size_t i = 0; i < flow_.blocks.size(); ++i)
    if (flow_.blocks[i].reachable && !loop.contains(i))
      for (const std::size_t next : flow_.blocks[i].next)
        if (loop.contains(next) && next != header) return false;
  return true;
}

std::optional<Turns> Conditions::turns(const Loop& loop) const {
  std::optional<std::size_t> latch;
  for (const std::size_t block : loop.blocks) {
    const BasicBlock& one = flow_.blocks[block];
    const auto inside =
        std::ranges::count_if(one.next, [&](std::size_t next) { return loop.contains(next); });
    if (inside != 1) return std::nullopt;
    if (one.next.size() == 1 && one.end != BasicBlock::End::exits) continue;
    if (latch || one.end != BasicBlock::End::decides) return std::nullopt;
    latch = block;
  }
  const auto condition = latch ? condition_of(*latch) : std::nullopt;
  const auto compared = condition ? comparison(condition->predicate, condition->at) : std::nullopt;
  if (!compared || compared->with != "PT" || compared->combined != "AND") return std::nullopt;
  const std::vector<std::size_t>& ways = flow_.blocks[*latch].next;
  const bool jumps_on = loop.contains(ways[0]);
  if (!is_entered_only_at(ways[jumps_on ? 0 : 1], loop)) return std::nullopt;
  // It ends where the numbers are equal.
  if (condition->value != ((compared->relation == "NE") == jumps_on)) return std::nullopt;
  const auto end = immediate_in(compared->b);
  const auto counter = register_in(compared->a);
  const auto step_at = counter ? definitions_.only(*counter, compared->at) : std::nullopt;
  if (!end || !step_at || !loop.contains(flow_.block_of[*step_at])) return std::nullopt;
  const MachineInstruction& step = code_.instructions[*step_at];
  const std::vector<std::string> sources = operands_of(step).sources;
  if ((step.name() != "IADD3" && step.name() != "VIADD") || sources.size() < 2 ||
      (sources.size() > 2 && sources[2] != "RZ") || register_in(sources[0]) != counter)
    return std::nullopt;
  const auto by = immediate_in(sources[1]);
  std::set<std::size_t> starts = definitions_.reaching(*counter, *step_at);
  starts.erase(*step_at);
  if (!by || starts.size() != 1 || *starts.begin() == Definitions::unknown ||
      !code_.instructions[*starts.begin()].guard.empty() || *by == 0)
    return std::nullopt;
  const std::size_t start_at = *starts.begin();
  if (first_result(start_at) != counter) return std::nullopt;
  if (const auto start = constant_made_by(start_at)) {
    const double count = double(*end - *start) / double(*by);
    if (count >= 1 && count == std::floor(count)) return Turns{*latch, count, true};
  }
  const auto most = *end == 0 ? largest_made_by(start_at) : std::nullopt;
  if (most && (*most > 0) != (*by > 0)) return Turns{*latch, -double(*most) / double(*by), false};
  return std::nullopt;
}

}  // namespace fathom
