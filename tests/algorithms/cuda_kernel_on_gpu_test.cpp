// SPDX-License-Identifier: Apache-2.0
// Plain CUDA kernels on a GPU. Skipped (exit code 77) without one.
#include "../support/cuda_kernels.h"
#include "../support/error_of.h"
#include "../support/skip.h"

#include <fathom/algorithms/bench.h>

#include <catch2/catch.hpp>

#include <numeric>

using namespace fathom;
using namespace fathom::tests;
using Catch::Matchers::Contains;

namespace {

Case case_of(const Algorithm& algorithm, double n, int threads = 256) {
  Case one{&algorithm, algorithm.problem(n, algorithm.types.front())};
  one.problem.parameters.set("t", threads);
  return one;
}

/// out[i] = in[index[i]], where index counts down.
CudaKernel reversal() {
  return {.slug = "reversal",
          .file = "reversal.cu",
          .text = R"(
__global__ void reversal(const FATHOM_ELEMENT* in, const int* index, FATHOM_ELEMENT* out, long long n) {
  extern __shared__ FATHOM_ELEMENT part[];
  const long long i = blockIdx.x * (long long)FATHOM_t + threadIdx.x;
  if (i < n) part[threadIdx.x] = in[index[i]];
  if (i < n) out[i] = part[threadIdx.x];
}
)",
          .name = "reversal",
          .arguments = {CudaArgument::input(),
                        CudaArgument::buffer<int>([](const Problem& problem) { return problem.n; },
                                                  [](const Problem& problem) {
                                                    std::vector<int> index(std::size_t(problem.n));
                                                    std::iota(index.rbegin(), index.rend(), 0);
                                                    return index;
                                                  }),
                        CudaArgument::output(), CudaArgument::n<long long>()},
          .blocks = blocks_of_threads,
          .shared_bytes = [](const Problem& problem) { return 8.0 * problem.parameters.at("t"); },
          .types = {ElementType::u64},
          .check = [](const CudaRun& run) -> std::string {
            const auto in = run.array<u64>(0), out = run.array<u64>(2);
            return std::equal(out.begin(), out.end(), in.rbegin()) ? "" : "it is not reversed";
          }};
}

}  // namespace

TEST_CASE("a plain kernel is run, checked and timed on the GPU") {
  skip_without_gpu();
  CudaExecutor executor;
  const Algorithm scaling = cuda_algorithm(scale()), reversing = cuda_algorithm(reversal());
  for (const Algorithm* algorithm : {&scaling, &reversing})
    for (const double n : {1., 1000., 1048577.})
      for (const int threads : {64, 1024}) {
        CAPTURE(algorithm->slug, n, threads);
        const Measurement measured = bench(executor, case_of(*algorithm, n, threads));
        CHECK(measured.checked);
        CHECK(measured.seconds.size() == 11);
        REQUIRE(measured.kernels.size() == 1);
        CHECK(measured.kernels[0].registers > 0);
        CHECK(measured.kernels[0].resident_blocks > 0);
      }
}

TEST_CASE("a plain kernel without a check is timed, but not checked") {
  skip_without_gpu();
  CudaExecutor executor;
  const Algorithm algorithm = cuda_algorithm(column_sums());
  const Measurement measured = bench(executor, case_of(algorithm, 1024 * 10));
  CHECK_FALSE(measured.checked);
  CHECK(measured.seconds.size() == 11);
}

TEST_CASE("a wrong result and a launch that fails are told") {
  skip_without_gpu();
  CudaExecutor executor;
  CudaKernel wrong = scale();
  wrong.arguments[3] = CudaArgument::value(2.0f);
  const Algorithm algorithm = cuda_algorithm(wrong);
  CHECK_THROWS_WITH(bench(executor, case_of(algorithm, 1000)), Contains("wrong result: element"));

  CudaKernel narrow = scale();
  const std::string mark = "__global__ ";
  narrow.text.insert(narrow.text.find(mark) + mark.size(), "__launch_bounds__(64) ");
  const Algorithm bounded = cuda_algorithm(narrow);
  CHECK(error_of([&] { bench(executor, case_of(bounded, 1000)); }) != "");
  CHECK(bench(executor, case_of(bounded, 1000, 64)).checked);
}
