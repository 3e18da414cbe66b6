// SPDX-License-Identifier: Apache-2.0
// ScanChunks<u32, Plus, Exclusive, 256, 8> without the block contract.
#pragma once

// The same as ScanChunks<u32, Plus, 256, 8>, line by line, with arrays and built-ins only.
inline constexpr char plain_scan_chunks[] = R"(
extern "C" __global__ void __launch_bounds__(256) plain_scan_chunks(
    const unsigned* input, unsigned* output, const unsigned* sums, long long n, long long chunk) {
  constexpr int rows = 8, columns = 33, tile_size = rows * 32;
  __shared__ unsigned tiles[8 * rows * columns];
  const int lane = threadIdx.x % 32;
  unsigned* tile = tiles + threadIdx.x / 32 * rows * columns;
  const long long warp = (long long)blockIdx.x * 8 + threadIdx.x / 32;
  const long long begin = warp * chunk;
  if (begin >= n) return;
  const long long end = begin + chunk < n ? begin + chunk : n;
  unsigned carry = sums[warp];
  for (long long first = begin; first < end; first += tile_size) {
    const int count = int(end - first < tile_size ? end - first : tile_size);
    unsigned values[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const int i = r * 32 + lane;
      values[r] = i < count ? input[first + i] : 0;
    }
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const int i = r * 32 + lane;
      tile[i % rows * columns + i / rows] = values[r];
    }
    __syncwarp();
    unsigned column[rows], sum = 0;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      column[r] = tile[r * columns + lane];
      sum += column[r];
    }
    unsigned inclusive = sum;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
      const unsigned before = __shfl_up_sync(~0u, inclusive, distance);
      if (lane >= distance) inclusive += before;
    }
    const unsigned lower = __shfl_up_sync(~0u, inclusive, 1);
    unsigned before = lane == 0 ? carry : carry + lower;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      tile[r * columns + lane] = before;
      before += column[r];
    }
    carry += __shfl_sync(~0u, inclusive, 31);
    __syncwarp();
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const int i = r * 32 + lane;
      if (i < count) output[first + i] = tile[i % rows * columns + i / rows];
    }
    __syncwarp();
  }
}
)";
