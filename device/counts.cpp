#include <fathom/device/counts.h>

#include <cctype>
#include <stdexcept>

namespace fathom {

GlobalAccesses& GlobalAccesses::operator+=(const GlobalAccesses& other) {
  accesses += other.accesses;
  words += other.words;
  warp_words += other.warp_words;
  sectors += other.sectors;
  useful_bytes += other.useful_bytes;
  return *this;
}

SharedAccesses& SharedAccesses::operator+=(const SharedAccesses& other) {
  accesses += other.accesses;
  words += other.words;
  warp_words += other.warp_words;
  slots += other.slots;
  least_slots += other.least_slots;
  return *this;
}

std::string_view name(MemoryOperation operation) {
  constexpr std::array<std::string_view, 3> names{"load", "store", "atomic"};
  return names.at(std::size_t(operation));
}

std::string_view name(Instruction instruction) {
  constexpr std::array<std::string_view, all_instructions.size()> names{
      "shuffle", "ballot", "barrier", "warp-barrier", "compare", "compare-exchange"};
  return names.at(std::size_t(instruction));
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

std::string phase_name(std::string_view kernel) {
  std::string phase;
  for (const char letter : kernel) {
    if (std::isupper(static_cast<unsigned char>(letter)) && !phase.empty()) phase += '-';
    phase += char(std::tolower(static_cast<unsigned char>(letter)));
  }
  return phase;
}

}  // namespace fathom
