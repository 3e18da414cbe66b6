#include <fathom/algorithms/audit.h>

#include <algorithm>
#include <array>

namespace fathom {

std::optional<double> AuditEntry::ratio() const {
  if (!formula || !counted || !(*formula > 0) || !(*counted > 0)) return std::nullopt;
  return *counted / *formula;
}

namespace {

constexpr std::array audited_levels{Level::global, Level::shared};

/// Accesses that a formula assigns to the L2 still count as accesses to global memory.
double words_of(const Phase<double>& phase, Level level) {
  double words = 0;
  for (const Access<double>& access : phase.accesses)
    if (access.level == level || (level == Level::global && access.level == Level::l2)) words += access.count;
  return words;
}

double words_of(const KernelCounts& kernel, Level level) {
  return double(level == Level::global ? kernel.global().warp_words : kernel.shared().warp_words);
}

void add(std::optional<double>& sum, double words) {
  sum = sum.value_or(0) + words;
}

class Audit {
 public:
  void add_formula(LawName law, const std::string& phase, Level level, double words) {
    if (words > 0) add(entry(law, phase, level).formula, words);
  }
  void add_counted(LawName law, const std::string& phase, Level level, double words) {
    if (words > 0) add(entry(law, phase, level).counted, words);
  }
  std::vector<AuditEntry> entries() && { return std::move(entries_); }

 private:
  AuditEntry& entry(LawName law, const std::string& phase, Level level) {
    for (AuditEntry& known : entries_)
      if (known.law == law && known.phase == phase && known.level == level) return known;
    return entries_.emplace_back(AuditEntry{law, phase, level, {}, {}});
  }
  std::vector<AuditEntry> entries_;
};

}  // namespace

std::vector<AuditEntry> audit(const Algorithm& algorithm, const Problem& problem,
                              const Machine<double>& machine, const std::vector<KernelCounts>& kernels) {
  if (!algorithm.formula) return {};
  const Formula& formula = *algorithm.formula;
  Audit audit;
  for (LawName law : {LawName::calibrated, LawName::published}) {
    const auto name_of = [&](std::string_view phase) {
      return law == LawName::published ? "all" : std::string(phase);
    };
    const Plan plan = law == LawName::calibrated ? plan_on(machine, algorithm, problem) : Plan{};
    for (const Phase<double>& phase :
         formula.phases(machine, problem, plan, formula.default_constants(), law))
      for (Level level : audited_levels)
        audit.add_formula(law, name_of(phase.name), level, words_of(phase, level));
    for (const KernelCounts& kernel : kernels)
      for (Level level : audited_levels)
        audit.add_counted(law, name_of(kernel.kernel), level, words_of(kernel, level));
  }
  return std::move(audit).entries();
}

}  // namespace fathom
