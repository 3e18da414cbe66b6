// SPDX-License-Identifier: Apache-2.0
// The timer that `bench` and the microbenchmarks use, on kernels whose duration is known: they spin until the
// GPU's own timers have advanced. Skipped (exit code 77) without a GPU.
#include "../support/skip.h"
#include "spin.h"

#include <fathom/core/measurement.h>
#include <fathom/device/cuda/cuda_executor.h>
#include <fathom/device/prepared_plan.h>

#include <catch2/catch.hpp>

namespace fathom {
std::span<const HeaderText> contract_kernel_headers();  // generated: cmake/EmbedText.cmake
}

using namespace fathom;
using timing_kernels::Spin;

namespace {

/// The resolution of the global timer of every GPU supported, and an upper bound of what a launch and two
/// events add to the time of a kernel.
constexpr double timer_s = 1e-6, launch_s = 8e-6;

/// Spins on the GPU, launched by a prepared plan of `blocks` blocks of one warp.
class Spinner {
 public:
  explicit Spinner(Index blocks = 1)
      : plan_(executor_, {make_launch<Spin, contract_kernel_headers>(blocks, {32})}),
        advances_(executor_, 2) {}

  void spin(double seconds, u64 clocks = 0) const {
    plan_.launch(0, Spin{u64(seconds * 1e9 + 0.5), clocks, advances_.span()});
  }
  Timing time(const std::function<void()>& work, const std::function<void()>& before = {}) {
    return executor_.time(work, before);
  }
  double median(double seconds) {
    return quartiles(time([&] { spin(seconds); }).seconds).median;
  }
  double clocks_of_last() const { return double(advances_.download()[1]); }
  int resident_blocks() const { return plan_.resources(0).resident_blocks; }

 private:
  CudaExecutor executor_;
  PreparedPlan plan_;
  DeviceArray<u64> advances_;
};

}  // namespace

TEST_CASE("a kernel of known duration takes that long, in every repeat") {
  tests::skip_without_gpu();
  Spinner spinner;
  for (const double seconds : {50e-6, 200e-6, 1e-3, 5e-3}) {
    CAPTURE(seconds);
    const Timing timing = spinner.time([&] { spinner.spin(seconds); });
    CHECK(timing.seconds.size() == 11);
    for (const double measured : timing.seconds) CHECK(measured >= 0.995 * seconds - timer_s);
    CHECK(quartiles(timing.seconds).median <= 1.01 * seconds + launch_s);
  }
}

TEST_CASE("what a launch adds to a time does not depend on how long the kernel runs") {
  tests::skip_without_gpu();
  Spinner spinner;
  const double one = spinner.median(1e-3), two = spinner.median(2e-3), four = spinner.median(4e-3);
  CHECK(two - one == Approx(1e-3).epsilon(0.01));
  CHECK(four - two == Approx(2e-3).epsilon(0.01));
}

TEST_CASE("launches of one repeat add up") {
  tests::skip_without_gpu();
  Spinner spinner;
  const Timing timing = spinner.time([&] {
    for (int i = 0; i < 20; ++i) spinner.spin(100e-6);
  });
  const double median = quartiles(timing.seconds).median;
  CHECK(median >= 0.995 * 20 * 100e-6);
  CHECK(median <= 1.05 * 20 * 100e-6 + launch_s);  // at most 5 µs between two launches
}

TEST_CASE("what is queued ahead of a repeat is not timed") {
  tests::skip_without_gpu();
  Spinner spinner;
  const Timing timing = spinner.time([&] { spinner.spin(200e-6); }, [&] { spinner.spin(1e-3); });
  CHECK(quartiles(timing.seconds).median <= 1.01 * 200e-6 + launch_s);
  CHECK(quartiles(timing.seconds).median >= 0.995 * 200e-6 - timer_s);
}

TEST_CASE("work that waits for the GPU before it has queued everything is timed as well") {
  tests::skip_without_gpu();
  Spinner spinner;
  const Timing timing = spinner.time([&] {
    spinner.spin(1e-3);
    spinner.clocks_of_last();
    spinner.spin(1e-3);
  });
  for (const double measured : timing.seconds) CHECK(measured >= 0.995 * 2e-3 - timer_s);
}

TEST_CASE("the clock of a timing turns its seconds into the kernel's clocks") {
  tests::skip_without_gpu();
  Spinner spinner;
  const Timing timing = spinner.time([&] { spinner.spin(0, 10'000'000); });
  CAPTURE(timing.clock_hz, timing.clock_moved);
  CHECK(quartiles(timing.seconds).median * timing.clock_hz == Approx(spinner.clocks_of_last()).epsilon(0.03));
}

TEST_CASE("blocks beyond those that are resident wait for a place: two waves take twice as long as one") {
  tests::skip_without_gpu();
  const int resident = Spinner().resident_blocks();
  const auto blocks = Index(resident) * CudaExecutor().multiprocessors();
  const double one = Spinner(blocks).median(1e-3), two = Spinner(blocks + 1).median(1e-3);
  CHECK(one == Approx(1e-3).epsilon(0.03));
  CHECK(two == Approx(2e-3).epsilon(0.03));
}
