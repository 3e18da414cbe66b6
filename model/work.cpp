#include <fathom/model/work.h>

#include <algorithm>
#include <stdexcept>

namespace fathom {

Work KernelWork::at(const WorkSize& size) const {
  Work work;
  for (const Demand& demand : all_demands) {
    const auto value = demand.value;
    work.*value = constant.*value + size.elements * per_element.*value +
                  size.doublings * per_doubling.*value + size.partials * per_partial.*value;
  }
  return work;
}

const KernelWork& AlgorithmWork::of(std::string_view kernel) const {
  const auto found = std::ranges::find(kernels, kernel, &KernelWork::kernel);
  if (found == kernels.end())
    throw std::invalid_argument("the work of " + algorithm + " has no kernel '" + std::string(kernel) + "'");
  return *found;
}

}  // namespace fathom
