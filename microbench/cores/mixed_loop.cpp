// SPDX-License-Identifier: Apache-2.0
// The kernel of streams.cpp, in_flight.cpp and overlap.cpp: a loop whose iterations mix accesses to global
// memory, shared loads, and instructions of the ALU and FMA pipes, each a given number of times.
#include <fathom/microbench/bench.h>

#include <fmt/format.h>

namespace fathom::microbench {

// An iteration is a sequence of phases: loads, shared loads, ALU, FMA, stores. Every phase depends on the
// previous one and runs in four chains, as in a kernel that loads, works and stores. So what overlaps does so
// between warps.
// - Global memory is walked in rows: a row is what all threads of the grid access in one step. Loads of a
// warp differ only in
//   their immediate offsets; the row is the same for all threads and costs no instruction of a pipe that is
//   measured.
// - The shared words hold their own addresses, so that each load can depend on the previous one.
// - Of several waves, blocks make between half and three halves of the steps, so that they drift apart as
// those of a real kernel do, where each has other data; equal ones would start and change phase together for
// ever.
// - An ALU link is (x & a) ^ b with constants that alternate: the compiler cannot combine two of them.
const char* const mix_text = R"(
template <bool through_l1>
__device__ void load(unsigned& word, const unsigned* at) {
  if (through_l1) asm volatile("ld.global.u32 %0, [%1];" : "=r"(word) : "l"(at));
  else asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(word) : "l"(at));
}
template <bool through_l1>
__device__ void load(uint4& word, const uint4* at) {
  if (through_l1)
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w) : "l"(at));
  else
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w) : "l"(at));
}
__device__ void store(unsigned* at, const unsigned& word) {
  asm volatile("st.global.u32 [%0], %1;" : : "l"(at), "r"(word) : "memory");
}
__device__ void store(uint4* at, const uint4& word) {
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};"
               : : "l"(at), "r"(word.x), "r"(word.y), "r"(word.z), "r"(word.w) : "memory");
}
__device__ void set(unsigned& word, unsigned value) { word = value; }
__device__ void set(uint4& word, unsigned value) { word = make_uint4(value, value, value, value); }
__device__ unsigned& first(unsigned& word) { return word; }
__device__ unsigned& first(uint4& word) { return word.x; }
// All words of a load: of what is not used, the compiler would load nothing.
__device__ unsigned whole(const unsigned& word) { return word; }
__device__ unsigned whole(const uint4& word) { return word.x ^ word.y ^ word.z ^ word.w; }

__device__ void and_xor(unsigned& x, unsigned a, unsigned b) {
  asm volatile("lop3.b32 %0, %0, %1, %2, 0x6a;" : "+r"(x) : "r"(a), "r"(b));
}

template <class Word, bool through_l1, int loads, int stores, int shared, int alu, int fma, bool barriers>
__global__ void HALF_FULL mix(const Word* from, Word* to, unsigned rows, unsigned start, unsigned steps,
                              unsigned spread, uint4 k, unsigned zero) {
  constexpr int words = loads > stores ? loads : stores;
  constexpr int chains = 4;
  constexpr bool works = shared + alu + fma > 0;
  extern __shared__ unsigned slots[];  // chains rows of 32 words
  unsigned at[chains], x[chains];
  float f[chains];
#pragma unroll
  for (int i = 0; i < chains; ++i) {
    x[i] = (threadIdx.x + i) * 2654435761u;
    f[i] = threadIdx.x + i;
    if (shared > 0) {
      at[i] = static_cast<unsigned>(__cvta_generic_to_shared(slots + 32 * i + threadIdx.x % 32));
      if (threadIdx.x < 32) slots[32 * i + threadIdx.x] = at[i];
    }
  }
  if (shared > 0) __syncthreads();
  const size_t offset =
      size_t((blockIdx.x * blockDim.x + threadIdx.x) / 32) * (32 * words) + threadIdx.x % 32;
  const size_t row_words = size_t(gridDim.x) * blockDim.x * words;
  unsigned row = start;
  const unsigned last = steps - spread / 2 + (blockIdx.x * 2654435761u >> 16) % (spread + 1);
#pragma unroll 1
  for (unsigned step = 0; step < last; ++step) {
    Word word[words > 0 ? words : 1];
    unsigned token[chains];  // what the next phase depends on
#pragma unroll
    for (int i = 0; i < loads; ++i) load<through_l1>(word[i], from + row * row_words + offset + 32 * i);
    if (loads > 0) {
#pragma unroll
      for (int i = 0; i < chains; ++i) token[i] = whole(word[i % (loads > 0 ? loads : 1)]);
    } else {
#pragma unroll
      for (int i = 0; i < chains; ++i) token[i] = k.x;
    }
    if (barriers) {  // of loads that have arrived, as where they were stored to shared memory
#pragma unroll
      for (int i = 0; i < loads; ++i) x[i % chains] ^= whole(word[i]);
      __syncthreads();
    }
    if (shared > 0) {
#pragma unroll
      for (int i = 0; i < chains && loads > 0; ++i)
        asm volatile("lop3.b32 %0, %1, %2, %0, 0x6a;" : "+r"(at[i]) : "r"(token[i]), "r"(zero));
#pragma unroll
      for (int i = 0; i < shared; ++i)
        asm volatile("ld.volatile.shared.u32 %0, [%0];" : "+r"(at[i % chains]));
#pragma unroll
      for (int i = 0; i < chains; ++i) token[i] = at[i];
    }
    if (alu > 0) {
#pragma unroll
      for (int i = 0; i < alu; ++i)
        and_xor(x[i % chains], i / chains % 2 ? k.x : k.y,
                i < chains ? token[i] : i / chains % 2 ? k.z : k.w);
#pragma unroll
      for (int i = 0; i < chains; ++i) token[i] = x[i];
    }
    if (fma > 0) {
#pragma unroll
      for (int i = 0; i < fma; ++i)
        asm volatile("fma.rn.f32 %0, %0, %1, %2;"
                     : "+f"(f[i % chains])
                     : "f"(__uint_as_float(k.x)), "f"(__uint_as_float(i < chains ? token[i] : k.y)));
#pragma unroll
      for (int i = 0; i < chains; ++i) token[i] = __float_as_uint(f[i]);
    }
    if (barriers) __syncthreads();
    if (loads > 0 && !works && stores == 0 && !barriers) {  // waits for all loads
#pragma unroll
      for (int i = 0; i < loads; ++i) x[i % chains] ^= whole(word[i]);
    }
#pragma unroll
    for (int i = 0; i < stores; ++i) {
      if (loads == 0) set(word[i], token[i % chains]);
      else if (works) first(word[i]) = token[i % chains];
      store(to + row * row_words + offset + 32 * i, word[i]);
    }
    if (barriers) __syncthreads();
    row = row + 1 == rows ? 0 : row + 1;
  }
  if (zero != 0) {  // never, but the compiler cannot know that
    unsigned sum = 0;
#pragma unroll
    for (int i = 0; i < chains; ++i)
      sum += x[i] + (shared > 0 ? at[i] : 0) + (fma > 0 ? __float_as_uint(f[i]) : 0);
    set(*to, sum);
  }
}
)";

std::string expression(const Mix& mix) {
  return fmt::format("mix<{}, {}, {}, {}, {}, {}, {}, {}>", mix.width == 16 ? "uint4" : "unsigned",
                     mix.through_l1, mix.loads, mix.stores, mix.shared, mix.alu, mix.fma, mix.barriers);
}

Launch Bench::mix(const Residency& wanted, const Mix& mix, std::size_t bytes_per_array) {
  Residency resident = wanted;
  if (mix.shared > 0) resident.shape.shared_bytes = std::max(resident.shape.shared_bytes, mix_shared_bytes);
  const auto kernel =
      prepare(with_launch_bounds(mix_text, gpu.threads_per_multiprocessor), expression(mix), resident);
  const int blocks = resident.blocks * gpu.multiprocessors * mix.waves;
  const std::size_t row_bytes = std::size_t(blocks) * std::size_t(resident.shape.threads) *
                                std::size_t(mix.width) * std::size_t(std::max({mix.loads, mix.stores, 1}));
  const auto rows = static_cast<unsigned>(std::max<std::size_t>(1, bytes_per_array / row_bytes));
  return [=, this](unsigned steps) {
    const auto start = static_cast<unsigned>(walked_words * sizeof(unsigned) / row_bytes % rows);
    const unsigned spread = mix.waves > 1 ? steps : 0;
    launch(executor, *kernel, blocks, from.data(), to.data(), rows, start, steps, spread, mix_constants, 0u);
    walked_words += steps * (row_bytes / sizeof(unsigned));
  };
}

}  // namespace fathom::microbench
