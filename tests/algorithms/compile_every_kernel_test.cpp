// Every registered kernel compiles for every supported architecture, at its default and its extreme
// parameters; none of this needs a GPU.
#include <fathom/algorithms/registry.h>
#include <fathom/device/cuda_executor.h>

#include <catch2/catch.hpp>

#include <map>

using namespace fathom;

namespace {

/// The default, and every parameter at its least and at its greatest with the others at their default.
std::vector<Parameters> default_and_extremes(const Algorithm& algorithm) {
  std::vector<Parameters> sets{algorithm.formula->default_parameters()};
  for (const ParameterInfo& info : algorithm.parameters)
    for (int extreme : {info.values.front(), info.values.back()}) {
      sets.push_back(sets.front());
      sets.back().set(info.name, extreme);
    }
  return sets;
}

}  // namespace

TEST_CASE("every kernel compiles for every supported architecture") {
  std::map<std::string, std::pair<KernelSource, int>> kernels;
  for (const Algorithm& each : algorithms()) {
    if (!each.kernels) continue;
    for (ElementType type : each.types)
      for (const Parameters& parameters : default_and_extremes(each))
        for (const auto& [source, shape] : each.kernels({1e6, type, parameters}))
          kernels.try_emplace(source.expression + std::to_string(shape.threads), source, shape.threads);
  }
  REQUIRE(kernels.size() > 20);
  for (int architecture : {75, 80, 86, 90, 100, 120})
    for (const auto& [key, kernel] : kernels) {
      INFO("sm_" << architecture << " " << key);
      const CompiledKernel compiled = compile_kernel(kernel.first, kernel.second, architecture);
      CHECK(compiled.cubin.size() > 1000);
      CHECK(!compiled.symbol.empty());
    }
}
