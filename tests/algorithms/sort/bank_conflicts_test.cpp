// SPDX-License-Identifier: Apache-2.0
// Merge sorts whose accesses to shared memory are free of bank conflicts, whatever the input.
#include "sort_on_cpu.h"

#include <fathom/counting/count.h>

using namespace fathom;
using namespace fathom::tests;

namespace {

struct Free {
  const char *slug, *kernel;
  Parameters parameters;
  double n = 6000;
};
/// sort-warp has no conflicts in whole pieces only, so its n is a multiple of one.
const std::vector<Free> conflict_free{
    {"sort-mms", "MergeByHeaps", {{"t", 64}, {"E", 8}}},
    {"sort-mms", "MergeByHeaps", {{"E", 0}, {"K", 8}, {"node", 32}, {"lanes", 4}}},
    {"sort-mms", "SortInWarp", {{"E", 0}, {"K", 8}, {"node", 32}, {"lanes", 4}}},
    {"sort-mms", "BitonicSortTiles", {{"E", 32}, {"t", 64}}},
    {"sort-multiway", "MergeByHeaps", {{"t", 64}, {"E", 8}}},
    {"sort-multiway", "MergeByHeaps", {{"E", 0}, {"K", 8}, {"node", 32}, {"lanes", 4}}},
    {"sort-multiway", "SortInWarp", {{"E", 0}, {"K", 8}, {"node", 32}, {"lanes", 4}}},
    {"sort-multiway", "BitonicSortTiles", {{"E", 32}, {"t", 64}}},
    {"sort-mms-shuffles", "", {}, 40000},
    {"sort-mms-shuffles", "", {{"K", 2}}},
    {"sort-multiway-separators", "", {}, 40000},
    {"sort-multiway-separators", "", {{"K", 2}}},
    {"sort-bitonic", "", {{"E", 32}, {"t", 128}, {"S", 5}}},
    {"sort-warp", "", {{"E", 32}, {"t", 128}, {"K", 4}}, 1 << 14},
    {"sort-warp", "SortInWarp", {{"E", 1}, {"t", 128}, {"K", 4}}},
};

}  // namespace

TEST_CASE("merge sorts without bank conflicts have none, whatever the input", "[counts]") {
  for (const Free& each : conflict_free)
    for (const Input input : {Input::random, Input::sorted, Input::conflict_heavy, Input::few_unique})
      for (const ElementType type : {ElementType::u32, ElementType::u64}) {
        const Algorithm& sort = algorithm(each.slug);
        Case one{&sort, sort.problem(each.n, type), input};
        for (const auto& [name, value] : each.parameters) one.problem.parameters.set(name, value);
        std::size_t kernels = 0;
        for (const KernelCounts& kernel : count(one, {}).kernels) {
          if (!kernel.kernel.starts_with(each.kernel)) continue;
          ++kernels;
          INFO(each.slug << " " << kernel.kernel << " " << name(input) << " " << name(type));
          CHECK(kernel.shared().wavefronts == kernel.shared().least_wavefronts);
        }
        CHECK(kernels > 0);
      }
}
