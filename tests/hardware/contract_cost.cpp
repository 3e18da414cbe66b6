// SPDX-License-Identifier: Apache-2.0
// The cost of the block contract: the third kernel of the matrix scan, written with the contract and as a
// plain __global__ function, timed alternately on the GPU. Prints one JSON object.
#include "plain_scan_chunks.h"

#include <fathom/algorithms/launch.h>
#include <fathom/algorithms/scan/matrix/scan_chunks.h>
#include <fathom/device/cuda/cuda_executor.h>

#include <algorithm>
#include <iostream>
#include <vector>

namespace {

using namespace fathom;

constexpr int threads = 256, rows = 8;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main() {
  try {
    using Kernel = ScanChunks<u32, Plus, Exclusive>;
    CudaExecutor executor;
    const Index n = Index(1) << 26, warps = Index(executor.multiprocessors()) * 6 * threads / warp_width;
    const Index tile = rows * warp_width, chunk = ceil_div(ceil_div(n, tile), warps) * tile;
    const Index blocks = ceil_div(ceil_div(n, chunk), threads / warp_width);
    const std::size_t size = std::size_t(n);
    const DeviceArray<u32> input(executor, size), contract_output(executor, size),
        plain_output(executor, size), sums(executor, std::size_t(blocks * threads / warp_width));
    executor.fill(input.data(), 1, input.bytes());
    executor.fill(sums.data(), 0, sums.bytes());

    const BlockShape shape{threads, Kernel::shared_memory(threads, rows)};
    const auto contract = executor.prepare(launch_of<Kernel>(0, blocks, shape, {threads, rows}));
    const auto plain = executor.prepare_cuda(plain_scan_chunks, "plain_scan_chunks", {threads});

    const auto run_contract = [&] {
      executor.launch(*contract, blocks,
                      Kernel{{input.data(), size},
                             contract_output.span(),
                             {sums.data(), sums.size()},
                             n,
                             chunk,
                             threads,
                             rows});
    };
    const u32 *in = input.data(), *carries = sums.data();
    u32* out = plain_output.data();
    long long elements = n, per_warp = chunk;
    const auto run_plain = [&] {
      executor.launch_cuda(*plain, blocks, {&in, &out, &carries, &elements, &per_warp});
    };

    std::vector<double> contract_s, plain_s;
    for (int round = 0; round < 11;
         ++round) {  // alternately, so that both see the same clock and temperature
      contract_s.push_back(median(executor.time(run_contract).seconds));
      plain_s.push_back(median(executor.time(run_plain).seconds));
    }
    if (contract_output.download() != plain_output.download()) throw KernelFailure("the two kernels differ");
    std::cout << "{\"schema\": \"fathom.contract-cost\", \"version\": 1, \"gpu\": \"" << executor.gpu().name
              << "\", \"kernel\": \"ScanChunks<u32, Plus, 256, 8>\", \"n\": " << n
              << ",\n \"contract_s\": " << median(contract_s) << ", \"plain_s\": " << median(plain_s)
              << ", \"ratio\": " << median(contract_s) / median(plain_s)
              << ",\n \"contract_registers\": " << contract->resources.registers
              << ", \"plain_registers\": " << plain->resources.registers << "}\n";
  } catch (const std::exception& error) {
    std::cerr << "contract_cost: " << error.what() << '\n';
    return 1;
  }
}
