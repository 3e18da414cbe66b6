#include "comparison.h"

#include <fathom/algorithms/registry.h>

#include "arguments.h"

namespace fathom::cli {

std::vector<reports::LawComparison> compare_laws(const DeviceProfile& profile, const Dataset& dataset,
                                                 const std::string& law, double smallest_n) {
  std::vector<reports::LawComparison> comparisons;
  for (LawName name : parse_laws(law))
    comparisons.push_back({name, compare(profile, dataset, find_descriptor, Law{.law = name}, smallest_n)});
  return comparisons;
}

}  // namespace fathom::cli
