#include <fathom/model/work.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace fathom {

WorkSize& WorkSize::operator+=(const WorkSize& other) {
  elements += other.elements;
  doublings += other.doublings;
  partials += other.partials;
  return *this;
}

WorkSize& WorkSize::operator*=(double factor) {
  elements *= factor;
  doublings *= factor;
  partials *= factor;
  return *this;
}

std::vector<WorkSize> work_sizes(double n, const Plan& plan) {
  std::vector<WorkSize> sizes;
  sizes.reserve(plan.size());
  const double doublings = std::log2(std::max(n, 1.0));
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const Launch& launch = plan[i];
    const double partials = i == 0 ? 1 : double(plan[i - 1].blocks) / double(launch.blocks);
    const double elements = launch.elements > 0 ? launch.elements : n;
    sizes.push_back({elements / double(launch.blocks), doublings, partials});
  }
  return sizes;
}

Work KernelWork::at(const WorkSize& size) const {
  Work work;
  for (const Demand& demand : all_demands) {
    const auto value = demand.value;
    work.*value =
        std::max(0.0, constant.*value + size.elements * per_element.*value +
                          size.doublings * per_doubling.*value + size.partials * per_partial.*value);
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
