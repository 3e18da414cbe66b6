// SPDX-License-Identifier: Apache-2.0
// The constants of the law `counted` come back from series whose times are worked by hand.
#include "synthetic.h"

#include <fathom/calibration/fits/fits.h>
#include <fathom/core/benchmarks.h>

#include <catch2/catch.hpp>

#include <set>
#include <sstream>

using namespace fathom;
using namespace fathom::synthetic;
using Catch::Matchers::Contains;

namespace {

constexpr double multiprocessors = 100, clock_of_gpu = 1e9, shared_bytes = 228 * 1024, l2_bytes = 40e6;
using Values = std::map<std::string, double>;

/// The times below were worked from these.
const char* const truth_of_gpu = R"(
  dram.read 3e12  dram.write 2.5e12  dram.copy 3e12  dram.copy_by_grid 2.7e12  dram.scattered 3e10  dram.resumed 1.25e10
  l2.read 6e12  l2.write 4e12  l2.copy 5e12  l2.scattered 1.5e11  l2.partial 3.2e10
  atomics.line 1.6e9  atomics.kib 3.2e9  atomics.64_kib 8e10
  pipe.alu 2  pipe.fma 2.5  pipe.issue 4  pipe.wavefronts 1  pipe.barriers 0.4
  wait.dram 700  wait.l2 250  wait.shared 30  wait.barrier 25  wait.loaded 2867.2  wait.turnover 330
  sleep 1.7  fetch 6  overlap 2  knee 2  phase.share 0.5  phase.decay 1.4)";

/// A row is a series: its benchmark, its coordinates, and its median. What a fit must not use comes before
/// what it must, and would give a higher rate or another line.
const char* const series_of_gpu = R"(
stream-dram-read   bytes 6e9   2e-3      # 6e9/3e12
stream-dram-read   bytes 6e9   2.5e-3
stream-dram-write  bytes 5e9   3e-3
stream-dram-write  bytes 5e9   2e-3
stream-dram-copy   bytes 5.4e9 2e-3
tiles-dram-read    bytes 6e9   2.1e-3    # slower than the other form
tiles-dram-copy    bytes 5.4e9 2e-3
tiles-dram-copy    bytes 5.4e9 1.8e-3
stream-l2-read     bytes 6e9   1e-3
stream-l2-write    bytes 4e9   1e-3
stream-l2-copy     bytes 5e9   1e-3
random-sectors     bytes 5e6 sectors 3e6    3e-5
random-sectors     bytes 1e7 sectors 3e6    2e-5   # a quarter of the L2
random-sectors     bytes 1.1e7 sectors 3e6  1e-6   # not held for sure
random-sectors     bytes 7.9e7 sectors 3e6  1e-6   # nor missed
random-sectors     bytes 8e7 sectors 3e6    1.5e-4
random-sectors     bytes 8e7 sectors 3e6    1e-4
random-sectors     bytes 2.56e9 sectors 3e6 1e-6   # translations miss
pipe-lop3          instructions 1e6 warps 1  5e-3
pipe-lop3          instructions 1e6 warps 64 32e-3    # 64e6/2 clocks
pipe-imad          instructions 1e6 warps 64 25.6e-3
pipe-ffma          instructions 1e6 warps 64 16e-3
pipe-lds4          instructions 1e6 warps 64 64e-3
pipe-barrier       instructions 1e6 warps 1  27.5e-3  # 25 + 1/0.4 clocks
pipe-barrier       instructions 1e6 warps 8  45e-3
pipe-barrier       instructions 1e6 warps 32 105e-3
chase-dram         bytes 1e9 700
chase-l2           bytes 1e6 250
chase-shared       bytes 1e4 30
instruction-fetch  bytes 32768 instructions 2048 warps 4 evicted 1 flushed 0 99999
instruction-fetch  bytes 32768 instructions 2048 warps 1 evicted 1 flushed 1 99999
instruction-fetch  bytes 65536 instructions 4096 warps 1 evicted 0 flushed 0 4396
instruction-fetch  bytes 65536 instructions 4096 warps 1 evicted 1 flushed 0 99999
instruction-fetch  bytes 4096 instructions 256 warps 1 evicted 0 flushed 0   556    # 300 + 256
instruction-fetch  bytes 4096 instructions 256 warps 1 evicted 1 flushed 0   2092   # and 6·256
instruction-fetch  bytes 32768 instructions 2048 warps 1 evicted 0 flushed 0 2348
instruction-fetch  bytes 32768 instructions 2048 warps 1 evicted 1 flushed 0 14636
block-turnover     blocks 6400 23.12e-6    # 2e-6 + 64·330 clocks
block-turnover     blocks 51200 170.96e-6  # 2e-6 + 512·330
sleep              nanoseconds 500  500
sleep              nanoseconds 2500 4250
sleep              nanoseconds 5000 5000
written-runs       cut 1 meetings 1e8 bytes 1e9 9e-3      # 1e-3 + 1e8/1.25e10
written-runs       cut 0 meetings 1e8 bytes 1e9 1e-3
partial-sectors    cut 0 parts 1e8 bytes 1e9    1e-3
partial-sectors    cut 1 parts 1e8 bytes 1e9    4.125e-3  # 1e-3 + 1e8/3.2e10
global-atomics     addresses 1 lanes 32 random 0 returning 0 warps 64 atomics 100   1e-6
global-atomics     addresses 32 lanes 1 random 0 returning 0 warps 64 atomics 100   1e-6
global-atomics     addresses 32 lanes 32 random 1 returning 0 warps 64 atomics 100  1e-6
global-atomics     addresses 32 lanes 32 random 0 returning 1 warps 64 atomics 100  1e-6
global-atomics     addresses 32 lanes 32 random 0 returning 0 warps 64 atomics 100  1.6e-3  # 2.56e6 sectors
global-atomics     addresses 256 lanes 32 random 0 returning 0 warps 64 atomics 100 0.8e-3
global-atomics     addresses 16384 lanes 32 random 0 returning 0 warps 64 atomics 100 3.2e-5
in-flight-read     I 1 warps 1 carveout 8192 bytes 3e9  45e-3
in-flight-read     I 1 warps 60 carveout 8192 bytes 3e9 1.25e-3       # 1 of DRAM and 45/60: √(1 + 9/16)
in-flight-read     I 2 warps 1 carveout 8192 bytes 3e9  40e-3
in-flight-read     I 2 warps 30 carveout 8192 bytes 3e9 1.6666667e-3  # 1 of DRAM and 40/30
in-flight-read     I 1 warps 60 carveout 233472 bytes 3e9 3.25e-3     # 3 more in 28 KiB: √(1.25² + 3²)
in-flight-read     I 1 warps 30 carveout 233472 bytes 3e9 9e-3
)";

Values parsed(const std::string& text) {
  std::istringstream words(text);
  Values values;
  std::string name;
  for (double value; words >> name >> value;) values[name] = value;
  return values;
}

Series series_of(const std::string& benchmark, const Values& coordinates, double median,
                 std::mt19937_64& random) {
  const auto found =
      std::ranges::find(benchmarks::all, benchmark, [](const Benchmark* one) { return one->name; });
  REQUIRE(found != benchmarks::all.end());
  return {benchmark,    coordinates, std::string((*found)->unit), noisy(median, 0.002, random),
          clock_of_gpu, false};
}

double norm(std::initializer_list<double> values) {  // q = s = 2
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum);
}

/// Mixes of loads of 16 bytes per lane, stores, and computation whose parts take about as long.
const char* const mixes = R"(
loads 2 stores 0 shared 0  alu 0   fma 0
loads 0 stores 0 shared 48 alu 0   fma 0
loads 2 stores 0 shared 0  alu 104 fma 0
loads 2 stores 0 shared 48 alu 0   fma 0
loads 0 stores 0 shared 48 alu 104 fma 0
loads 2 stores 0 shared 48 alu 104 fma 0
loads 2 stores 0 shared 48 alu 0   fma 104
loads 2 stores 2 shared 96 alu 0   fma 0
loads 2 stores 2 shared 96 alu 200 fma 0)";

/// Clocks of an iteration of a mix in `resident` blocks of 8 warps, from the equations of docs/law.md.
double clocks_of_mix(double resident, const Values& mix) {
  const double loads = mix.at("loads"), stores = mix.at("stores"), shared = mix.at("shared"),
               alu = mix.at("alu"), fma = mix.at("fma");
  const double bytes = 8 * 512 * (loads + stores) * multiprocessors * clock_of_gpu;
  const double dram = bytes / (stores > 0 ? 2.7e12 : 3e12), l2 = bytes / (stores > 0 ? 5e12 : 6e12);
  const double pipes = norm({8 * shared + 8 * 4 * (loads + stores), 8 * alu / 2, 8 * fma / 2.5,
                             8 * (loads + stores + shared + alu + fma) / 4, 3 * 8 / 0.4});
  const double waiting =
      alu * 4 / 2 + fma + shared + (loads > 0 ? 700 : 0) + shared / 4 * 30 + 3 * 25;  // of four chains
  const double overlapped = norm({resident * dram, resident * pipes, waiting});
  return overlapped + 0.5 * std::pow(resident, -1.4) * (resident * (l2 + pipes + waiting) - overlapped);
}

/// The lines of a table, without comments and empty ones.
std::vector<std::string> rows_of(const std::string& table) {
  std::istringstream lines(table);
  std::vector<std::string> rows;
  for (std::string line; std::getline(lines, line);) {
    line.erase(std::min(line.find('#'), line.size()));
    line.erase(line.find_last_not_of(' ') + 1);
    if (!line.empty()) rows.push_back(line);
  }
  return rows;
}

DeviceProfile measured() {
  std::mt19937_64 random(11);
  DeviceProfile profile;
  Machine<double>& machine = profile.machine;
  profile.name = machine.name = "synthetic";
  machine.multiprocessors = int(multiprocessors);
  machine.cores_per_multiprocessor = 128;
  machine.clock = Hertz{clock_of_gpu};
  machine.l2_capacity = Bytes{l2_bytes};
  machine.limits.shared_bytes_per_multiprocessor = shared_bytes;
  for (const std::string& row : rows_of(series_of_gpu)) {
    const std::size_t end = row.find(' '), last = row.rfind(' ');
    profile.series.push_back(series_of(row.substr(0, end), parsed(row.substr(end, last - end)),
                                       std::stod(row.substr(last)), random));
  }
  for (const std::string& row : rows_of(mixes))
    for (const double resident : {1., 2., 3., 4., 6., 8.}) {
      Values mix = parsed(row);
      mix.insert({{"warps", 8 * resident}, {"blocks", resident}, {"iterations", 1000}});
      profile.series.push_back(
          series_of("phases", mix, 1000 * clocks_of_mix(resident, mix) / clock_of_gpu, random));
    }
  return profile;
}

void erase(DeviceProfile& profile, const std::string& benchmark) {
  std::erase_if(profile.series, [&](const Series& one) { return one.benchmark == benchmark; });
}

void fit(DeviceProfile& profile) {
  std::mt19937_64 random(5);
  const UsableSeries usable(profile);
  fits::Fitting fitting{profile, profile.machine, usable, random, {}};
  for (const auto fit : fits::of_rates) fit(fitting);
}

std::set<std::string> missing_rates(const DeviceProfile& profile) {
  std::set<std::string> names;
  for_each_rate(profile.machine, [&](std::string_view name, const std::optional<double>& value) {
    CHECK(value.has_value() == profile.estimates.contains(std::string(name)));
    if (!value) names.emplace(name);
  });
  return names;
}

}  // namespace

TEST_CASE("the rates come back from their benchmarks, with intervals") {
  DeviceProfile profile = measured();
  fit(profile);
  CHECK(profile.warnings.empty());
  Values truths = parsed(truth_of_gpu);
  for_each_rate(profile.machine, [&](std::string_view name, const std::optional<double>& value) {
    INFO(name);
    REQUIRE(value);
    const Estimate& estimate = profile.estimates.at(std::string(name));
    CHECK(*value == estimate.value);
    REQUIRE(estimate.interval);
    CHECK(estimate.interval->low <= *value);
    CHECK(*value <= estimate.interval->high);
    CHECK(*value == Approx(truths.at(std::string(name))).epsilon(0.02));
    truths.erase(std::string(name));
  });
  CHECK(truths.empty());
}

TEST_CASE("a missing benchmark leaves absent what depends on it, and only that") {
  using Names = std::set<std::string>;
  const Names overlap{"overlap", "phase.share", "phase.decay", "wait.loaded"};
  const auto [benchmark, missing, without_overlap] = GENERATE(table<std::string, Names, bool>(
      {{"stream-dram-copy", {"dram.copy_by_grid"}, true},
       {"random-sectors", {"dram.scattered", "l2.scattered"}, false},
       {"pipe-barrier", {"pipe.barriers", "wait.barrier"}, true},
       {"in-flight-read", {"knee"}, true},
       {"written-runs", {"dram.resumed"}, false},
       {"partial-sectors", {"l2.partial"}, false},
       {"global-atomics", {"atomics.line", "atomics.kib", "atomics.64_kib"}, false},
       {"phases", {}, true}}));
  INFO(benchmark);
  DeviceProfile profile = measured();
  erase(profile, benchmark);
  fit(profile);
  Names expected = missing;
  if (without_overlap) expected.insert(overlap.begin(), overlap.end());
  CHECK(missing_rates(profile) == expected);
  CHECK(profile.warnings.empty());
}

TEST_CASE("without any series there is no rate, and nothing is said") {
  DeviceProfile profile = measured();
  profile.series.clear();
  fit(profile);
  CHECK(missing_rates(profile).size() == parsed(truth_of_gpu).size());
  CHECK(profile.warnings.empty());
}

TEST_CASE("scattered accesses are not told apart without the size of the L2") {
  DeviceProfile profile = measured();
  profile.machine.l2_capacity.reset();
  fit(profile);
  CHECK(missing_rates(profile) == std::set<std::string>{"dram.scattered", "l2.scattered"});
}

TEST_CASE("a disturbed series is left out of the rates") {
  DeviceProfile undisturbed = measured(), profile = undisturbed;
  fit(undisturbed);
  for (const char* benchmark : {"stream-dram-read", "pipe-lop3", "chase-l2", "phases"}) {
    Series wrong = *std::ranges::find(profile.series, benchmark, &Series::benchmark);
    for (double& sample : wrong.samples) sample *= 0.5;
    wrong.clock_moved = true;
    profile.series.push_back(wrong);
  }
  fit(profile);
  CHECK(profile.warnings.size() == 4);
  for (const std::string& warning : profile.warnings) CHECK_THAT(warning, Contains("the clock moved"));
  for (const auto& [name, estimate] : undisturbed.estimates) {
    INFO(name);
    CHECK(profile.estimates.at(name).value == estimate.value);
  }
}

TEST_CASE("a line that is none gives no constant but a warning") {
  DeviceProfile profile = measured();
  SECTION("a single point") {
    std::erase_if(profile.series, [](const Series& one) {
      return one.benchmark == "pipe-barrier" && one.coordinates.at("warps") > 1;
    });
  }
  SECTION("barriers that are faster with more warps") {
    for (Series& one : profile.series)
      if (one.benchmark == "pipe-barrier")
        for (double& sample : one.samples) sample = 1e-3 / one.coordinates.at("warps");
  }
  fit(profile);
  CHECK_FALSE(profile.machine.rates.barriers);
  CHECK_FALSE(profile.machine.rates.overlap);
  REQUIRE_FALSE(profile.warnings.empty());
  CHECK_THAT(profile.warnings.front(), Contains("pipe.barriers: not fitted"));
}
