// SPDX-License-Identifier: Apache-2.0
// Kernels compiled many at a time: a small one takes most of its time for headers, all of them a third.
#pragma once

#include <fathom/device/code/cubin.h>
#include <fathom/device/cuda/compiler/kernel_cache.h>
#include <fathom/device/cuda/compiler/nvrtc.h>
#include <fathom/device/kernel_info.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace fathom::tests {

struct Compilation {
  std::string label;
  Launch launch;
  int architecture;
};

/// Calls work(0) to work(count − 1), which must not throw, on all cores. Catch checks in one thread only, so
/// they leave to it what they find.
inline void on_all_cores(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  const auto take = [&] {
    for (std::size_t i; (i = next++) < count;) work(i);
  };
  std::vector<std::thread> others(std::max(1u, std::thread::hardware_concurrency()) - 1);
  for (std::thread& other : others) other = std::thread(take);
  take();
  for (std::thread& other : others) other.join();
}

/// Why compile_kernel() refuses the kernel; nothing if it compiles it.
inline std::string why_not_alone(const Compilation& one) {
  try {
    compile_kernel(one.launch.source(), one.launch.shape.threads, one.architecture);
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

/// Kernels of one architecture that are compiled together.
struct Batch {
  std::vector<Compilation> kernels;
  std::vector<char> cubin{};
  std::string error{};

  /// Each kernel has its entry function as compile_kernel() makes it, in a namespace of its own, and as many
  /// bytes as on the host, which does not compile it with the same compiler.
  void compile() try {
    std::set<std::string> includes;
    std::string functions;
    const KernelSource first = kernels.front().launch.source();
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      const KernelSource source = kernels[i].launch.source();
      if (!source.text.empty() || source.headers.data() != first.headers.data())
        throw std::logic_error(kernels[i].label + " has headers of its own");
      includes.insert("#include <" + source.header + ">\n");
      functions += "namespace kernel_" + std::to_string(i) + " {\n" +
                   entry_function(source, kernels[i].launch.shape.threads) + "template __global__ void " +
                   struct_name(source.expression) + "(const __grid_constant__ " + source.expression +
                   ");\nstatic_assert(sizeof(" + source.expression +
                   ") == " + std::to_string(kernels[i].launch.kernel->host.bytes) +
                   ", \"the host passes another number of bytes\");\n}\n";
    }
    std::string text = "#include <fathom/device/contract/contract.h>\n";
    for (const std::string& include : includes) text += include;
    std::vector<HeaderText> headers(first.headers.begin(), first.headers.end());
    headers.insert(headers.end(), contract_headers().begin(), contract_headers().end());
    cubin = nvrtc::compile({text + functions,
                            "kernel_0::" + struct_name(first.expression) + "<" + first.expression + ">",
                            kernels.front().architecture, headers})
                .cubin;
  } catch (const std::exception& caught) {
    error = caught.what();
  }

  /// Checks that the i-th kernel is there, for blocks of as many threads as it is launched with.
  void check() const {
    if (!error.empty()) {
      for (const Compilation& one : kernels) {
        INFO(one.label << " for sm_" << one.architecture);
        CHECK(why_not_alone(one) == "");
      }
      INFO("together");
      CHECK(error == "");
      return;
    }
    const std::vector<CubinKernel> found = kernels_of(cubin);
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      INFO(kernels[i].label << " for sm_" << kernels[i].architecture);
      const std::string name = "kernel_" + std::to_string(i);
      const std::string mangled = "_ZN" + std::to_string(name.size()) + name;
      const auto one = std::ranges::find_if(
          found, [&](const CubinKernel& kernel) { return kernel.symbol.starts_with(mangled); });
      REQUIRE(one != found.end());
      CHECK(one->most_threads == kernels[i].launch.shape.threads);
    }
  }
};

/// Checks that every kernel compiles, and that every header of a kernel does so without the others'.
inline void check_that_all_compile(const std::vector<Compilation>& compilations) {
  constexpr std::size_t most_of_batch = 24;  // so that all cores have their share
  std::map<int, std::vector<Compilation>> of_architecture;
  std::map<std::string, Compilation> of_header;
  for (const Compilation& one : compilations) {
    of_architecture[one.architecture].push_back(one);
    of_header.try_emplace(one.launch.source().header, one);
  }
  std::vector<Batch> batches;
  for (auto& [architecture, kernels] : of_architecture) {
    std::ranges::stable_sort(kernels, {}, [](const Compilation& one) { return one.launch.source().header; });
    for (std::size_t i = 0; i < kernels.size(); i += most_of_batch)
      batches.push_back({{kernels.begin() + std::ptrdiff_t(i),
                          kernels.begin() + std::ptrdiff_t(std::min(i + most_of_batch, kernels.size()))}});
  }
  on_all_cores(batches.size(), [&](std::size_t i) { batches[i].compile(); });
  for (const Batch& batch : batches) batch.check();

  std::vector<Compilation> alone;
  for (const auto& [header, one] : of_header) alone.push_back(one);
  std::vector<std::string> errors(alone.size());
  on_all_cores(alone.size(), [&](std::size_t i) { errors[i] = why_not_alone(alone[i]); });
  for (std::size_t i = 0; i < alone.size(); ++i) {
    INFO(alone[i].label << " for sm_" << alone[i].architecture);
    CHECK(errors[i] == "");
  }
}

}  // namespace fathom::tests
