// SPDX-License-Identifier: Apache-2.0
// Kernels of global.cpp, l2.cpp and footprint.cpp: they bypass the L1 and copy words between two arrays or
// only read them.
#include <fathom/microbench/bench.h>

#include <fmt/format.h>

namespace fathom::microbench {

// A warp copies one chunk per step: 32·I consecutive words, so that the I loads differ only in their
// immediate offsets. `asm volatile` keeps all loads of a step before its stores, and the steps in order:
// exactly I loads in flight per thread. Chunks wrap around, so that any number of steps fits any array; in an
// array smaller than one step of the whole grid, warps copy the same chunk at the same time, the same words
// to the same place.
const char* const stream_copy_text = R"(
template <int I>
__device__ void load(unsigned (&word)[I], const unsigned* from) {
#pragma unroll
  for (int i = 0; i < I; ++i)
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(word[i]) : "l"(from + 32 * i));
}
template <int I>
__device__ void store(unsigned* to, const unsigned (&word)[I]) {
#pragma unroll
  for (int i = 0; i < I; ++i)
    asm volatile("st.global.cg.u32 [%0], %1;" : : "l"(to + 32 * i), "r"(word[i]) : "memory");
}

template <int I>
__global__ void HALF_FULL stream_copy(const unsigned* from, unsigned* to, unsigned chunks, unsigned start,
                                      unsigned steps) {
  const unsigned advance = (gridDim.x * blockDim.x / 32) % chunks;
  unsigned chunk = (start + (blockIdx.x * blockDim.x + threadIdx.x) / 32) % chunks;
#pragma unroll 1
  for (unsigned step = 0; step < steps; ++step) {
    const unsigned first = chunk * (32 * I) + threadIdx.x % 32;
    unsigned word[I];
    load(word, from + first);
    store(to + first, word);
    chunk += advance;
    if (chunk >= chunks) chunk -= chunks;
  }
}

// One pass over any number of chunks. The chunks of a last, incomplete step are spread over all blocks.
template <int I>
__global__ void HALF_FULL pass_copy(const unsigned* from, unsigned* to, unsigned chunks) {
  const unsigned advance = gridDim.x * (blockDim.x / 32);
#pragma unroll 1
  for (unsigned chunk = threadIdx.x / 32 * gridDim.x + blockIdx.x; chunk < chunks; chunk += advance) {
    const unsigned first = chunk * (32 * I) + threadIdx.x % 32;
    unsigned word[I];
    load(word, from + first);
    store(to + first, word);
  }
}

// The same, reading only. The store never happens; it keeps the compiler from removing the loads.
template <int I>
__global__ void HALF_FULL pass_read(const unsigned* from, unsigned* to, unsigned chunks) {
  const unsigned advance = gridDim.x * (blockDim.x / 32);
  unsigned seen = ~0u;
#pragma unroll 1
  for (unsigned chunk = threadIdx.x / 32 * gridDim.x + blockIdx.x; chunk < chunks; chunk += advance) {
    const unsigned first = chunk * (32 * I) + threadIdx.x % 32;
    unsigned word[I];
    load(word, from + first);
#pragma unroll
    for (int i = 0; i < I; ++i) seen ^= word[i];
  }
  if (seen == 0) *to = 1;  // words are random
}
)";

Launch Bench::stream_copy(const Residency& residency, int independent, std::size_t bytes_per_array) {
  const auto kernel = prepare(with_launch_bounds(stream_copy_text, gpu.threads_per_multiprocessor),
                              fmt::format("stream_copy<{}>", independent), residency);
  const std::size_t chunk_words = 32 * static_cast<std::size_t>(independent);
  const auto chunks = static_cast<unsigned>(bytes_per_array / sizeof(unsigned) / chunk_words);
  const int blocks = residency.blocks * gpu.multiprocessors;
  const std::size_t words_per_step =
      static_cast<std::size_t>(residency.warps) * gpu.multiprocessors * chunk_words;
  return [=, this](unsigned steps) {
    const auto start = static_cast<unsigned>(walked_words / chunk_words % chunks);
    launch(executor, *kernel, blocks, from.data(), to.data(), chunks, start, steps);
    walked_words += steps * words_per_step;
  };
}

}  // namespace fathom::microbench
