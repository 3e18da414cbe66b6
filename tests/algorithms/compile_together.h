// SPDX-License-Identifier: Apache-2.0
// Kernels compiled many at a time: most of the time that a small one takes is that of its headers.
#pragma once

#include <fathom/device/code/cubin.h>
#include <fathom/device/cuda/kernel_cache.h>
#include <fathom/device/cuda/nvrtc.h>
#include <fathom/device/kernel_info.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace fathom::tests {

struct Compilation {
  std::string label;
  Launch launch;
  int architecture;
};

/// Kernels of one architecture that are compiled together.
struct Batch {
  std::vector<Compilation> kernels;
  std::string cubin{}, error{};

  /// Each kernel has its entry function as compile_kernel() makes it, in a namespace of its own.
  void compile() try {
    std::set<std::string> includes;
    std::string functions;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      const KernelSource source = kernels[i].launch.source();
      includes.insert("#include <" + source.header + ">\n");
      functions += "namespace kernel_" + std::to_string(i) + " {\n" +
                   entry_function(source, kernels[i].launch.shape.threads) + "template __global__ void " +
                   struct_name(source.expression) + "(const __grid_constant__ " + source.expression +
                   ");\n}\n";
    }
    std::string text = "#include <fathom/device/contract/contract.h>\n";
    for (const std::string& include : includes) text += include;
    const KernelSource first = kernels.front().launch.source();
    std::vector<HeaderText> headers(first.headers.begin(), first.headers.end());
    headers.insert(headers.end(), contract_headers().begin(), contract_headers().end());
    const CompiledKernel compiled = nvrtc::compile(
        {text + functions, "kernel_0::" + struct_name(first.expression) + "<" + first.expression + ">",
         kernels.front().architecture, headers});
    cubin.assign(compiled.cubin.begin(), compiled.cubin.end());
  } catch (const std::exception& caught) {
    error = caught.what();
  }
};

/// Checks that every kernel compiles, on all cores.
inline void check_that_all_compile(const std::vector<Compilation>& compilations) {
  constexpr std::size_t most_of_batch = 24;  // so that all cores have their share
  std::map<int, std::vector<Compilation>> of_architecture;
  for (const Compilation& one : compilations) of_architecture[one.architecture].push_back(one);
  std::vector<Batch> batches;
  for (auto& [architecture, kernels] : of_architecture) {
    std::ranges::stable_sort(kernels, {}, [](const Compilation& one) { return one.launch.source().header; });
    for (std::size_t i = 0; i < kernels.size(); i += most_of_batch)
      batches.push_back({{kernels.begin() + std::ptrdiff_t(i),
                          kernels.begin() + std::ptrdiff_t(std::min(i + most_of_batch, kernels.size()))}});
  }

  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i; (i = next++) < batches.size();) batches[i].compile();
  };
  std::vector<std::thread> others(std::max(1u, std::thread::hardware_concurrency()) - 1);
  for (std::thread& other : others) other = std::thread(work);
  work();
  for (std::thread& other : others) other.join();

  for (const Batch& batch : batches) {  // Catch checks in one thread
    std::string labels;
    for (const Compilation& one : batch.kernels) labels += "\n  " + one.label;
    INFO("sm_" << batch.kernels.front().architecture << ":" << labels);
    CHECK(batch.error == "");
    if (!batch.error.empty()) continue;
    const std::vector<CubinKernel> found = kernels_of(batch.cubin);
    CHECK(found.size() == batch.kernels.size());
    for (const CubinKernel& kernel : found) CHECK(kernel.code.code_bytes > 0);
  }
}

}  // namespace fathom::tests
