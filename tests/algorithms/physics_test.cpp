// SPDX-License-Identifier: Apache-2.0
// The law of counted work against physics, for every row of the shipped tables on the shipped profile.
#include <fathom/algorithms/gpus/rank_parts.h>
#include <fathom/algorithms/registry.h>
#include <fathom/model/constants.h>
#include <fathom/model/laws/counted.h>
#include <fathom/store/built_in_text.h>
#include <fathom/store/profile.h>
#include <fathom/store/work_table.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

using namespace fathom;

namespace {

/// The sizes between 2^10 and 2^28, a twelfth of an octave apart.
std::vector<double> sizes() {
  std::vector<double> all;
  for (int i = 0; i <= 12 * 18; ++i) all.push_back(std::floor(1024 * std::exp2(i / 12.)));
  return all;
}

/// A row of a table on a machine.
class Case {
 public:
  Case(const AlgorithmWork& work, const Machine<double>& machine)
      : work_(work), machine_(machine), algorithm_(algorithm_or_part(work.algorithm)) {}

  /// Absent for a problem that the algorithm does not solve, or whose blocks do not fit.
  std::optional<std::vector<CountedLaunch>> launches(double n) const try {
    return counted_launches(n, plan(n), work_, machine_);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
  /// Throws std::invalid_argument in these cases.
  Plan plan(double n) const {
    Problem problem = algorithm_.problem(n, work_.type);
    problem.parameters = work_.parameters;
    return plan_with_work(algorithm_, machine_, problem, work_);
  }
  RunTime<double> time(const std::vector<CountedLaunch>& launches) const {
    return run_time(launches, machine_);
  }

  const Machine<double>& machine() const { return machine_; }
  std::string in_words() const {
    std::string text = work_.algorithm + ' ' + name(work_.type);
    for (const auto& [parameter, value] : work_.parameters)
      text += ' ' + parameter + '=' + std::to_string(value);
    return text;
  }

 private:
  const AlgorithmWork& work_;
  const Machine<double>& machine_;
  const Algorithm& algorithm_;
};

/// Every row of the shipped table of the shipped profile's architecture.
void for_each_case(const std::function<void(const Case&)>& visit) {
  const DeviceProfile profile = built_in_profile("h200");
  for (const BuiltInText& text : built_in_work_tables()) {
    const WorkTable table = parse_work_table(std::string(text.text), std::string(text.name));
    if (table.architecture != profile.architecture) continue;
    for (const AlgorithmWork& work : table.rows) visit(Case(work, profile.machine));
  }
}

}  // namespace

TEST_CASE("no launch beats a measured rate or its longest chain") {
  const Machine<double> machine = built_in_profile("h200").machine;
  const Rates<double>& rates = machine.rates;
  const double fastest_memory = std::max({*rates.l2_read, *rates.l2_write, *rates.l2_copy, *rates.dram_read,
                                          *rates.dram_write, *rates.dram_copy});
  const double clocks_of_all = machine.multiprocessors * machine.clock.value;
  std::size_t launches = 0, faster = 0;
  for_each_case([&](const Case& each) {
    for (const double n : sizes()) {
      const auto all = each.launches(n);
      if (!all) continue;
      const RunTime<double> time = each.time(*all);
      for (std::size_t i = 0; i < all->size(); ++i) {
        const auto& [kernel, work, once, shape, repeats, scale] = (*all)[i];
        const double scattered = std::min(work.scattered_sectors, work.sectors_read);
        const double streamed = 32 * (work.sectors_read - scattered + work.sectors_written);
        const double waves = std::ceil(shape.blocks / (shape.resident * double(machine.multiprocessors)));
        const double chain = once.issue_clocks + waves * (work.issue_clocks - once.issue_clocks);
        const double least =
            std::max({shape.blocks * work.instructions / *rates.issue / clocks_of_all,
                      shape.blocks * work.alu / *rates.alu / clocks_of_all,
                      shape.blocks * work.fma / *rates.fma / clocks_of_all,
                      shape.blocks * work.shared_wavefronts / *rates.wavefronts / clocks_of_all,
                      shape.blocks * (streamed / fastest_memory + scattered / *rates.l2_scattered),
                      (shape.blocks - machine.multiprocessors) * *machine.block_start / clocks_of_all,
                      chain / machine.clock.value});
        ++launches;
        if (time.launches[i].busy >= least * (1 - 1e-9)) continue;
        if (++faster == 1)
          FAIL_CHECK(each.in_words() << ", n = " << n << ", " << kernel << ": " << time.launches[i].busy
                                     << " s, not " << least);
      }
    }
  });
  CHECK(faster == 0);
  CHECK(launches > 500000);
}

TEST_CASE("tiles of a single-pass scan sleep unless they all start together") {
  const Machine<double> machine = built_in_profile("h200").machine;
  const Algorithm& scan = algorithm("scan-lookback");
  const auto sleep_s = [&](double n) {
    const Problem problem = scan.problem(n, ElementType::u32);
    const auto work = built_in_work({scan.slug, problem.type, problem.parameters, Input::random, 90});
    REQUIRE(work);
    const auto launches = counted_launches(n, plan_with_work(scan, machine, problem, *work), *work, machine);
    REQUIRE(launches.size() == 1);
    const bool together = launches[0].shape.blocks <= launches[0].shape.resident * machine.multiprocessors;
    CHECK(together == (n < 1e7));
    return launches[0].shape.sleep_s;
  };
  CHECK(sleep_s(1e6) == 0);
  CHECK(sleep_s(1e8) == Approx(2.5e-6));
}

TEST_CASE("no constant that becomes better makes a run take longer") {
  std::size_t compared = 0;
  for_each_case([&](const Case& each) {
    for (const double n : {0x1p12, 0x1p20, 0x1p28}) {
      const auto launches = each.launches(n);
      if (!launches) continue;
      const double before = each.time(*launches).seconds;
      for (const auto& constant : constants<double>()) {
        Machine<double> machine = each.machine();
        auto& value = constant.member.of(machine);
        // Bytes that the L2 holds move at its rates, which may be lower than DRAM's together with others.
        if (!value || constant.better == Better::neither || constant.name.starts_with("l2_half")) continue;
        *value *= constant.better == Better::higher ? 1.1 : 0.9;
        ++compared;
        if (const double after = run_time(*launches, machine).seconds; after > before * (1 + 1e-9))
          FAIL_CHECK(each.in_words() << ", n = " << n << ": " << after << " s with a better " << constant.name
                                     << ", not " << before);
      }
    }
  });
  CHECK(compared > 10000);
}
