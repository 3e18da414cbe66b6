// SPDX-License-Identifier: Apache-2.0
// carveout: the effect of the shared-memory carve-out on pairwise mergesort. Sorts 2^26 keys at every E and t
// for which the plan requests a carve-out on an H200, and at neighbouring E, alternately with the plan's
// carve-outs and with carve-outs chosen by the driver, and prints JSON.
#include <fathom/algorithms/check/check.h>
#include <fathom/algorithms/sort/merge/pairwise/sort_pairwise.h>
#include <fathom/core/measurement.h>
#include <fathom/device/cuda/cuda_executor.h>

#include <cstdio>
#include <ctime>

using namespace fathom;

namespace {

constexpr Index n = 1 << 26;

struct Sorted {
  double milliseconds;
  int merge_blocks;  ///< resident on a multiprocessor
  int carveout;      ///< of the merge
};

template <class Key>
Sorted sort(CudaExecutor& executor, Span<const Key> input, Span<Key> output, int threads, int elements,
            Plan plan) {
  SortPairwise<Key, Less> solver(executor, n, threads, elements, plan);
  solver.run(input, output);
  check_sorted<Key, Less>(executor, input, {output.data, output.count});
  const Timing timing = executor.time([&] { solver.run(input, output); });
  return {1e3 * quartiles(timing.seconds).median, solver.kernels()[2].resident_blocks,
          plan[2].shape.carveout};
}

void print(const char* name, const Sorted& sorted, const char* end) {
  std::printf("\"%s\": {\"time_ms\": %.4f, \"resident_blocks\": %d, \"carveout_percent\": ", name,
              sorted.milliseconds, sorted.merge_blocks);
  sorted.carveout < 0 ? std::printf("null}%s", end) : std::printf("%d}%s", sorted.carveout, end);
}

/// Every E of `elements`, planned and left to the driver.
template <class Key>
void compare(CudaExecutor& executor, int threads, const std::vector<int>& elements, const char* end) {
  const DeviceArray<Key> input(executor, n), output(executor, n);
  fill_keys<Key>(executor, input.span(), Input::random);
  const Span<const Key> keys{input.data(), input.size()};
  for (int E : elements) {
    const Plan plan = SortPairwise<Key, Less>::plan(n, threads, E, executor.plan_device());
    Plan by_driver = plan;
    for (Launch& launch : by_driver) launch.shape.carveout = -1;
    std::printf("  {\"type\": \"%s\", \"t\": %d, \"E\": %d, ", sizeof(Key) == 4 ? "u32" : "u64", threads, E);
    print("planned", sort(executor, keys, output.span(), threads, E, plan), ", ");
    print("left_to_driver", sort(executor, keys, output.span(), threads, E, by_driver), "}");
    std::printf("%s\n", E == elements.back() ? end : ",");
  }
}

}  // namespace

int main() {
  CudaExecutor executor;
  const std::time_t now = std::time(nullptr);
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  std::printf(
      "{\"schema\": \"fathom.carveout\", \"version\": 2, \"command\": \"carveout\", \"date\": \"%s\",\n"
      " \"gpu\": \"%s\", \"driver\": \"%s\", \"n\": %lld,\n \"runs\": [\n",
      date, executor.gpu().name.c_str(), executor.gpu().driver.c_str(), n);
  compare<u32>(executor, 64, {37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47}, ",");
  compare<u32>(executor, 128, {38, 39, 40, 41, 42, 43, 44, 45, 46, 47}, ",");
  compare<u64>(executor, 64, {22, 23, 24, 25, 26, 27, 28, 36, 37, 38, 46, 47}, ",");
  compare<u64>(executor, 128, {26, 27, 28, 38, 39, 40}, "");
  std::printf(" ]}\n");
}
