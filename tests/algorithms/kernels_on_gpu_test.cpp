// The real kernels on the real GPU. Skipped (exit code 77) where there is none.
#include <fathom/algorithms/bench.h>

#include <catch2/catch.hpp>

using namespace fathom;

namespace {

bool gpu_present() {
  try {
    return !present_gpus().empty();
  } catch (const DeviceUnavailable&) {
    return false;
  }
}

}  // namespace

TEST_CASE("every kernel gives right results on the GPU, around its edges and for every input") {
  if (!gpu_present()) std::exit(77);
  CudaExecutor executor;
  for (const Algorithm& each : algorithms()) {
    if (!each.make_driver) continue;
    for (ElementType type : each.types) {
      std::vector<Parameters> sets{{}};
      if (each.formula) {
        const Parameters standard = each.formula->default_parameters();
        sets = {standard};
        for (const ParameterInfo& info : each.parameters)
          for (int extreme : {info.values.front(), info.values.back()}) {
            sets.push_back(standard);
            sets.back().set(info.name, extreme);
          }
      }
      for (const Parameters& parameters : sets)
        for (double n : {1., 2., 33., 1023., 1024., 4097., 100003., 1048576., 3000017.}) {
          INFO(each.slug << " " << name(type) << " n = " << n);
          const auto driver = each.make_driver(executor, {n, type, parameters}, Input::random);
          CHECK_NOTHROW(driver->check());
        }
      for (Input input : all_inputs) {
        INFO(each.slug << " " << name(type) << " " << name(input));
        CHECK_NOTHROW(each.make_driver(executor, {200003, type, sets.front()}, input)->check());
      }
    }
  }
}

TEST_CASE("at their default parameters kernels keep everything in registers") {
  if (!gpu_present()) std::exit(77);
  CudaExecutor executor;
  for (const Algorithm& each : algorithms()) {
    if (!each.make_driver || each.baseline) continue;
    for (ElementType type : each.types)
      for (const KernelResources& kernel :
           each.make_driver(executor, {1e5, type, each.formula->default_parameters()}, Input::random)
               ->kernels()) {
        INFO(kernel.name);
        CHECK(kernel.local_bytes == 0);
      }
  }
}

TEST_CASE("the clock of the GPU is seen, and timing repeats") {
  if (!gpu_present()) std::exit(77);
  CudaExecutor executor;
  const double hz = executor.clock_hz();
  CHECK(hz > 2e8);
  CHECK(hz < 5e9);
  const BenchCase bench_case{
      &algorithm("sort-pairwise"),
      {1 << 20, ElementType::u32, algorithm("sort-pairwise").formula->default_parameters()}};
  const Run first = bench(executor, bench_case), second = bench(executor, bench_case);
  CHECK(first.checked);
  CHECK(first.seconds.size() == 11);
  CHECK(quartiles(first.seconds).median == Approx(quartiles(second.seconds).median).epsilon(0.05));
}
