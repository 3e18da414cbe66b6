// SPDX-License-Identifier: Apache-2.0
#include <fathom/model/architectures.h>

#include <catch2/catch.hpp>

#include <algorithm>

using namespace fathom;

TEST_CASE("an architecture has the limits of NVIDIA's table of compute capabilities") {
  struct Row {
    int compute_capability, warps, blocks, shared_KiB, shared_KiB_of_block;
  };
  const Row table[] = {{70, 64, 32, 96, 96},    {75, 32, 16, 64, 64},    {80, 64, 32, 164, 163},
                       {86, 48, 16, 100, 99},   {87, 48, 16, 164, 163},  {89, 48, 24, 100, 99},
                       {90, 64, 32, 228, 227},  {100, 64, 32, 228, 227}, {103, 64, 32, 228, 227},
                       {110, 48, 24, 228, 227}, {120, 48, 24, 100, 99},  {121, 48, 24, 100, 99}};
  CHECK(std::size(table) == architectures().size());
  for (const Row& row : table) {
    INFO("sm_" << row.compute_capability);
    const Architecture* known = find_architecture(row.compute_capability);
    REQUIRE(known);
    const OccupancyLimits limits = known->limits();
    CHECK(limits.threads_per_multiprocessor == 32 * row.warps);
    CHECK(limits.blocks_per_multiprocessor == row.blocks);
    CHECK(limits.shared_bytes_per_multiprocessor == 1024 * row.shared_KiB);
    CHECK(limits.shared_bytes_per_block == 1024 * row.shared_KiB_of_block);
    CHECK(limits.registers_per_multiprocessor == 65536);
    // A block with all shared memory that it may have leaves none.
    CHECK(resident_blocks(limits, 32, 32, limits.shared_bytes_per_block) == 1);
  }
}

TEST_CASE("architectures are listed in ascending order and found by their names") {
  CHECK(std::ranges::is_sorted(architectures(), {}, &Architecture::compute_capability));
  CHECK(architecture_choices() ==
        "sm_70, sm_75, sm_80, sm_86, sm_87, sm_89, sm_90, sm_100, sm_103, sm_110, sm_120 or sm_121");
  CHECK(architecture_named("sm_103") == 103);
  for (const char* unknown : {"sm_60", "90", "sm_9", "sm_900", ""}) {
    INFO(unknown);
    CHECK_FALSE(architecture_named(unknown));
  }
  CHECK(find_architecture(60) == nullptr);
}

TEST_CASE("a toolkit compiles for the architectures of its time") {
  struct Row {
    int compute_capability;
    ToolkitVersion toolkit;
    bool compiles;
  };
  for (const Row& row : {Row{70, {12, 9}, true}, Row{70, {13, 0}, false}, Row{75, {13, 0}, true},
                         Row{100, {12, 8}, true}, Row{103, {12, 8}, false}, Row{103, {12, 9}, true},
                         Row{110, {12, 9}, false}, Row{110, {13, 0}, true}, Row{121, {12, 9}, true}}) {
    INFO("sm_" << row.compute_capability << " by " << to_string(row.toolkit));
    CHECK(find_architecture(row.compute_capability)->compiled_by(row.toolkit) == row.compiles);
  }
}

TEST_CASE("only architectures whose counters were read have checked counts") {
  for (const Architecture& one : architectures()) {
    INFO("sm_" << one.compute_capability);
    CHECK(one.checked == (one.compute_capability == 90));
  }
}
