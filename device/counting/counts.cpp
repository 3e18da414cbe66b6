// SPDX-License-Identifier: Apache-2.0
#include <fathom/device/counting/counts.h>

#include <stdexcept>

namespace fathom {

GlobalAccesses& GlobalAccesses::operator+=(const GlobalAccesses& other) {
  accesses += other.accesses;
  words += other.words;
  warp_words += other.warp_words;
  sectors += other.sectors;
  lines += other.lines;
  l2_sectors += other.l2_sectors;
  resumed_sectors += other.resumed_sectors;
  l2_lines += other.l2_lines;
  useful_bytes += other.useful_bytes;
  return *this;
}

SharedAccesses& SharedAccesses::operator+=(const SharedAccesses& other) {
  accesses += other.accesses;
  words += other.words;
  warp_words += other.warp_words;
  wavefronts += other.wavefronts;
  least_wavefronts += other.least_wavefronts;
  return *this;
}

std::string_view name(MemoryOperation operation) {
  constexpr std::array<std::string_view, 3> names{"load", "store", "atomic"};
  return names.at(std::size_t(operation));
}

std::string_view name(Instruction instruction) {
  constexpr std::array<std::string_view, all_instructions.size()> names{
      "shuffle",      "ballot",    "match",   "reduce",          "barrier",
      "warp-barrier", "copy-wait", "compare", "compare-exchange"};
  return names.at(std::size_t(instruction));
}

u64 KernelCounts::words(Instruction instruction) const {
  u64 sum = 0;
  for (const InstructionSite& site : instruction_sites)
    if (site.instruction == instruction) sum += site.words;
  return sum;
}

GlobalAccesses KernelCounts::global(MemoryOperation operation) const {
  GlobalAccesses sum;
  for (const AccessSite& site : sites)
    if (site.operation == operation) sum += site.global;
  return sum;
}

SharedAccesses KernelCounts::shared(MemoryOperation operation) const {
  SharedAccesses sum;
  for (const AccessSite& site : sites)
    if (site.operation == operation) sum += site.shared;
  return sum;
}

GlobalAccesses KernelCounts::global() const {
  GlobalAccesses sum;
  for (const AccessSite& site : sites) sum += site.global;
  return sum;
}

SharedAccesses KernelCounts::shared() const {
  SharedAccesses sum;
  for (const AccessSite& site : sites) sum += site.shared;
  return sum;
}

SharedAccesses KernelCounts::shared_in(std::string_view function) const {
  SharedAccesses sum;
  for (const AccessSite& site : sites)
    if (site.function == function) sum += site.shared;
  return sum;
}

}  // namespace fathom
