// SPDX-License-Identifier: Apache-2.0
#include <fathom/counting/audit.h>
#include <fathom/model/laws/predict.h>

namespace fathom {

std::optional<double> AuditEntry::ratio() const {
  if (!formula || !counted) return std::nullopt;
  return *counted / *formula;
}

namespace {

std::optional<double> unless_zero(double words) {
  return words > 0 ? std::optional(words) : std::nullopt;
}

double words_of(const Phases& phases, Level level) {
  double words = 0;
  for (const Phase& phase : phases)
    for (const Access& access : phase.accesses)
      if (access.level == level) words += access.count;
  return words;
}

double words_of(const std::vector<KernelCounts>& kernels, Level level) {
  double words = 0;
  for (const KernelCounts& kernel : kernels)
    words += double(level == Level::global ? kernel.global().warp_words : kernel.shared().warp_words);
  return words;
}

}  // namespace

std::vector<AuditEntry> audit(const Algorithm& algorithm, const Problem& problem,
                              const Machine<double>& machine, const std::vector<KernelCounts>& kernels) {
  if (!algorithm.formula) return {};
  const Phases phases = phases_of(algorithm, machine, problem);
  std::vector<AuditEntry> entries;
  for (Level level : {Level::global, Level::shared}) {
    const AuditEntry entry{level, unless_zero(words_of(phases, level)),
                           unless_zero(words_of(kernels, level))};
    if (entry.formula || entry.counted) entries.push_back(entry);
  }
  return entries;
}

}  // namespace fathom
