// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/host/host_plan.h>

#include <algorithm>
#include <string>

namespace fathom {
namespace {

/// Parts begin at multiples of 256 bytes, whatever the type, as what a sort reads has to begin at one of 16.
constexpr Index multiple = 64;

Index part_of(Index n, int parts) {
  return std::max<Index>(1, ceil_div(ceil_div(n, parts), multiple)) * multiple;
}

}  // namespace

HostPlan plan_host(const HostPlanRequest& request, std::size_t memory_bytes, const BytesOfPlan& bytes) {
  const auto& [n, gpus, parts, most_merged] = request;
  const auto fits = [&](const HostPlan& plan) { return bytes(plan) <= memory_bytes; };
  if (gpus == 1)
    if (const HostPlan plan{n, true, part_of(n, std::min(parts, most_merged))}; fits(plan)) return plan;
  HostPlan plan{n, false, part_of(n, parts * gpus), gpus};
  if (fits(plan)) return plan;
  Index fitting = 1, too_many = plan.part / multiple;
  const auto with_part = [&](Index multiples) {
    plan.part = multiples * multiple;
    return plan;
  };
  if (!fits(with_part(fitting)))
    throw OutOfDeviceMemory("need at least " + std::to_string(bytes(plan)) + " bytes of GPU memory, " +
                            std::to_string(memory_bytes) + " may be used");
  while (too_many - fitting > 1) {
    const Index middle = fitting + (too_many - fitting) / 2;
    (fits(with_part(middle)) ? fitting : too_many) = middle;
  }
  return with_part(fitting);
}

const Algorithm& sort_of_parts() {
  return algorithm("radix-onesweep");
}
Problem problem_of_part(const Problem& of_all, Index elements) {
  return sort_of_parts().problem(double(elements), Instantiation(of_all));
}

std::size_t bytes_to_use(const Problem& problem, double memory_bytes) {
  constexpr double GiB = 1 << 30, most = 0x1p62;
  const int limit = problem.parameters.at("memory");
  return std::size_t(std::min(memory_bytes, limit == 0 ? most : limit * GiB));
}

}  // namespace fathom
