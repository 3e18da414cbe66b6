// SPDX-License-Identifier: Apache-2.0
// poison_cache DIRECTORY KERNEL trap|refuse: replaces the machine code of a kernel in a kernel cache, found
// by a part of its symbol, by code that traps, or that no block of more than a warp may run. For
// scripts/check-gpu-faults: what a kernel that fails does to a campaign.
#include <fathom/device/code/kernel_entry.h>
#include <fathom/device/cuda/cuda_executor.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>

namespace {

using namespace fathom;
namespace fs = std::filesystem;

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A kernel of the same symbol. Without parameters: a launch passes those that a kernel has.
CompiledKernel failing(const std::string& symbol, bool traps, int compute_capability) {
  const std::string text =
      traps ? "extern \"C\" __global__ void " + symbol + "() { asm volatile(\"trap;\"); }\n"
            : "extern \"C\" __global__ void __launch_bounds__(32) " + symbol + "() {}\n";
  return compile_cuda(text, symbol, compute_capability);
}

int poison(const fs::path& directory, const std::string& kernel, bool traps) {
  const auto gpus = present_gpus();
  if (gpus.empty()) throw std::runtime_error("no GPU is present");
  int poisoned = 0;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    if (!entry.is_regular_file()) continue;
    const auto cached = decode_entry(read(entry.path()));
    if (!cached || cached->symbol.find(kernel) == std::string::npos) continue;
    const CompiledKernel bad = failing(cached->symbol, traps, gpus.front().compute_capability);
    if (bad.symbol != cached->symbol) throw std::runtime_error("compiled as " + bad.symbol);
    std::ofstream(entry.path(), std::ios::binary) << encode_entry(bad);
    ++poisoned;
  }
  return poisoned;
}

}  // namespace

int main(int count, char** values) {
  const std::string way = count == 4 ? values[3] : "";
  if (way != "trap" && way != "refuse") {
    std::cerr << "poison_cache DIRECTORY KERNEL trap|refuse\n";
    return 2;
  }
  try {
    const int poisoned = poison(values[1], values[2], way == "trap");
    std::cout << "poisoned: " << poisoned << " entries\n";
    return poisoned > 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "poison_cache: " << error.what() << '\n';
    return 1;
  }
}
