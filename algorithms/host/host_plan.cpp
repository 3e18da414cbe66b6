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

HostPlan plan_host(Index n, int parts, int most_merged, std::size_t memory_bytes, const BytesOfPlan& bytes) {
  const auto fits = [&](const HostPlan& plan) { return bytes(plan) <= memory_bytes; };
  if (const HostPlan plan{true, part_of(n, std::min(parts, most_merged))}; fits(plan)) return plan;
  HostPlan plan{false, part_of(n, parts)};
  if (fits(plan)) return plan;
  plan.part = multiple;
  if (!fits(plan))
    throw OutOfDeviceMemory("need at least " + std::to_string(bytes(plan)) + " bytes of GPU memory, " +
                            std::to_string(memory_bytes) + " may be used");
  Index fitting = 1, too_many = part_of(n, parts) / multiple;
  while (too_many - fitting > 1) {
    const Index middle = fitting + (too_many - fitting) / 2;
    (fits({false, middle * multiple}) ? fitting : too_many) = middle;
  }
  return {false, fitting * multiple};
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
