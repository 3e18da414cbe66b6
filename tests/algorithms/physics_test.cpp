// The law of counted work against physics, for every row of the shipped tables on the shipped profile.
#include <fathom/algorithms/registry.h>
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
      : work_(work), machine_(machine), algorithm_(algorithm(work.algorithm)) {}

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

bool same_plan(const Case& of, double n, const std::vector<CountedLaunch>& a, double next_n,
               const std::vector<CountedLaunch>& b) {
  return std::ranges::equal(of.plan(n), of.plan(next_n), {}, &Launch::parts, &Launch::parts) &&
         std::ranges::equal(a, b, [](const CountedLaunch& x, const CountedLaunch& y) {
           return x.kernel == y.kernel && x.repeats == y.repeats && x.shape.sleep_s == y.shape.sleep_s &&
                  (x.shape.blocks == y.shape.blocks ||
                   (x.once.instructions == 0 && x.work.instructions <= y.work.instructions));
         });
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
        const auto& [kernel, work, once, shape, repeats] = (*all)[i];
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

// A grid of fixed size, or whose blocks share what others left, has another plan with every block that it
// gains, since all of its blocks then have less to do; and so has one with every part that it is cut into.
TEST_CASE("time does not fall as n grows, where the plan stays the same") {
  // More resident blocks overlap better (docs/law.md, A): by so much at most the law lets that make up for
  // their work. Most where a second block of two warps finds the schedulers idle that the first one leaves.
  constexpr double largest_fall = 0.035;
  int steps = 0, falls = 0;
  for_each_case([&](const Case& each) {
    std::optional<std::vector<CountedLaunch>> before;
    double before_n = 0, before_s = 0;
    for (const double n : sizes()) {
      auto now = each.launches(n);
      const double now_s = now ? each.time(*now).seconds : 0;
      if (before && now && same_plan(each, before_n, *before, n, *now)) {
        ++steps;
        if (now_s < before_s * (1 - 1e-9)) ++falls;
        if (now_s < before_s * (1 - largest_fall))
          FAIL_CHECK(each.in_words() << ", n = " << n << ": " << now_s << " s after " << before_s);
      }
      before = std::move(now);
      before_n = n;
      before_s = now_s;
    }
  });
  CHECK(steps > 100000);
  CHECK(falls < 0.03 * steps);
}
