// SPDX-License-Identifier: Apache-2.0
// How much constants move predictions, on sensitivities and intervals that are worked out by hand.
#include <fathom/calibration/influences.h>

#include <catch2/catch.hpp>

#include <cmath>

using namespace fathom;

namespace {

/// The 95 % interval of a constant whose logarithm has this σ.
Estimate known_within(double sigma, double value = 3) {
  return {value, Interval{value * std::exp(-1.96 * sigma), value * std::exp(1.96 * sigma)}};
}

DeviceProfile profile() {
  DeviceProfile profile;
  profile.estimates["dram.read"] = known_within(0.02);
  profile.estimates["pipe.alu"] = known_within(0.1);
  profile.estimates["kernel_gap"] = {1e-6, Interval{0, 2e-6}};
  return profile;
}

const std::vector<Sensed> predictions{
    {"reading", {{"dram.read", -0.8}, {"kernel_gap", 0.2}}, 0.05},
    {"computing", {{"pipe.alu", -0.6}, {"dram.read", -0.4}, {"fetch", 0.01}}, 0.05}};

}  // namespace

TEST_CASE("influence: the mean and the largest sensitivity over all predictions, the largest mean first") {
  const auto found = influences(profile(), predictions);
  REQUIRE(found.size() == 4);
  CHECK(found[0].constant == "dram.read");
  CHECK(found[0].mean == Approx(0.6));
  CHECK(found[0].largest == Approx(0.8));
  CHECK(found[0].largest_in == "reading");
  CHECK(found[1].constant == "pipe.alu");
  CHECK(found[1].mean == Approx(0.3));  // 0 where it is not listed
  CHECK(found[1].largest_in == "computing");
  CHECK(found[2].constant == "kernel_gap");
  CHECK(found[3].constant == "fetch");
}

TEST_CASE(
    "influence: a constant's own uncertainty, through its sensitivities, and its share of the variance") {
  const auto found = influences(profile(), predictions);
  // (0.8² + 0.4²)/2 = 0.4, times 0.02² = 1.6e-4, of 0.05² = 2.5e-3.
  CHECK(*found[0].sigma == Approx(std::sqrt(1.6e-4)));
  CHECK(*found[0].share == Approx(0.064));
  // 0.6²/2 = 0.18, times 0.1².
  CHECK(*found[1].share == Approx(0.72));
  CHECK_FALSE(found[2].sigma);  // its interval has 0, of which there is no logarithm
  CHECK_FALSE(found[3].sigma);  // it has no interval
}

TEST_CASE("influence: no share where the law does not say how uncertain a prediction is") {
  auto unsure = predictions;
  unsure[1].sigma.reset();
  const auto found = influences(profile(), unsure);
  CHECK(found[0].sigma);
  CHECK_FALSE(found[0].share);
  CHECK(influences(profile(), {}).empty());
}
