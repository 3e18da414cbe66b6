#include "comparison.h"

#include <fathom/algorithms/registry.h>

#include "arguments.h"

namespace fathom::cli {

std::vector<reports::LawComparison> compare_laws(const DeviceProfile& profile, const Dataset& dataset,
                                                 const std::string& law, double smallest_n) {
  const auto laws =
      law.empty() ? std::vector{LawName::calibrated, LawName::published} : std::vector{parse_law(law)};
  std::vector<reports::LawComparison> comparisons;
  for (LawName name : laws)
    comparisons.push_back({name, compare(profile, dataset, find_formula, Law{.law = name}, smallest_n)});
  return comparisons;
}

}  // namespace fathom::cli
