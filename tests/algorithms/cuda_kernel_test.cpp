// SPDX-License-Identifier: Apache-2.0
// Plain CUDA kernels as algorithms: what needs neither compiler nor GPU.
#include "../support/cuda_kernels.h"
#include "../support/error_of.h"

#include <fathom/algorithms/bench.h>
#include <fathom/device/counting/counting_executor.h>
#include <fathom/device/recording_executor.h>

#include <catch2/catch.hpp>

using namespace fathom;
using namespace fathom::tests;
using Catch::Matchers::Contains;

namespace {

Problem problem_of(const Algorithm& algorithm, double n, int threads = 256) {
  Problem problem = algorithm.problem(n, algorithm.types.front());
  problem.parameters.set("t", threads);
  return problem;
}

CudaKernel changed(const std::function<void(CudaKernel&)>& change) {
  CudaKernel kernel = scale();
  change(kernel);
  return kernel;
}

}  // namespace

TEST_CASE("the description tells plan, memory and source of a plain kernel") {
  CudaKernel described = column_sums();
  described.parameters.push_back({"E", "elements per thread", {1, 2, 4}, 2});
  described.shared_bytes = [](const Problem& problem) { return 4.0 * problem.parameters.at("t"); };
  described.arguments.push_back(CudaArgument::buffer<double>([](const Problem&) { return 10.0; }));
  const Algorithm algorithm = cuda_algorithm(described);
  const Problem problem = problem_of(algorithm, 1 << 20, 128);
  algorithm.check(problem);
  const Plan plan = algorithm.plan(problem, any_device());
  REQUIRE(plan.size() == 1);
  CHECK(plan[0].name() == "column_sums");
  CHECK(plan[0].blocks == 8);
  CHECK(plan[0].shape == BlockShape{128, 512});
  const KernelSource source = plan[0].source();
  CHECK(source.expression == "column_sums");
  CHECK_THAT(source.text, Contains("#define FATHOM_ELEMENT unsigned int\n") &&
                              Contains("#define FATHOM_t 128\n") && Contains("#define FATHOM_E 2\n") &&
                              Contains("#line 1 \"column_sums.cu\"\n\n__global__"));

  const PlanDevice device{1, 0, 0, [](const Launch&) { return 1; }};
  RecordingExecutor executor(device);
  const auto workload = algorithm.make_workload(executor, problem, Input::random);
  CHECK_FALSE(workload->has_check());
  CHECK(workload->kernels().at(0).name == "column_sums");
  // 2^20 elements of four bytes, 1024 sums, and ten doubles.
  CHECK(executor.allocated_bytes() == 4 * (1 << 20) + 4 * 1024 + 80);
  CHECK(device_bytes(algorithm, problem, device) == executor.allocated_bytes());
}

TEST_CASE("a plain kernel is not run on the CPU") {
  const Algorithm algorithm = cuda_algorithm(scale());
  CHECK_FALSE(algorithm.is_countable());
  CountingExecutor executor;
  CHECK_THROWS_WITH(algorithm.make_workload(executor, problem_of(algorithm, 100), Input::random),
                    Contains("scale is plain CUDA, which runs on a GPU only"));
}

TEST_CASE("a description that lacks something is refused, with the member's name") {
  struct Case {
    std::function<void(CudaKernel&)> change;
    std::vector<std::string> says;
  };
  const Case cases[] = {
      {[](CudaKernel& kernel) { kernel.slug = ""; }, {"slug is missing"}},
      {[](CudaKernel& kernel) { kernel.file = "a\"b.cu"; }, {"'scale'", "file is no name"}},
      {[](CudaKernel& kernel) { kernel.text = ""; }, {"text is missing"}},
      {[](CudaKernel& kernel) { kernel.name = ""; }, {"name is missing"}},
      {[](CudaKernel& kernel) { kernel.blocks = nullptr; }, {"blocks is missing"}},
      {[](CudaKernel& kernel) { kernel.threads = nullptr; }, {"threads"}},
      {[](CudaKernel& kernel) { kernel.types = {}; }, {"types is empty"}},
      {[](CudaKernel& kernel) { kernel.types = {ElementType::pair}; }, {"types has pair", "f32"}},
      {[](CudaKernel& kernel) {
         kernel.loops = {{"while", [](const Problem&) { return 1.0; }}};
       },
       {"loops: 'while'", "no line"}},
      {[](CudaKernel& kernel) {
         kernel.loops = {{"__global__", [](const Problem&) { return 1.0; }}};
       },
       {"loops: '__global__'", "several lines", "longer"}},
      {[](CudaKernel& kernel) {
         kernel.loops = {{"const int i", nullptr}};
       },
       {"turns are missing"}},
  };
  for (const Case& one : cases) {
    const std::string message = error_of<std::invalid_argument>([&] { cuda_algorithm(changed(one.change)); });
    INFO(one.says.front());
    CHECK(message.find('\n') == message.npos);
    for (const std::string& part : one.says) CHECK_THAT(message, Contains(part));
  }
  CHECK_NOTHROW(cuda_algorithm(scale()));
}

TEST_CASE("what cannot be launched is refused, with what to change") {
  struct Case {
    double n;
    std::function<void(CudaKernel&)> change;
    std::vector<std::string> says;
  };
  const Case cases[] = {
      {1e13, [](CudaKernel&) {}, {"scale at n = 1e13", "39062500000 blocks", "2147483647", "blocks"}},
      {100, [](CudaKernel& kernel) { kernel.blocks = [](const Problem&) { return 0.0; }; }, {"0 blocks"}},
      {100, [](CudaKernel& kernel) { kernel.blocks = [](const Problem&) { return 1.5; }; }, {"1.5 blocks"}},
      {100, [](CudaKernel& kernel) { kernel.blocks = [](const Problem&) { return std::nan(""); }; }, {"nan"}},
      {100,
       [](CudaKernel& kernel) { kernel.threads = [](const Problem&) { return 2048.0; }; },
       {"2048 threads per block", "1024", "CudaKernel::threads"}},
      {100,
       [](CudaKernel& kernel) { kernel.shared_bytes = [](const Problem&) { return 2e5; }; },
       {"200000 bytes of shared memory", "101376", "CudaKernel::shared_bytes"}},
  };
  for (const Case& one : cases) {
    INFO(one.says.front());
    const Algorithm algorithm = cuda_algorithm(changed(one.change));
    const std::string message = error_of<std::invalid_argument>(
        [&] { algorithm.plan(problem_of(algorithm, one.n), any_device(101376)); });
    for (const std::string& part : one.says) CHECK_THAT(message, Contains(part));
  }
}

TEST_CASE("arguments that do not hold the problem are refused") {
  const PlanDevice device{1, 0, 0, [](const Launch&) { return 1; }};
  const auto error = [&](const CudaKernel& kernel, double n) {
    const Algorithm algorithm = cuda_algorithm(kernel);
    return error_of<std::invalid_argument>(
        [&] { device_bytes(algorithm, problem_of(algorithm, n), device); });
  };
  CHECK_THAT(error(scale(), 0x1p31), Contains("argument n") && Contains("smaller n"));
  CHECK(error(scale(), 0x1p31 - 1) == "");
  const CudaKernel negative = changed([](CudaKernel& kernel) {
    kernel.arguments[1] = CudaArgument::output([](const Problem&) { return -1.0; });
  });
  CHECK_THAT(error(negative, 100), Contains("-1 elements") && Contains("at least 0"));
}

TEST_CASE("arguments are compared with the parameters in the kernel's mangled name") {
  const Algorithm algorithm = cuda_algorithm(scale());
  const Problem problem = problem_of(algorithm, 100);
  struct Case {
    const char* symbol;
    const char* says;  ///< "" if the arguments fit
  };
  const Case cases[] = {
      {"_Z5scaleIfEvPKT_PS0_iS0_", ""},  // void scale<float>(float const*, float*, int, float)
      {"_Z5scalePKfPfij", ""},           // …, int, unsigned int): as long as a float
      {"scale", ""},                     // extern "C"
      {"_Z5scalePKfPfi", "has 3 parameters, CudaKernel::arguments of scale has 4"},
      {"_Z5scalev", "has 0 parameters"},
      {"_Z5scalePKfPflf",
       "argument 2 of scale, numbered from 0, is a value of 4 bytes: the kernel takes a long"},
      {"_Z5scalePKffif", "argument 1 of scale, numbered from 0, is an array"},
      {"_Z5scalePKfPfPif",
       "argument 2 of scale, numbered from 0, is a value of 4 bytes: the kernel takes a int*"},
  };
  for (const Case& one : cases) {
    INFO(one.symbol);
    const std::string message =
        error_of<KernelFailure>([&] { check_arguments(*algorithm.cuda_kernel, problem, one.symbol); });
    if (*one.says)
      CHECK_THAT(message, Contains(one.says));
    else
      CHECK(message == "");
  }
}

TEST_CASE("a line is found by a part of it") {
  CHECK(line_with("one\ntwo two\nthree", "one") == 1);
  CHECK(line_with("one\ntwo two\nthree", "two") == 2);
  CHECK(line_with("one\ntwo two\nthree", "ree") == 3);
  CHECK_THROWS_WITH(line_with("one\ntwo", ""), Contains("no line"));
  CHECK_THROWS_WITH(line_with("one\ntwo", "four"), Contains("no line"));
  CHECK_THROWS_WITH(line_with("one\ntwo", "o"), Contains("several lines"));
}

TEST_CASE("a check sees the arrays by the places of their arguments") {
  const Problem problem;
  const CudaRun run(problem, {CudaArgument::Bytes(8, std::byte{1}), {}, CudaArgument::Bytes(6)});
  CHECK(run.array<u32>(0).size() == 2);
  CHECK(run.array<u32>(0)[1] == 0x01010101);
  CHECK(run.array<u16>(2).size() == 3);
  CHECK_THROWS_WITH(run.array<u32>(2), Contains("another size"));
  CHECK_THROWS_WITH(run.array<u32>(3), Contains("no argument 3"));
}
