#include "comparison.h"

#include <fathom/algorithms/registry.h>

#include "arguments.h"
#include "terminal.h"

namespace fathom::cli {

std::vector<reports::LawComparison> compare_laws(const DeviceProfile& profile,
                                                 std::span<const Dataset> datasets, const std::string& law,
                                                 double smallest_n) {
  std::vector<reports::LawComparison> comparisons;
  for (LawName name : parse_laws(law))
    comparisons.push_back({name, compare(profile, datasets, find_descriptor, Law{.law = name}, smallest_n,
                                         progress_on_terminal())});
  return comparisons;
}

}  // namespace fathom::cli
