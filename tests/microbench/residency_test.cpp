// SPDX-License-Identifier: Apache-2.0
#include <fathom/microbench/bench.h>

#include <catch2/catch.hpp>

using namespace fathom;
using fathom::microbench::residency;

namespace {

GpuInfo multiprocessor(int cores, int threads, std::size_t shared, std::size_t shared_per_block) {
  GpuInfo gpu;
  gpu.cores_per_multiprocessor = cores;
  gpu.threads_per_multiprocessor = threads;
  gpu.threads_per_block = 1024;
  gpu.shared_bytes_per_multiprocessor = shared;
  gpu.shared_bytes_per_block = shared_per_block;
  gpu.shared_bytes_reserved = 1024;
  return gpu;
}

}  // namespace

TEST_CASE("exactly the wanted warps are resident: the blocks fit, but not one more") {
  constexpr std::size_t KiB = 1024;
  for (const GpuInfo& gpu :
       {multiprocessor(128, 2048, 228 * KiB, 227 * KiB), multiprocessor(128, 1536, 100 * KiB, 99 * KiB),
        multiprocessor(64, 1024, 64 * KiB, 64 * KiB)})
    for (const int warps : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64}) {
      if (warps * 32 > gpu.threads_per_multiprocessor) continue;
      CAPTURE(gpu.threads_per_multiprocessor, warps);
      const auto wave = residency(gpu, warps);
      CHECK(wave.blocks * wave.shape.threads == warps * 32);
      CHECK(wave.shape.threads <= gpu.threads_per_block);
      CHECK(wave.multiplicity == Approx(warps * 32.0 / gpu.cores_per_multiprocessor));

      const auto fit = [&](int blocks) {
        return blocks * wave.shape.threads <= gpu.threads_per_multiprocessor &&
               blocks * (wave.shape.shared_bytes + gpu.shared_bytes_reserved) <=
                   gpu.shared_bytes_per_multiprocessor;
      };
      // Turing, which reserves nothing, gets the reserve of the others here; a full block uses everything.
      CHECK_FALSE(fit(wave.blocks + 1));
      CHECK(fit(wave.blocks));
    }
}

TEST_CASE("a wave requests the shared memory that its warps need") {
  const auto gpu = multiprocessor(128, 2048, 228 * 1024, 227 * 1024);
  CHECK(residency(gpu, 64, 2048).shape.shared_bytes == 32 * 2048);  // two blocks of 32 warps
  CHECK(residency(gpu, 1, 2048).shape.shared_bytes == 114 * 1024);  // keeping a second block out needs more
}
