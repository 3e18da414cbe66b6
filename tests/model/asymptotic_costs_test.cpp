// SPDX-License-Identifier: Apache-2.0
#include <fathom/model/machines/asymptotic_costs.h>

#include <catch2/catch.hpp>

#include <cmath>

using namespace fathom::asymptotic;

namespace {

// n/w = 128, nl/p = 4096·10/512 = 80, log n = 12.
constexpr MemoryMachineSize machine{4096, 512, 32, 10};
// n/p = 512, n/b = 2048, log n = 16, log n/b = 11, log b = 5, log M/b = 7.
constexpr AgpuSize agpu{65536, 128, 32, 4096};

}  // namespace

TEST_CASE("memory machines: the costs, computed by hand") {
  CHECK(sum(machine) == Approx(128 + 80 + 10 * 12));
  CHECK(sum_lower_bound(machine) == Approx(128));
  CHECK(sum_lower_bound(MemoryMachineSize{4096, 64, 32, 10}) == Approx(640));  // nl/p
  CHECK(sum_lower_bound(MemoryMachineSize{16, 16, 32, 10}) == Approx(40));     // l·log n
  CHECK(naive_prefix_sums(machine) == Approx((128 + 80) * 12));
  CHECK(optimal_prefix_sums(machine) == Approx(128 + 80 + 10 * 12));
  CHECK(sequential_parallel_prefix_sums(machine, 1024) == Approx(128 + 80 + 4 * 10 * 10));
  CHECK(sequential_parallel_prefix_sums(machine, 1 << 20) == Approx(128 + 80 + 10 * 12));
}

TEST_CASE("memory machines: shared memory of the tree reduction and the matrix scan, computed by hand") {
  CHECK(reduce_tree_shared(machine, 256) == Approx(128 + 80 * 9 + 10 * 12));
  // α = 8: fourfold conflicts, as many columns as threads; α = 32: no conflicts, 128 columns.
  CHECK(scan_matrix_shared(machine, 8) == Approx(4 * 128 + 80));
  CHECK(scan_matrix_shared(machine, 32) == Approx(128 + 320));
  CHECK(scan_matrix_shared({4096, 512, 4, 10}, 8) == Approx(1024 + 80));  // fewer banks than rows
}

TEST_CASE("memory machines: contiguous access, round by round") {
  CHECK(contiguous_access(machine) == 8 * (16 + 9));
  CHECK(contiguous_access({512, 512, 32, 10}) == 16 + 9);
  CHECK(contiguous_access({320, 512, 32, 10}) == 10 + 9);  // n < p
  CHECK(contiguous_access({1, 512, 32, 10}) == 10);
  CHECK(contiguous_access({512 + 33, 512, 32, 10}) == 16 + 9 + 2 + 9);
}

TEST_CASE("memory machines: idle threads do not reduce the cost, and small inputs cost more than 0") {
  CHECK(sum({64, 1 << 20, 32, 10}) == sum({64, 64, 32, 10}));
  CHECK(naive_prefix_sums({1, 1, 32, 10}) == Approx(1. / 32 + 10));
  CHECK(sum({1, 1, 32, 10}) >= 10);
}

TEST_CASE(
    "memory machines: latency is hidden from p = w·l and n = w·l·log(w·l) on, where the optimal sums take "
    "n/w") {
  const double w = 32, l = 32, p = w * l, n = p * 10;
  CHECK(hides_latency({n, p, w, l}));
  CHECK_FALSE(hides_latency({n, p - 1, w, l}));
  CHECK_FALSE(hides_latency({n - 1, p, w, l}));
  for (double scale = 1; scale <= 1 << 20; scale *= 2) {
    const MemoryMachineSize size{n * scale, p * scale, w, l};
    // nl/p ≤ n/w, and l·log n ≤ l·log(w·l)·log n/log(w·l), which n/w outgrows.
    CHECK(optimal_prefix_sums(size) <= 4 * n * scale / w);
  }
}

TEST_CASE("memory machines: the least work space of the sequential-parallel prefix sums, computed by hand") {
  CHECK(least_work_space(32, 128) == 1 << 16);  // w·l·log k = 2^12·16
  CHECK(least_work_space(32, 8) == 2951);       // 256·log 2951 = 2950.9, 256·log 2950 = 2950.8
  CHECK(least_work_space(2, 1) == 4);           // though 2 would do, 3 would not
  CHECK(least_work_space(1, 1) == 4);
}

TEST_CASE("memory machines: from the least work space on, more can only halve the prefix sums' cost") {
  for (const double w : {4, 32})
    for (const double l : {4, 100, 1000})
      for (const double p : {64, 1 << 14}) {
        const double least = least_work_space(w, l), below = least - 1;
        INFO("w = " << w << ", l = " << l << ", p = " << p << ", least " << least);
        CHECK(w * l * std::log2(below) > below);
        for (double n = least; n < 1e12; n *= 8) {
          const MemoryMachineSize size{n, p, w, l};
          for (double k = least; k <= n; k *= 2)
            CHECK(sequential_parallel_prefix_sums(size, k) <= 2 * sequential_parallel_prefix_sums(size, n));
        }
      }
}

TEST_CASE("memory machines: naive and optimal prefix sums differ by log n") {
  double last = 0;
  for (double log_n = 12; log_n <= 40; log_n += 4) {
    const MemoryMachineSize size{std::exp2(log_n), 1024, 32, 32};
    const double apart = naive_prefix_sums(size) / optimal_prefix_sums(size);
    CHECK(apart > last);
    CHECK(apart <= log_n);
    last = apart;
  }
  CHECK(last == Approx(40).epsilon(1e-3));
}

TEST_CASE("memory machines: pairwise mergesort, computed by hand") {
  // E = 8, t = 64: 8 tiles of 512, 3 rounds, n/E = 512 threads have work. A round: 128 + 80, and 8 searches
  // of 12 probes.
  CHECK(sort_pairwise_global(machine, {8, 64}) == Approx(4 * 208 + 3 * 12 * (8 * (1 + 10. / 512) + 10)));
  // log n/E = 9 rounds, 9 probes for 8 elements, and conflicts only in the bandwidth term.
  CHECK(sort_pairwise_shared(machine, {8, 64}, 1) == Approx(9 * (1 + 9. / 8) * 208));
  CHECK(sort_pairwise_shared(machine, {8, 64}, 3) == Approx(9 * (1 + 9. / 8) * (3 * 128 + 80)));
  // One tile: the pass over it, by the 16 threads that have elements.
  CHECK(sort_pairwise_global({128, 512, 32, 10}, {8, 64}) == Approx(4 + 80));
  // Few threads with more than E elements each wait longer.
  CHECK(sort_pairwise_global({4096, 64, 32, 10}, {8, 64}) > sort_pairwise_global(machine, {8, 64}));
}

TEST_CASE("memory machines: bitonic sort, computed by hand") {
  // E = 8, t = 64: 8 tiles of 512, 3 merges between tiles; 512 threads have work.
  CHECK(sort_bitonic_global(machine, {8, 64, 2}) == Approx(4 * (1 + 3 / 4.) * 208));
  // Two elements per thread: 2048 threads could work, 512 exist.
  CHECK(sort_bitonic_global(machine, {8, 64, 1}) == Approx(4 * (1 + 3 / 2.) * 208));
  // 9 + 3 steps between two exchanges of 3 steps, 9 of which a tile has.
  CHECK(sort_bitonic_shared(machine, {8, 64, 2}) == Approx(9 / 3. * (9 + 3) * 208));
  // One tile: 16 threads have elements.
  CHECK(sort_bitonic_global({128, 512, 32, 10}, {8, 64, 3}) == Approx(4 + 80));
}

TEST_CASE("memory machines: warp sort, computed by hand") {
  // E = 8, t = 128, K = 2: 4 runs of 1024, 2 rounds, 8 pieces of 512; 512 threads sort, 256 merge.
  CHECK(sort_warp_global(machine, {8, 128, 2}) ==
        Approx(208 + 2 * (128 + 160 + 12 * (8 * (1 + 10. / 512) + 10))));
  // 10² steps, and 8 in each round; 3 steps between two exchanges.
  CHECK(sort_warp_shared(machine, {8, 128, 2}, 1) == Approx((100 * 208 + 2 * 8 * (128 + 160)) / 3.));
  CHECK(sort_warp_shared(machine, {8, 128, 2}, 2) == Approx((100 * 336 + 2 * 8 * (256 + 160)) / 3.));
  // One run.
  CHECK(sort_warp_global({128, 512, 32, 10}, {8, 128, 2}) == Approx(4 + 80));
}

TEST_CASE("AGPU: the rows of the table, computed by hand") {
  // Levels of 2b = 64: 1024, 16 and 1 blocks.
  CHECK(reduce_tree(agpu).time == Approx(512 * 5 + 16));
  CHECK(reduce_tree(agpu).io == 3 * (1024 + 16 + 1));
  CHECK(reduce_tree(agpu).multiplicity == 128.0);
  CHECK(reduce_tree({65, 128, 32, 4096}).io == 3 * (2 + 1));
  CHECK(reduce_tree({1, 128, 32, 4096}).io == 0);
  for (const AgpuCost& row : {reduce_cascading(agpu), reduce_pipeline(agpu)}) {
    CHECK(row.time == Approx(512 + 7));
    CHECK(row.io == 2048);
    CHECK(row.multiplicity == 128.0);
  }
  CHECK(reduce_matrix(agpu).time == 512);
  CHECK(reduce_matrix(agpu).io == 2048);
  CHECK(reduce_matrix(agpu).multiplicity == 4.0);

  CHECK(scan_matrix(agpu, 8).time == Approx((512 + 0.125) * (4 + 5. / 8)));
  CHECK(scan_matrix(agpu, 8).io == 3 * 2048 + 4);
  CHECK(scan_matrix(agpu, 8).multiplicity == 16.0);
  CHECK(scan_matrix(agpu, 3).time == Approx((512 + 0.125) * (3 + 5. / 3)));

  CHECK(sort_bitonic(agpu).time == Approx(512 * 256));
  CHECK(sort_bitonic(agpu).io == Approx(2048 * 16));  // log n/M = 4
  CHECK(sort_warp(agpu).time == Approx(512 * 11 * 5));
  CHECK(sort_warp(agpu).io == Approx(2048 * 11));
  CHECK(sort_multiway(agpu, 4).time == Approx(512 * 5 * 11));
  CHECK(sort_multiway(agpu, 4).io == Approx(2048 * 5.5));
  CHECK(sort_multiway(agpu, 4).multiplicity == Approx(4096. / 192));
  CHECK(comparison_sort_lower_bound(agpu).time == Approx(512 * 16));
  CHECK(comparison_sort_lower_bound(agpu).io == Approx(2048 * 11 / 7.));
  CHECK(sum_lower_bound(agpu).time == 512);
  CHECK(sum_lower_bound(agpu).io == 2048);
  CHECK(sum_lower_bound(AgpuSize{5, 128, 32, 4096}).time == 1);
  CHECK(sum_lower_bound(AgpuSize{5, 128, 32, 4096}).io == 1);
  for (const AgpuCost& row :
       {sort_bitonic(agpu), sort_warp(agpu), comparison_sort_lower_bound(agpu), sum_lower_bound(agpu)})
    CHECK_FALSE(row.multiplicity.has_value());
}

TEST_CASE("memory machines: radix sorts, computed by hand") {
  // 2 passes, 8 tiles of 512 with 16 counts each; n/E = 512 threads have work.
  const RadixShape shape{.k = 8, .r = 16, .m = 512, .E = 8};
  const double counts = 128 * (1 + 10. / 512);
  CHECK(radix_lsd_global(machine, shape) == Approx(2 * (208 + counts + 10)));
  CHECK(radix_tiled_global(machine, shape) == Approx(2 * (208 + counts + 10)));
  CHECK(radix_lsd_global({4096, 2048, 32, 10}, {8, 16, 512, 1}) ==
        Approx(2 * (128 + 20 + 128 * (1 + 10. / 1024) + 10)));  // one block scans
  CHECK(radix_lsd_shared(machine, shape, 1) == Approx(2 * (3 * 208 + 4 + 10)));
  CHECK(radix_lsd_shared(machine, shape, 2) == Approx(2 * (3 * 336 + 4 + 10)));
  CHECK(radix_tiled_shared(machine, shape, 2) == Approx(2 * (5 * 336 + 4 + 10)));
  CHECK(radix_lsd_global(machine, {9, 16, 512, 8}) == Approx(3 * (208 + counts + 10)));  // a shorter digit
}

TEST_CASE("AGPU: distribution sorts, computed by hand") {
  // A pass: 3n/b = 6144, and 16 digits in 64 tiles of 1024.
  const RadixShape shape{.k = 32, .r = 16, .m = 1024, .E = 4};
  CHECK(radix_lsd(agpu, shape).time == 512 * 32);
  CHECK(radix_lsd(agpu, shape).io == 8 * (6144 + 1024));
  // n/M = 16: one pass.
  CHECK(radix_msd(agpu, shape).time == 512 * 32);
  CHECK(radix_msd(agpu, shape).io == Approx(4096 + 6144 + 1024));
  CHECK(radix_msd({4096, 128, 32, 4096}, shape).io == 256);  // a bucket from the start
  CHECK(sort_splitter(agpu, 16).time == 512 * 16);
  CHECK(sort_splitter(agpu, 16).io == Approx(4096 + 6144 + 256));
  // Never more passes than digits.
  const double n = 0x1p60;
  CHECK(radix_msd({n, 128, 32, 4096}, shape).io == Approx(2 * n / 32 + 8 * (3 * n / 32 + n / 64)));
}

TEST_CASE(
    "AGPU: √(M/b) splitters stay within a constant of the optimal I/Os, binary digits of long keys do not") {
  for (double n = 1 << 17; n <= 1e12; n *= 64) {
    const AgpuSize size{n, 2048, 32, 8192};
    const double least = comparison_sort_lower_bound(size).io;
    CHECK(sort_splitter(size, 16).io < 12 * least);
    CHECK(radix_lsd(size, {64, 2, 8192, 8}).io > 12 * least);
  }
}

TEST_CASE("AGPU: no sort beats the lower bound, and d = M/b ways attain its I/O") {
  for (double n = 1 << 17; n <= 1e10; n *= 8) {
    const AgpuSize size{n, 2048, 32, 8192};
    const AgpuCost least = comparison_sort_lower_bound(size);
    for (const AgpuCost& row : {sort_bitonic(size), sort_warp(size), sort_multiway(size, 16)}) {
      CHECK(row.time >= least.time);
      CHECK(row.io >= least.io * 0.999999);
    }
    CHECK(sort_multiway(size, 8192 / 32).io == Approx(least.io));
  }
}

TEST_CASE("AGPU: an input that fits in shared memory is still read once") {
  for (const AgpuCost& row : {sort_bitonic({1024, 128, 32, 4096}), sort_multiway({1024, 128, 32, 4096}, 64),
                              comparison_sort_lower_bound({1024, 128, 32, 4096})})
    CHECK(row.io >= 1024 / 32);
}
