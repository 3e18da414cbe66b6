// SPDX-License-Identifier: Apache-2.0
// Instructions of real kernels against the hardware counters of an H200 (data/h200/hardware/:
// instructions.json for the sort, counters.json). Needs the run-time compiler and the disassembler, no GPU.
#include "../support/skip.h"

#include <fathom/counting/count.h>
#include <fathom/counting/work.h>
#include <fathom/device/code/instructions.h>
#include <fathom/device/cuda/compiler/kernel_cache.h>

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdlib>
#include <iostream>

using namespace fathom;

namespace {

struct Measured {
  const char* kernel;
  double issued;
};

constexpr int hopper = 90;

CountingDevice h200() {
  CountingDevice device;
  device.multiprocessors = 132;
  device.limits.shared_bytes_per_multiprocessor = 228 * 1024;
  device.limits.shared_bytes_per_block = 227 * 1024;
  device.limits.shared_bytes_reserved = 1024;
  device.limits.blocks_per_multiprocessor = 32;
  device.registers = [code = code_reader(hopper)](const Launch& launch) {
    return double(code.resources(launch).registers);
  };
  return device;
}

KernelInstructions instructions(const KernelCounts& kernel) try {
  return count_instructions(cached_kernel(kernel.source, kernel.threads_per_block, hopper).cubin, kernel);
} catch (const DisassemblerUnavailable& unavailable) {
  std::cout << "skipped: " << unavailable.what() << '\n';
  std::exit(77);
}

void check(const char* slug, double n, const Parameters& parameters,
           std::initializer_list<Measured> measured) {
  const Algorithm& chosen = algorithm(slug);
  Case one{&chosen, chosen.problem(n, parse_element_type("u32")), Input::random};
  one.problem.parameters = parameters;
  const Count counted = count(one, h200());
  for (const auto& [name, issued] : measured) {
    CAPTURE(slug, n, name);
    const KernelCounts* found = nullptr;
    for (const KernelCounts& kernel : counted.kernels)
      if (kernel.kernel == name) found = &kernel;
    REQUIRE(found);
    const KernelInstructions result = instructions(*found);
    CHECK(result.converged);
    CHECK(result.unknown.empty());
    CHECK(std::abs(result.issued / issued - 1) < 0.02);
    CHECK(result.most_issued >= 0.999 * result.issued);
    double on_pipes = 0;
    for (Pipe pipe : all_pipes) on_pipes += result.on(pipe);
    CHECK(on_pipes == Approx(result.issued));
  }
}

}  // namespace

TEST_CASE("instructions issued are those that hardware counters saw") {
  tests::need_compiler();
  check("sort-pairwise", 1 << 16, {{"E", 17}, {"t", 256}},
        {{"BlockSort", 417511}, {"MergePathPartition", 2136}, {"MergeTiles", 324939}});
  check("scan-matrix", 1 << 16, {{"alpha", 8}, {"t", 256}}, {{"ReduceChunks", 63744}, {"ScanChunks", 62720}});
  check("reduce-vector", 1 << 20, {{"t", 256}, {"I", 4}}, {{"ReduceVectors", 275670}});
  check("reduce-pipeline", 1 << 20, {{"t", 256}, {"I", 4}}, {{"ReduceRows", 701861}});
}
