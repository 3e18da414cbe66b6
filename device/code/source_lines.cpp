// SPDX-License-Identifier: Apache-2.0
#include <fathom/device/code/source_lines.h>

#include <algorithm>
#include <array>
#include <set>

namespace fathom::lines {
namespace {

/// A copy from global to shared memory is a load and a store.
std::vector<What> effects(const MachineInstruction& one) {
  static const std::map<std::string_view, std::vector<What>> all{
      {"LDG", {What::global_load}},     {"LD", {What::global_load}},
      {"STG", {What::global_store}},    {"ST", {What::global_store}},
      {"ATOMG", {What::global_atomic}}, {"ATOM", {What::global_atomic}},
      {"RED", {What::global_atomic}},   {"REDG", {What::global_atomic}},
      {"LDS", {What::shared_load}},     {"STS", {What::shared_store}},
      {"ATOMS", {What::shared_atomic}}, {"LDGSTS", {What::global_load, What::shared_store}},
      {"SHFL", {What::shuffle}},        {"VOTE", {What::ballot}},
      {"VOTEU", {What::ballot}},        {"MATCH", {What::match}},
      {"REDUX", {What::reduce}},        {"CREDUX", {What::reduce}},
      {"BAR", {What::barrier}},         {"UBLKCP", {What::engine_copy}}};
  const auto found = all.find(one.name());
  return found == all.end() ? std::vector<What>{} : found->second;
}

double words_of(const MachineInstruction& one, What what) {
  if (!is_access(what)) return 1;
  return one.has_modifier("128") ? 4 : one.has_modifier("64") ? 2 : 1;
}

/// Compare-exchanges are counted all together, since the compiler gives them one line.
const SourceLine selections{"fathom/device/contract/put_in_order.h", 0};

/// True for the selection of one of two words, in a compare-exchange.
bool is_selection(const MachineInstruction& one) {
  static const std::set<std::string_view> names{"SEL", "FSEL", "VIMNMX", "IMNMX", "FMNMX", "DMNMX"};
  return !one.lines.empty() && one.lines.front().file == selections.file &&
         (names.contains(one.name()) || (one.name() == "MOV" && !one.guard.empty()));
}

/// Warp barriers and waits for copies are not among them: the compiler drops, doubles and adds their
/// instructions.
std::optional<What> what_of(Instruction instruction) {
  switch (instruction) {
    case Instruction::shuffle:
      return What::shuffle;
    case Instruction::ballot:
      return What::ballot;
    case Instruction::match:
      return What::match;
    case Instruction::reduce:
      return What::reduce;
    case Instruction::barrier:
      return What::barrier;
    default:
      return std::nullopt;
  }
}

/// It may also join the same access on both sides of a condition, under the line of one of them.
constexpr int joined_lines = 8;

/// The closest line with such instructions. A copy by the copy engine has neither a load nor a store.
std::optional<Key> neighbour(const Key& key, const Counts& counts, const Places& places) {
  const auto is_copy = [&] {
    return counts.contains({What::global_load, key.line}) &&
           counts.contains({What::shared_store, key.line}) &&
           !places.contains({What::global_load, key.line}) &&
           !places.contains({What::shared_store, key.line});
  };
  if (is_copy()) return std::nullopt;
  for (int distance = 1; distance <= joined_lines; ++distance)
    for (const int line : {key.line.line - distance, key.line.line + distance})
      if (const Key other{key.what, {key.line.file, line}}; places.contains(other)) return other;
  return std::nullopt;
}

/// True if, of all counted lines of its kind, this is the only one without an instruction.
bool is_the_one_without_code(const Key& line, const Counts& counts, const Places& places) {
  return std::ranges::all_of(counts, [&](const auto& other) {
    const Key& key = other.first;
    return key.what != line.what || places.contains(key) == (key != line);
  });
}

/// Moves the instructions that inherit a line at which nothing was counted to `line`.
void give_inherited(const Key& line, const Counts& counts, Places& places) {
  std::vector<Place> given;
  for (auto& [key, found] : places) {
    if (key.what != line.what || counts.contains(key)) continue;
    const auto inherited = std::stable_partition(found.begin(), found.end(),
                                                 [](const Place& place) { return !place.inherits_lines; });
    given.insert(given.end(), inherited, found.end());
    found.erase(inherited, found.end());
  }
  std::erase_if(places, [](const auto& place) { return place.second.empty(); });
  if (!given.empty()) places[line] = std::move(given);
}

/// The lines of instructions, in the order of the code.
using Calls = std::map<std::size_t, SourceLine>;

/// Finds the lines of shuffles and the like, by kind and block.
std::map<std::pair<What, std::size_t>, Calls> calls_by_block(const Places& places) {
  std::map<std::pair<What, std::size_t>, Calls> calls;
  for (const auto& [key, found] : places)
    if (key.what >= What::shuffle && key.what <= What::reduce)
      for (const Place& place : found) calls[{key.what, place.block}][place.instruction] = key.line;
  return calls;
}

/// True if the instructions are several, and differ at most in operands and lines.
bool are_the_same(const Disassembly& code, const Calls& some, const Calls& others) {
  return some.size() > 1 && std::ranges::equal(some, others, [&](const auto& one, const auto& other) {
           return code.instructions[one.first].opcode == code.instructions[other.first].opcode;
         });
}

std::set<SourceLine> lines_of(const Disassembly& code, const BasicBlock& block) {
  std::set<SourceLine> lines;
  for (std::size_t i = block.first; i < block.last; ++i)
    if (const auto line = site_of(code.instructions[i])) lines.insert(*line);
  return lines;
}

}  // namespace

std::string_view name(What what) {
  constexpr std::array<std::string_view, 13> names{
      "global load",   "global store", "global atomic", "shared load", "shared store",
      "shared atomic", "shuffle",      "ballot",        "match",       "reduce",
      "barrier",       "selection",    "engine copy"};
  return names.at(std::size_t(what));
}

bool is_access(What what) {
  return what <= What::shared_atomic;
}

bool by_words(What what) {
  return what == What::global_load || what == What::global_store || what == What::shared_load ||
         what == What::shared_store || what == What::shuffle || what == What::selection;
}

std::optional<SourceLine> site_of(const MachineInstruction& one) {
  constexpr std::string_view contract = "fathom/device/contract/";
  for (const SourceLine& line : one.lines)
    if (!line.file.starts_with(contract)) return line;
  return std::nullopt;
}

double Counted::most_times(std::size_t at_a_time) const {
  const std::size_t listed = most_words_of_warp - most_words_of_warp % at_a_time;
  double times = 0, further = words;
  for (std::size_t i = 0; i < std::min(listed, warps_beyond.size()); ++i) {
    further -= double(warps_beyond[i]);
    if ((i + 1) % at_a_time == 0) times += double(warps_beyond[i]);
  }
  return times + further / double(at_a_time);
}

double Counted::most_left(std::size_t at_a_time) const {
  const std::size_t listed = most_words_of_warp - most_words_of_warp % at_a_time;
  if (warps_beyond.empty() || listed == 0) return words;
  double left = 0;
  for (std::size_t i = 0; i < std::min(listed, warps_beyond.size()); ++i) {
    left += double(warps_beyond[i]);
    if ((i + 1) % at_a_time == 0) left -= double(at_a_time) * double(warps_beyond[i]);
  }
  // Of a warp with more words than are listed only this much is known.
  if (warps_beyond.size() >= listed) left += double(at_a_time - 1) * double(warps_beyond[listed - 1]);
  return left;
}

What what_of(const AccessSite& site) {
  const bool global = site.global.accesses > 0;
  switch (site.operation) {
    case MemoryOperation::load:
      return global ? What::global_load : What::shared_load;
    case MemoryOperation::store:
      return global ? What::global_store : What::shared_store;
    case MemoryOperation::atomic:
      return global ? What::global_atomic : What::shared_atomic;
  }
  return What::global_load;
}

Counts counts_by_line(const KernelCounts& kernel) {
  Counts counts;
  for (const AccessSite& site : kernel.sites) {
    const bool global = site.global.accesses > 0;
    const u64 warp_words = global ? site.global.warp_words : site.shared.warp_words;
    counts[{what_of(site), {source_name(site.path), int(site.line)}}] +=
        {double(global ? site.global.accesses : site.shared.accesses),
         double(warp_words) / 32,
         double(site.warps),
         double(site.visits),
         site.warps_beyond,
         double(site.launches)};
  }
  for (const AccessSite& site : kernel.sites)  // a copy is a load here; one lane of the warp starts it
    if (what_of(site) == What::global_load)
      counts[{What::engine_copy, {source_name(site.path), int(site.line)}}] +=
          {double(site.visits), 0, double(site.warps), double(site.visits)};
  for (const InstructionSite& site : kernel.instruction_sites)
    if (const auto what = what_of(site.instruction))
      counts[{*what, {source_name(site.path), int(site.line)}}] +=
          {double(site.executions), double(site.words), 0, 0};
  if (kernel.exchanged_words > 0)
    counts[{What::selection, selections}].words =
        2 * double(kernel.exchanged_words);  // the lower, the higher
  return counts;
}

Places places_by_line(const Disassembly& code, const FlowGraph& flow, const Counts& counts) {
  Places places;
  for (std::size_t i = 0; i < code.instructions.size(); ++i) {
    const MachineInstruction& one = code.instructions[i];
    if (!flow.blocks[flow.block_of[i]].reachable) continue;
    if (is_selection(one))
      places[{What::selection, selections}].push_back({i, flow.block_of[i], !one.guard.empty(), 1});
    const auto line = site_of(one);
    if (!line) continue;
    for (const What what : effects(one))
      places[{what, *line}].push_back(
          {i, flow.block_of[i], !one.guard.empty(), words_of(one, what), one.inherits_lines});
  }
  for (const auto& [line, counted] : counts)
    if (is_access(line.what) && is_the_one_without_code(line, counts, places))
      give_inherited(line, counts, places);
  return places;
}

std::vector<std::pair<Key, Key>> mixed_up_lines(const Disassembly& code, const FlowGraph& flow,
                                                const Places& places) {
  std::vector<std::pair<Key, Key>> pairs;
  const auto all = calls_by_block(places);
  for (const auto& [what_and_block, copy] : all) {
    const auto& [what, block] = what_and_block;
    const std::set<SourceLine> lines = lines_of(code, flow.blocks[block]);
    for (const auto& [other_what_and_block, original] : all) {
      if (other_what_and_block.first != what || !are_the_same(code, copy, original)) continue;
      for (auto own = copy.begin(), other = original.begin(); own != copy.end(); ++own, ++other)
        if (own->second != other->second && lines.contains(other->second) &&
            std::ranges::none_of(copy, [&](const auto& call) { return call.second == other->second; }))
          pairs.push_back({{what, own->second}, {what, other->second}});
    }
  }
  return pairs;
}

std::map<Key, Match> matches_of(const Counts& counts, const Places& places, std::vector<Key>& without_code) {
  std::map<Key, Match> matches;
  for (const auto& [key, counted] : counts) {
    if (places.contains(key)) {
      matches[key].counted.push_back(key);
      matches[key].exact = true;
      continue;
    }
    if (key.what == What::selection || key.what == What::engine_copy) continue;
    without_code.push_back(key);
    if (const auto other = neighbour(key, counts, places)) matches[*other].counted.push_back(key);
  }
  // An access that was never counted never runs. Shuffles, ballots and barriers may be the compiler's own.
  for (const auto& [key, found] : places)
    if (is_access(key.what)) matches.try_emplace(key);
  return matches;
}

}  // namespace fathom::lines
