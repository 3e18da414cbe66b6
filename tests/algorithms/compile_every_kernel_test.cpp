// SPDX-License-Identifier: Apache-2.0
// Every kernel of the registry compiles: with default parameters for one type for each of the architectures
// that have code of their own, and for one of the others; for the newest one also for all types and keys with
// values, for the largest type with extreme parameters and those of few elements, and in descending order for
// one integer, one float and one pair. What defaults of all types cost on sm_90 is in the tables of work,
// which plans_test.cpp asks for registers that were spilled. Needs no GPU.
#include "../support/skip.h"
#include "compile_together.h"
#include "registry_cases.h"

#include <fathom/algorithms/launch.h>
#include <fathom/device/cuda/compiler/nvrtc.h>
#include <fathom/model/architectures.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>
#include <map>

using namespace fathom;
using namespace fathom::tests;
using Catch::Matchers::Contains;

namespace {

/// Kernels' source depends on the architecture by conditions of the block contract alone, from 8.0 and
/// from 9.0 on. So for the oldest of each kind, and for the newest of all, every kernel is compiled; what is
/// left to the others are the compiler's own choices, and each gets its share of the kernels.
bool has_code_of_its_own(int architecture) {
  return architecture == 75 || architecture == 80 || architecture == 90 ||
         architecture == architectures().back().compute_capability;
}

/// Those that the compiler which is there knows.
std::vector<int> architectures_that(const std::function<bool(int)>& are_wanted) {
  std::vector<int> found;
  for (const Architecture& one : architectures())
    if (one.compiled_by(nvrtc::version()) && are_wanted(one.compute_capability))
      found.push_back(one.compute_capability);
  return found;
}

/// Each combination of kernel and number of threads once.
using Kernels = std::map<std::string, Launch>;
void add_kernels(Kernels& kernels, const Algorithm& algorithm, const Instantiation& of,
                 const Parameters& parameters, const PlanDevice& device = any_device(),
                 Order order = Order::ascending) {
  // Not so many elements that small blocks are refused.
  Problem problem = algorithm.problem(1e6, of);
  problem.parameters = parameters;
  problem.order = order;
  for (const Launch& launch : algorithm.plan(problem, device))
    kernels.try_emplace(launch.source().expression + "@" + std::to_string(launch.shape.threads), launch);
}

/// Those of default parameters for the first type.
Kernels default_kernels(int architecture) {
  Kernels kernels;
  const PlanDevice device = any_device(find_architecture(architecture)->limits().shared_bytes_per_block);
  for (const Algorithm* each : with_plan())
    add_kernels(kernels, *each, each->types.front(), each->default_parameters(), device);
  return kernels;
}

/// Parameters count elements, so code and shared memory are largest for it.
ElementType largest(const std::vector<ElementType>& types) {
  return *std::ranges::max_element(types, {}, size_in_bytes);
}

}  // namespace

TEST_CASE("every kernel compiles for every kind of architecture, and some for each") {
  need_compiler();
  std::vector<Compilation> compilations;
  const auto add = [&](int architecture, const auto& label, const Launch& launch) {
    compilations.push_back({label, launch, architecture});
  };
  const std::vector<int> of_their_own = architectures_that(has_code_of_its_own),
                         others = architectures_that(std::not_fn(has_code_of_its_own));
  REQUIRE_FALSE(of_their_own.empty());
  for (const int architecture : of_their_own) {
    const Kernels kernels = default_kernels(architecture);
    CHECK(kernels.size() >= with_plan().size());
    for (const auto& [key, launch] : kernels) add(architecture, key, launch);
  }
  for (std::size_t i = 0; i < others.size(); ++i) {
    std::size_t number = i;
    for (const auto& [key, launch] : default_kernels(others[i]))
      if (number++ % others.size() == 0) add(others[i], key, launch);
  }
  const std::vector<KeyAndValue> descending{
      {ElementType::u64, {}}, {ElementType::f32, {}}, {ElementType::u64, ElementType::u32}};
  Kernels for_newest;
  for (const Algorithm* each : with_plan()) {
    for (const Instantiation& of : each->instantiations())
      add_kernels(for_newest, *each, of, each->all_default_parameters(of.type).front());
    const ElementType widest = largest(each->types);
    for (const Parameters& parameters : default_and_extremes(*each))
      add_kernels(for_newest, *each, widest, parameters);
    for (const Parameters& parameters : each->all_default_parameters({widest, {}}))
      add_kernels(for_newest, *each, widest, parameters);
    if (each->by_bits)
      for (const Instantiation& of : each->instantiations())
        if (std::ranges::find(descending, of.type) != descending.end())
          add_kernels(for_newest, *each, of, each->default_parameters(), any_device(), Order::descending);
  }
  const Kernels already = default_kernels(of_their_own.back());
  CHECK(for_newest.size() > already.size());
  for (const auto& [key, launch] : for_newest)
    if (!already.contains(key)) add(of_their_own.back(), key, launch);
  check_that_all_compile(compilations);
}

// Hidden, since a process has one compiler: .ci/run gives it the oldest one that is supported.
TEST_CASE("every kernel compiles for an architecture that newer compilers have dropped", "[.oldest]") {
  constexpr int dropped = 70;
  REQUIRE(find_architecture(dropped)->compiled_by(nvrtc::version()));
  const PlanDevice device = any_device(find_architecture(dropped)->limits().shared_bytes_per_block);
  Kernels kernels;
  for (const Algorithm* each : with_plan())
    for (const ElementType type : {each->types.front(), largest(each->types)})
      add_kernels(kernels, *each, type, each->default_parameters(), device);
  std::vector<Compilation> compilations;
  for (const auto& [key, launch] : kernels) compilations.push_back({key, launch, dropped});
  CHECK(kernels.size() > with_plan().size());
  check_that_all_compile(compilations);
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
