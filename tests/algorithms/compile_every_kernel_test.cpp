// SPDX-License-Identifier: Apache-2.0
// Every kernel of the registry compiles: with default parameters for one type and every supported
// architecture; for the newest one also for all types and keys with values, and with extreme parameters for
// the first and the largest type. Needs no GPU.
#include "../support/skip.h"
#include "compile_in_parallel.h"
#include "registry_cases.h"

#include <fathom/algorithms/launch.h>
#include <fathom/model/architectures.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>

using namespace fathom;
using namespace fathom::tests;
using Catch::Matchers::Contains;

namespace {

const std::vector<int> all_architectures = supported_architectures(Support::compiled);

/// Each combination of kernel and number of threads once.
using Kernels = std::map<std::string, Launch>;
void add_kernels(Kernels& kernels, const Algorithm& algorithm, const Instantiation& of,
                 const Parameters& parameters) {
  const PlanDevice device{132, 228 * 1024, 1024, [](const Launch&) { return 1; }};
  // Not so many elements that small blocks are refused.
  Problem problem = algorithm.problem(1e6, of);
  problem.parameters = parameters;
  for (const Launch& launch : algorithm.plan(problem, device))
    kernels.try_emplace(launch.source().expression + "@" + std::to_string(launch.shape.threads), launch);
}

/// Parameters count elements, so code and shared memory are largest for it.
ElementType largest(const std::vector<ElementType>& types) {
  return *std::ranges::max_element(types, {}, size_in_bytes);
}

}  // namespace

TEST_CASE("every kernel compiles for every supported architecture") {
  need_compiler();
  Kernels for_all, for_newest;
  for (const Algorithm* each : with_plan()) {
    for (const Parameters& parameters : default_and_extremes(*each))
      add_kernels(for_newest, *each, largest(each->types), parameters);
    add_kernels(for_all, *each, each->types.front(), each->default_parameters());
    for (const Instantiation& of : each->instantiations())
      add_kernels(for_newest, *each, of, each->default_parameters());
  }
  CHECK(for_all.size() >= with_plan().size());
  CHECK(for_newest.size() > for_all.size());

  std::vector<Compilation> compilations;
  const auto add = [&](int architecture, const Kernels& kernels) {
    for (const auto& [key, launch] : kernels)
      compilations.push_back({"sm_" + std::to_string(architecture) + " " + key, launch, architecture});
  };
  for (int architecture : all_architectures) add(architecture, for_all);
  for (const auto& [key, launch] : for_all) for_newest.erase(key);
  add(all_architectures.back(), for_newest);
  compile_in_parallel(compilations);
  for (const Compilation& each : compilations) {
    INFO(each.label);
    CHECK(each.error == "");
    CHECK(each.kernel.cubin.size() > 1000);
    CHECK(!each.kernel.symbol.empty());
  }
}

TEST_CASE("the message that rejects an operator without an identity says what is missing") {
  need_compiler();
  static constexpr std::string_view name = "product.h", text = R"(
    #include <fathom/algorithms/reduce/tree/reduce_segments.h>
    struct Product {
      template <class T>
      T operator()(const T& a, const T& b) const { return a * b; }
    };)";
  static const std::vector<HeaderText> headers = [] {
    std::vector<HeaderText> all(kernel_headers().begin(), kernel_headers().end());
    all.push_back({name, text});
    return all;
  }();
  const KernelSource source{std::string(name),
                            "fathom::ReduceSegments<fathom::u32, Product, fathom::Constant<64>>", headers};
  CHECK_THROWS_WITH(compile_kernel(source, 64, 90),
                    Contains("this operator has no identity") && Contains("Operator=Product"));
}
