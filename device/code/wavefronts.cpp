// SPDX-License-Identifier: Apache-2.0
#include <fathom/device/code/wavefronts.h>

#include <algorithm>

namespace fathom {
namespace {

using namespace lines;

/// What the machine code executes of a line.
struct Executed {
  double instructions = 0, words = 0;
};
using ExecutedLines = std::map<Key, Executed>;

ExecutedLines executed_lines(const Disassembly& code, const FlowGraph& flow, const Frequencies& frequencies,
                             const KernelCounts& counts) {
  ExecutedLines executed;
  for (const auto& [key, places] : places_by_line(code, flow, counts_by_line(counts)))
    for (const Place& place : places) {
      executed[key].instructions += frequencies.blocks[place.block];
      executed[key].words += frequencies.blocks[place.block] * place.words;
    }
  return executed;
}

bool has_code(const ExecutedLines& executed, const Key& key) {
  return executed.contains(key) && executed.at(key).words > 0;
}

template <class Accesses>
double words_of_source(const Accesses& source) {
  return double(source.warp_words) / warp_width;
}

/// One instruction may serve the same access at two places of the source, or have a line of which it is none:
/// then that line executes more words than were counted there, by those of the lines that have no code.
template <class Accesses>
void move_to_lines_with_code(std::map<Key, Accesses>& counted, const ExecutedLines& executed) {
  for (const auto& [key, source] : std::map(counted)) {
    if (has_code(executed, key)) continue;
    Key best = key;
    double most = 0.5 * words_of_source(source);
    for (const auto& [other, machine] : executed) {
      if (other.what != key.what) continue;
      const double surplus = machine.words - (counted.contains(other) ? words_of_source(counted[other]) : 0);
      if (surplus > most) {
        best = other;
        most = surplus;
      }
    }
    if (best == key) continue;
    counted[best] += source;
    counted.erase(key);
  }
}

/// Where the frequencies run hardly any of a line's instructions, these do not take the passes of all.
constexpr double least_share_run = 0.1;

/// `passes_of_code(source, machine)` and `passes(source)`: of a line, with its code and without.
template <class Accesses, class OfCode, class OfSource>
AccessPasses passes_of(std::map<Key, Accesses> counted, const ExecutedLines& executed, OfCode passes_of_code,
                       OfSource passes) {
  move_to_lines_with_code(counted, executed);
  AccessPasses sum;
  for (const auto& [key, source] : counted) {
    if (!has_code(executed, key)) {
      sum.without_code += passes(source);
      continue;
    }
    const Executed& machine = executed.at(key);
    const double of_line = passes_of_code(source, machine);
    sum.of_code += of_line;
    sum.per_word[key] = of_line / std::max(machine.words, least_share_run * words_of_source(source));
  }
  return sum;
}

Key key_of(const AccessSite& site) {
  return {what_of(site), {source_name(site.path), int(site.line)}};
}

}  // namespace

AccessPasses shared_wavefronts(const Disassembly& code, const FlowGraph& flow, const Frequencies& frequencies,
                               const KernelCounts& counts) {
  std::map<Key, SharedAccesses> counted;
  for (const AccessSite& site : counts.sites)
    if (site.shared.accesses > 0) counted[key_of(site)] += site.shared;
  return passes_of(
      std::move(counted), executed_lines(code, flow, frequencies, counts),
      [](const SharedAccesses& source, const Executed& machine) {
        const double words_of_access = words_of_source(source) / double(source.accesses);
        const double combined = std::max(1.0, machine.words / machine.instructions / words_of_access);
        return std::max(double(source.wavefronts) / combined, double(source.least_wavefronts)) +
               std::max(0.0, machine.instructions - double(source.accesses) / combined);
      },
      [](const SharedAccesses& source) { return double(source.wavefronts); });
}

AccessPasses global_lines(const Disassembly& code, const FlowGraph& flow, const Frequencies& frequencies,
                          const KernelCounts& counts) {
  std::map<Key, GlobalAccesses> counted;
  for (const AccessSite& site : counts.sites)
    if (site.global.accesses > 0) counted[key_of(site)] += site.global;
  const auto lines = [](const GlobalAccesses& source) { return double(source.lines); };
  return passes_of(
      std::move(counted), executed_lines(code, flow, frequencies, counts),
      [&](const GlobalAccesses& source, const Executed&) { return lines(source); }, lines);
}

}  // namespace fathom
