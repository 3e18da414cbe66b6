// SPDX-License-Identifier: Apache-2.0
#include <fathom/device/cuda/linked_pairs.h>

#include <catch2/catch.hpp>

using namespace fathom;

TEST_CASE("NVML says how GPUs are linked") {
  const std::vector<LinkedPair> pairs =
      linked_pairs({"0000:1A:00.0", "0000:1B:00.0", "0000:9A:00.0"}, FAKE_NVML);
  REQUIRE(pairs.size() == 3);
  const auto is = [](const LinkedPair& pair, int first, int second, LinkType type) {
    return pair.first == first && pair.second == second && pair.type == type;
  };
  CHECK(is(pairs[0], 0, 1, LinkType::nvlink));
  CHECK(is(pairs[1], 0, 2, LinkType::pcie));
  CHECK(is(pairs[2], 1, 2, LinkType::host));
}

TEST_CASE("where NVML does not say it, nothing is known of links") {
  CHECK(linked_pairs({"0000:1A:00.0", "0000:1B:00.0"}, "no-such-library.so.1").empty());
  CHECK(linked_pairs({"0000:1A:00.0", "0000:FF:00.0"}, FAKE_NVML).empty());
  CHECK(linked_pairs({"0000:1A:00.0"}, FAKE_NVML).empty());
}
