#include "comparison.h"

#include <fathom/algorithms/registry.h>

#include "law_options.h"
#include "remembered_work.h"
#include "terminal.h"

namespace fathom::cli {

std::vector<reports::LawComparison> compare_laws(const DeviceProfile& profile,
                                                 std::span<const Dataset> datasets,
                                                 const std::vector<LawName>& laws, double smallest_n,
                                                 const WorkLookup& work) {
  RememberedWork own(work_lookup(profile));
  std::vector<reports::LawComparison> comparisons;
  for (LawName name : laws)
    comparisons.push_back({name, compare(profile, datasets, find_descriptor, Law{.law = name}, smallest_n,
                                         progress_on_terminal(), work ? work : own.lookup())});
  return comparisons;
}

}  // namespace fathom::cli
