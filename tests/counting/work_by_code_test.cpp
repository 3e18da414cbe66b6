// SPDX-License-Identifier: Apache-2.0
// The work of plain CUDA kernels as algorithms, compiled and read as they are, beside what their source says.
#include "../support/cuda_kernels.h"
#include "../support/error_of.h"
#include "../support/skip.h"
#include "find_work_case.h"

#include <fathom/calibration/predictor.h>
#include <fathom/counting/work_by_code.h>
#include <fathom/device/code/disassembly.h>
#include <fathom/model/laws/assumed_run.h>
#include <fathom/store/profile.h>

#include <catch2/catch.hpp>

using namespace fathom;
using namespace fathom::tests;
using Catch::Matchers::Contains;

namespace {

void need_tools() try {
  need_compiler();
  disassembler_identity();
} catch (const DisassemblerUnavailable& unavailable) {
  skip(unavailable.what());
}

Case case_of(const Algorithm& algorithm, int threads = 256, std::optional<ElementType> type = {}) {
  Case one{&algorithm, algorithm.problem(1, type.value_or(algorithm.types.front()))};
  one.problem.n = 1 << 20;
  one.problem.parameters.set("t", threads);
  return one;
}

AssumedRun run_of(const Algorithm& algorithm, double n, int threads = 256,
                  std::optional<ElementType> type = {}, int architecture = 90) {
  return work_by_code(case_of(algorithm, threads, type), architecture).assumed->at(n);
}

CudaKernel changed(CudaKernel kernel, const std::function<void(CudaKernel&)>& change) {
  change(kernel);
  return kernel;
}

/// Of a block.
double demand(const AssumedRun& run, double Work::*member) {
  REQUIRE(run.launches.size() == 1);
  return run.launches[0].demand(member).value();
}

}  // namespace

TEST_CASE("launches of a plain kernel have the grid, the block and the bytes that its description says") {
  need_tools();
  const Algorithm scaling = cuda_algorithm(scale()), summing = cuda_algorithm(column_sums());
  struct Row {
    const Algorithm& algorithm;
    ElementType type;
    double n;
    int threads;
    double blocks, bytes_read, bytes_written;  ///< the latter two of a block
  };
  const Row rows[] = {
      {scaling, ElementType::f32, 1 << 20, 256, 4096, 1024, 1024},
      {scaling, ElementType::f32, (1 << 20) + 1, 256, 4097, 1024, 1024},
      {scaling, ElementType::f32, 1 << 20, 64, 16384, 256, 256},
      // A thread of 128 reads an element for each of n / 1024 rows.
      {summing, ElementType::u32, 1024 * 10, 128, 8, 10 * 128 * 4, 128 * 4},
      {summing, ElementType::u32, 1024 * 1003, 128, 8, 1003 * 128 * 4, 128 * 4},
      {summing, ElementType::u64, 1024 * 10, 128, 8, 10 * 128 * 8, 128 * 8},
  };
  for (const int architecture : {80, 90})
    for (const Row& row : rows) {
      CAPTURE(architecture, row.algorithm.slug, name(row.type), row.n, row.threads);
      const AssumedRun run = run_of(row.algorithm, row.n, row.threads, row.type, architecture);
      CHECK(run.launches[0].kernel ==
            row.algorithm.plan(case_of(row.algorithm).problem, any_device())[0].name());
      CHECK(run.launches[0].blocks == row.blocks);
      CHECK(run.launches[0].threads_per_block == row.threads);
      CHECK(demand(run, &Work::bytes_read) == Approx(row.bytes_read));
      CHECK(demand(run, &Work::bytes_written) == Approx(row.bytes_written));
    }
}

TEST_CASE("what a prediction rests on is said, and how far it is off follows from its loops") {
  need_tools();
  const AssumedRun without = run_of(cuda_algorithm(scale()), 1e6);
  CHECK_THAT(without.assumptions.sentences.at(0), Contains("machine code for sm_90"));
  CHECK(without.assumptions.error->sigma == 0.19);

  const AssumedRun told = run_of(cuda_algorithm(column_sums()), 1024 * 50);
  CHECK(told.assumptions.error->sigma == 0.83);
  CHECK(told.assumptions.sentences.back() == "Told: the loop at column_sums.cu:6 turns 50 times.");

  const AssumedRun untold = run_of(
      cuda_algorithm(changed(column_sums(), [](CudaKernel& kernel) { kernel.loops.clear(); })), 1024 * 50);
  CHECK_FALSE(untold.assumptions.error);
  CHECK_THAT(untold.assumptions.sentences.back(),
             Contains("column_sums.cu:6 turns 1 times") && Contains("CudaKernel::loops"));
}

TEST_CASE("turns of a loop that the compiler unrolls are not needed") {
  need_tools();
  const CudaKernel unrolled = changed(column_sums(), [](CudaKernel& kernel) {
    const std::string count = "k < rows", pragma = "#pragma unroll 1";
    kernel.text.replace(kernel.text.find(count), count.size(), "k < 3");
    kernel.text.replace(kernel.text.find(pragma), pragma.size(), "#pragma unroll");
  });
  const AssumedRun run = run_of(cuda_algorithm(unrolled), 1024 * 50, 128);
  CHECK(demand(run, &Work::bytes_read) == 3 * 128 * 4);
  CHECK(run.assumptions.error->sigma == 0.19);
}

TEST_CASE("a plain kernel that cannot be priced is refused in one line, with the way out") {
  need_tools();
  struct Row {
    CudaKernel kernel;
    std::vector<std::string> says;
  };
  const Row rows[] = {
      {changed(scale(), [](CudaKernel& kernel) { kernel.text.replace(kernel.text.find("by *"), 4, "my *"); }),
       {"scale<float> does not compile: scale.cu(5): error: identifier \"my\" is undefined"}},
      {changed(scale(), [](CudaKernel& kernel) { kernel.name = "scalf<float>"; }),
       {"no kernel 'scalf<float>'", "did you mean 'scale'?", "(it has scale, doubled, twice)"}},
      {changed(scale(), [](CudaKernel& kernel) { kernel.name = "scale"; }),
       {"is a template", "scale<float>"}},
      {changed(scale(), [](CudaKernel& kernel) { kernel.name = "twice"; }),
       {"several kernels are named 'twice'", "(void (*)(float*))twice"}},
      {changed(scale(), [](CudaKernel& kernel) { kernel.name = "doubled"; }),
       {"doubled(float const*, float*) has 2 parameters", "CudaKernel::arguments of scale has 4"}},
      {changed(scale(), [](CudaKernel& kernel) { kernel.arguments[2] = CudaArgument::n<u64>(); }),
       {"argument 2 of scale", "a value of 8 bytes", "takes a int"}},
      {changed(column_sums(), [](CudaKernel& kernel) { kernel.types = {ElementType::f64}; }),
       {"column-sums cannot be predicted: it computes with doubles"}},
      {changed(column_sums(),
               [](CudaKernel& kernel) { kernel.loops[0].turns = [](const Problem&) { return -1.; }; }),
       {"the loop 'for (int k' of column-sums turns -1 times", "at least 0"}},
      {changed(scale(),
               [](CudaKernel& kernel) {
                 const std::string mark = "__global__ ";
                 kernel.text.insert(kernel.text.find(mark) + mark.size(), "__launch_bounds__(64) ");
               }),
       {"a block has 256 threads, where the kernel allows 64"}},
  };
  for (const Row& row : rows) {
    const std::string message = error_of([&] { run_of(cuda_algorithm(row.kernel), 1024 * 50); });
    INFO(row.says.front());
    CHECK(message.find('\n') == message.npos);
    for (const std::string& part : row.says) CHECK_THAT(message, Contains(part));
  }
  CHECK_THROWS_WITH(run_of(cuda_algorithm(scale()), 1e6, 256, {}, 99), Contains("99") && Contains("sm_90"));
}

TEST_CASE("an overloaded kernel is chosen by a cast") {
  need_tools();
  const CudaKernel kernel = changed(scale(), [](CudaKernel& described) {
    described.name = "(void (*)(int*))twice";
    described.arguments = {CudaArgument::output()};
  });
  CHECK(demand(run_of(cuda_algorithm(kernel), 1e6), &Work::bytes_written) == 0);
}

TEST_CASE("the law prices a plain kernel, with the interval of machine code") {
  need_tools();
  const Algorithm scaling = cuda_algorithm(scale());
  const DeviceProfile profile = built_in_profile("h200");
  Predictor predictor(
      profile, scaling, {},
      [&](const Descriptor&, const Instantiation& type, const Parameters& parameters, Input input) {
        Case one{&scaling, scaling.problem(1, type), input};
        one.problem.parameters = parameters;
        return std::make_shared<const AlgorithmWork>(find_work(one, 90));
      });
  constexpr double n = 1 << 28;
  const Prediction predicted = predictor.explained(scaling.problem(n, ElementType::f32));
  // Two gigabytes through a DRAM of at most 4.8 TB/s, of which a copy reaches more than a half.
  CHECK(predicted.time_s > 8 * n / 4.8e12);
  CHECK(predicted.time_s < 16 * n / 4.8e12);
  REQUIRE(predicted.interval_s);
  // Student's t of nine algorithms: exp(2.262 · 0.19).
  CHECK(predicted.interval_s->high / predicted.time_s == Approx(1.537).epsilon(0.01));
  REQUIRE(predicted.assumptions);
  CHECK_THAT(predicted.assumptions->sentences.at(0), Contains("machine code"));
  REQUIRE(predicted.kernels.size() == 1);
  CHECK(predicted.kernels[0].kernel == "scale");
}

TEST_CASE("without a disassembler the work of a plain kernel is unavailable, with the way out") {
  const Algorithm scaling = cuda_algorithm(scale());
  const Disassembler none;
  CHECK_THROWS_AS(find_work(case_of(scaling), 90), WorkUnavailable);
  CHECK_THROWS_WITH(find_work(case_of(scaling), 90), Contains("scale f32 t=256") && Contains("nvdisasm"));
  CHECK_FALSE(known_work(case_of(scaling), 90));
}
