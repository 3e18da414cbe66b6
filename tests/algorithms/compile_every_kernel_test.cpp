// Every registered kernel compiles for every supported architecture, at its default and its extreme
// parameters; none of this needs a GPU.
#include <fathom/algorithms/kernel_source.h>
#include <fathom/algorithms/registry.h>
#include <fathom/device/cuda_executor.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>

using namespace fathom;
using Catch::Matchers::Contains;

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

struct Compilation {
  std::string label;
  const KernelSource* source;
  int threads, architecture;
  CompiledKernel kernel = {};
  std::string error = {};
};

/// Fills in every compilation's kernel or its error: Catch's own checks belong to one thread.
void compile_in_parallel(std::vector<Compilation>& compilations) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i; (i = next++) < compilations.size();) {
      Compilation& one = compilations[i];
      try {
        one.kernel = compile_kernel(*one.source, one.threads, one.architecture);
      } catch (const std::exception& error) {
        one.error = error.what();
      }
    }
  };
  std::vector<std::thread> others(std::max(1u, std::thread::hardware_concurrency()) - 1);
  for (std::thread& other : others) other = std::thread(work);
  work();
  for (std::thread& other : others) other.join();
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
  std::vector<Compilation> compilations;
  for (int architecture : {75, 80, 86, 90, 100, 120})
    for (const auto& [key, kernel] : kernels) {
      const auto& [source, threads] = kernel;
      compilations.push_back(
          {"sm_" + std::to_string(architecture) + " " + key, &source, threads, architecture});
    }
  compile_in_parallel(compilations);
  for (const Compilation& each : compilations) {
    INFO(each.label);
    CHECK(each.error == "");
    CHECK(each.kernel.cubin.size() > 1000);
    CHECK(!each.kernel.symbol.empty());
  }
}

TEST_CASE("the kernels that make inputs compile, which belong to no algorithm") {
  for (int architecture : {75, 90, 120}) {
    CHECK(compile_kernel(kernel_source<f32>("check/fill_input.h", "FillInput"), 256, architecture)
              .cubin.size() > 1000);
    CHECK(compile_kernel(kernel_source<Pair>("check/conflict_heavy.h", "ConflictHeavy"), 256, architecture)
              .cubin.size() > 1000);
  }
}

TEST_CASE("an operator without identity is refused by a message that says what it lacks") {
  static constexpr std::string_view name = "product.h", text = R"(
    #include <fathom/algorithms/reduce/reduce_segments.h>
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
                    Contains("this operator lacks the identity") && Contains("Operator=Product"));
}
