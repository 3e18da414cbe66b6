// SPDX-License-Identifier: Apache-2.0
#include <fathom/device/prepared_plan.h>

#include <algorithm>

namespace fathom {

PreparedPlan::PreparedPlan(Executor& executor, Plan plan) : executor_(&executor), plan_(std::move(plan)) {
  for (const Launch& launch : plan_) prepared_.push_back(executor.prepare(launch));
}

std::vector<KernelResources> PreparedPlan::resources() const {
  std::vector<KernelResources> all;
  for (const auto& kernel : prepared_)
    if (std::none_of(all.begin(), all.end(), [&](const KernelResources& known) {
          return known.name == kernel->resources.name && known.shared_bytes == kernel->resources.shared_bytes;
        }))
      all.push_back(kernel->resources);
  return all;
}

void PreparedPlan::check(std::size_t i, const std::type_info& type) const {
  const KernelInfo& planned = *plan_.at(i).kernel;
  if (*planned.type != type)
    throw std::logic_error("launch " + std::to_string(i) + " of the plan is of " + planned.name +
                           ", not of " + type_name(type));
}

}  // namespace fathom
