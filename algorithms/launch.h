// SPDX-License-Identifier: Apache-2.0
// Launches of this folder's kernels.
#pragma once

#include <fathom/device/kernel_info.h>

namespace fathom {

/// Every header under algorithms/ as text (generated at build time): what the kernels here are compiled from.
std::span<const HeaderText> kernel_headers();

/// Works on `elements` (Launch). `constants` are the values that the kernel is specialised for, in the order
/// of its template's Numbers.
template <class Kernel>
Launch launch_of(Index elements, Index blocks, BlockShape shape, std::initializer_list<int> constants = {},
                 double repeats = 1) {
  return make_launch<Kernel, kernel_headers>(blocks, shape, constants, repeats, double(elements));
}

/// One block per tile of the elements.
template <class Kernel>
Launch launch_of_tiles(Index elements, Index tile, BlockShape shape,
                       std::initializer_list<int> constants = {}, double repeats = 1) {
  Launch launch = launch_of<Kernel>(elements, ceil_div(elements, tile), shape, constants, repeats);
  launch.grid = Grid::tiles;
  launch.tile = double(tile);
  return launch;
}

/// The launch with a block per tile of `n` elements, but no more than the device runs at a time, and at least
/// one.
inline Launch with_resident_blocks(Launch launch, Index n, Index tile, const PlanDevice& device) {
  launch.blocks = min(max(Index(1), ceil_div(n, tile)), device.resident(launch));
  launch.grid = Grid::resident;
  launch.tile = double(tile);
  return launch;
}

/// The most that a block of the device has shared memory for of `wanted`, `wanted` − `step`, …; the least of
/// them if that does not fit either. `bytes` says how many bytes a number takes.
template <class Bytes>
int that_fit(int wanted, const PlanDevice& device, Bytes bytes, int step = 1) {
  while (wanted > step && bytes(wanted) > device.shared_bytes_per_block) wanted -= step;
  return wanted;
}

/// Leaves room for kernels with many loads in flight, which occupy the L1; its size is what shared memory
/// leaves. If the maximum number of blocks would leave the L1 only its minimum, 28 KiB, this requests 32 KiB
/// less shared memory: fewer blocks, and room for the loads. On an H200 this makes pairwise mergesort 10 to
/// 12 % faster at every E and t where it applies (data/h200/hardware/carveout.json). The percentage refers to
/// both memories together: if 196 of 228 KiB, 85 %, are requested, the driver takes all 228.
inline Launch with_room_in_l1(Launch launch, const PlanDevice& device) {
  constexpr double step = 32 * 1024, least_l1 = 28 * 1024;
  const double most = device.shared_bytes_per_multiprocessor;
  const double taken =
      device.resident_blocks(launch) * (launch.shape.shared_bytes + device.shared_bytes_reserved);
  if (most > 2 * step && taken > most - step)
    launch.shape.carveout = int(100 * (most - step) / (most + least_l1) + 0.5);
  return launch;
}

}  // namespace fathom
