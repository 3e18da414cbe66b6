// carveout: the effect of the shared-memory carve-out on pairwise mergesort. Sorts 2^26 u32 with t = 128 and
// E = 38 to 47, alternately with the plan's carve-outs and with carve-outs chosen by the driver, and prints
// JSON.
#include <fathom/algorithms/check/check.h>
#include <fathom/algorithms/sort/merge/pairwise/sort_pairwise.h>
#include <fathom/core/measurement.h>
#include <fathom/device/cuda/cuda_executor.h>

#include <cstdio>
#include <ctime>

using namespace fathom;

namespace {

constexpr Index n = 1 << 26;
constexpr int threads = 128;

struct Sorted {
  double milliseconds;
  int merge_blocks;  ///< resident on a multiprocessor
  int carveout;      ///< of the merge
};

Sorted sort(CudaExecutor& executor, Span<const u32> input, Span<u32> output, int elements, Plan plan) {
  SortPairwise<u32, Less> solver(executor, n, threads, elements, plan);
  solver.run(input, output);
  check_sorted<u32, Less>(executor, input, {output.data, output.count});
  const Timing timing = executor.time([&] { solver.run(input, output); });
  return {1e3 * quartiles(timing.seconds).median, solver.kernels()[2].resident_blocks,
          plan[2].shape.carveout};
}

void print(const char* name, const Sorted& sorted, const char* end) {
  std::printf("\"%s\": {\"time_ms\": %.4f, \"resident_blocks\": %d, \"carveout_percent\": ", name,
              sorted.milliseconds, sorted.merge_blocks);
  sorted.carveout < 0 ? std::printf("null}%s", end) : std::printf("%d}%s", sorted.carveout, end);
}

}  // namespace

int main() {
  CudaExecutor executor;
  const DeviceArray<u32> input(executor, n), output(executor, n);
  fill_keys<u32>(executor, input.span(), Input::random);
  const std::time_t now = std::time(nullptr);
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  std::printf(
      "{\"schema\": \"fathom.carveout\", \"version\": 1, \"command\": \"scripts/check-gpu\", \"date\": "
      "\"%s\",\n"
      " \"gpu\": \"%s\", \"driver\": \"%s\", \"n\": %lld, "
      "\"type\": \"u32\", \"t\": %d,\n \"runs\": [",
      date, executor.gpu().name.c_str(), executor.gpu().driver.c_str(), n, threads);
  for (int elements = 38; elements <= 47; ++elements) {
    const Plan plan = SortPairwise<u32, Less>::plan(n, threads, elements, executor.plan_device());
    Plan by_driver = plan;
    for (Launch& launch : by_driver) launch.shape.carveout = -1;
    const Span<const u32> keys{input.data(), input.size()};
    std::printf("%s\n  {\"E\": %d, ", elements > 38 ? "," : "", elements);
    print("planned", sort(executor, keys, output.span(), elements, plan), ", ");
    print("left_to_driver", sort(executor, keys, output.span(), elements, by_driver), "}");
  }
  std::printf("\n ]}\n");
}
