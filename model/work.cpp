// SPDX-License-Identifier: Apache-2.0
#include <fathom/model/work.h>

#include <algorithm>
#include <bit>
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
    const double parts = launch.parts > 0 ? launch.parts : double(plan[i == 0 ? 0 : i - 1].blocks);
    const double partials = parts / double(launch.blocks);
    const double elements = launch.elements > 0 ? launch.elements : n;
    sizes.push_back({elements / double(launch.blocks), doublings, partials});
  }
  return sizes;
}

Work KernelWork::at(const WorkSize& size) const {
  // As arrays, which compilers vectorize: predictions spend much of their time here.
  using Numbers = std::array<double, all_demands.size()>;
  const auto numbers = [](const Work& work) { return std::bit_cast<Numbers>(work); };
  const Numbers constants = numbers(constant), elements = numbers(per_element),
                doublings = numbers(per_doubling), partials = numbers(per_partial);
  Numbers sums;
  for (std::size_t i = 0; i < sums.size(); ++i)
    sums[i] = std::max(0.0, constants[i] + size.elements * elements[i] + size.doublings * doublings[i] +
                                size.partials * partials[i]);
  return std::bit_cast<Work>(sums);
}

std::string in_words(const WorkKey& key) {
  std::string text = key.algorithm + " " + name(key.type);
  for (const auto& [parameter, value] : key.parameters) text += " " + parameter + "=" + std::to_string(value);
  return text + " " + std::string(name(key.input)) + " on sm_" + std::to_string(key.architecture);
}

const KernelWork& AlgorithmWork::of(std::string_view kernel) const {
  const auto found = std::ranges::find(kernels, kernel, &KernelWork::kernel);
  if (found == kernels.end())
    throw std::invalid_argument("the work of " + algorithm + " has no kernel '" + std::string(kernel) + "'");
  return *found;
}

}  // namespace fathom
