// The constants of the law `counted` come back from measurements of a synthetic GPU.
#include "synthetic.h"

#include <fathom/calibration/fits/fits.h>
#include <fathom/model/constants.h>
#include <fathom/model/laws/counted.h>

#include <catch2/catch.hpp>

#include <set>

using namespace fathom;
using namespace fathom::synthetic;
using Catch::Matchers::Contains;

namespace {

constexpr double noise = 0.005;
constexpr double l2_bytes = 50e6;

Machine<double> true_machine() {
  Machine<double> machine;
  machine.name = "synthetic";
  machine.multiprocessors = 100;
  machine.cores_per_multiprocessor = 128;
  machine.clock = Hertz{clock_hz};
  machine.l2_capacity = Bytes{l2_bytes};
  machine.limits.shared_bytes_per_multiprocessor = 228 * 1024;
  machine.rates = {.dram_read = 3e12,
                   .dram_write = 2.5e12,
                   .dram_copy = 2.7e12,
                   .dram_scattered = 3e10,
                   .l2_read = 6e12,
                   .l2_write = 4e12,
                   .l2_copy = 5e12,
                   .l2_scattered = 1.5e11,
                   .dram_resumed = 1.3e10,
                   .l2_partial = 3e10,
                   .atomics_line = 1.7e9,
                   .atomics_kib = 3.4e9,
                   .atomics_64_kib = 8e10,
                   .alu = 2,
                   .fma = 2.2,
                   .issue = 3.9,
                   .wavefronts = 1,
                   .barriers = 0.4,
                   .dram_latency = 700,
                   .l2_latency = 250,
                   .shared_latency = 30,
                   .barrier_latency = 25,
                   .loaded_latency = 1500,
                   .turnover = 330,
                   .sleep = 1.7,
                   .fetch = 6,
                   .overlap = 5,
                   .knee = 2.5,
                   .phase_share = 0.5,
                   .phase_decay = 1.4};
  return machine;
}

/// What the microbenchmarks would measure on `machine`, besides what the fits must not use: launches that do
/// not reach a rate, and code or footprints of another cache.
class Measurements {
 public:
  explicit Measurements(const Machine<double>& machine) : machine_(machine), rates_(machine.rates) {
    add_streams();
    add_scattered();
    add_pipes();
    add_latencies();
    add_fetch();
    add_turnover();
    add_sleeps();
    add_in_flight();
    add_phases();
    add_written_runs();
    add_atomics();
  }
  std::vector<Series> series;

 private:
  using Coordinates = std::map<std::string, double>;

  void add(const std::string& benchmark, Coordinates coordinates, const char* unit, double truth) {
    series.push_back(
        {benchmark, std::move(coordinates), unit, noisy(truth, noise, random_), clock_hz, false});
  }

  void add_streams() {
    const double bytes = 1e9;
    for (const auto& [benchmark, rate] :
         {std::pair("stream-dram-read", rates_.dram_read), std::pair("stream-dram-write", rates_.dram_write),
          std::pair("stream-dram-copy", rates_.dram_copy), std::pair("stream-l2-read", rates_.l2_read),
          std::pair("stream-l2-write", rates_.l2_write), std::pair("stream-l2-copy", rates_.l2_copy)})
      for (const double reached : {0.6, 1., 0.9})
        add(benchmark, {{"bytes", bytes}}, "s", bytes / (reached * *rate));
  }

  void add_scattered() {
    const double sectors = 1e7;
    const auto point = [&](double bytes, double per_second) {
      add("random-sectors", {{"bytes", bytes}, {"sectors", sectors}}, "s", sectors / per_second);
    };
    point(l2_bytes / 8, 0.8 * *rates_.l2_scattered);
    point(l2_bytes / 4, *rates_.l2_scattered);
    point(l2_bytes, 0.5 * *rates_.l2_scattered);
    point(4 * l2_bytes, *rates_.dram_scattered);
    point(4 * l2_bytes, 0.7 * *rates_.dram_scattered);
    point(64 * l2_bytes, 0.5 * *rates_.dram_scattered);  // translations miss
  }

  void add_pipes() {
    const double instructions = 1e5;
    for (const auto& [benchmark, rate] :
         {std::pair("pipe-lop3", rates_.alu), std::pair("pipe-imad", rates_.fma),
          std::pair("pipe-ffma", rates_.issue), std::pair("pipe-lds4", rates_.wavefronts)}) {
      add(benchmark, {{"instructions", instructions}, {"warps", 1}}, "s", instructions / (0.2 * clock_hz));
      add(benchmark, {{"instructions", instructions}, {"warps", 64}}, "s",
          64 * instructions / (*rate * clock_hz));
    }
    for (double warps = 1; warps <= 64; warps *= 2)
      add("pipe-barrier", {{"instructions", instructions}, {"warps", warps}}, "s",
          instructions * (*rates_.barrier_latency + warps / *rates_.barriers) / clock_hz);
  }

  void add_latencies() {
    add("chase-dram", {{"bytes", 1e9}}, "clocks", *rates_.dram_latency);
    add("chase-l2", {{"bytes", 1e6}}, "clocks", *rates_.l2_latency);
    add("chase-shared", {{"bytes", 1e4}}, "clocks", *rates_.shared_latency);
  }

  void add_fetch() {
    const auto line = [&](double evicted, double flushed, double warps, double from, double to, double each) {
      for (double bytes = from; bytes <= to; bytes *= 2)
        add("instruction-fetch",
            {{"bytes", bytes},
             {"instructions", bytes / 16},
             {"warps", warps},
             {"evicted", evicted},
             {"flushed", flushed}},
            "clocks", 300 + each * bytes / 16);
    };
    const double KiB = 1024, fetch = *rates_.fetch, issue = 1.1;
    line(1, 0, 1, 4 * KiB, 32 * KiB, issue + fetch);
    line(1, 0, 1, 64 * KiB, 256 * KiB, issue + 2 * fetch);
    line(0, 0, 1, 4 * KiB, 32 * KiB, issue);
    line(0, 0, 1, 64 * KiB, 256 * KiB, issue + fetch);
    line(1, 1, 1, 4 * KiB, 64 * KiB, issue + 3 * fetch);
    line(1, 0, 4, 4 * KiB, 64 * KiB, issue + 2 * fetch);
  }

  void add_turnover() {
    for (const double in_a_row : {64., 512.})
      add("block-turnover", {{"blocks", in_a_row * machine_.multiprocessors}}, "s",
          2e-6 + in_a_row * *rates_.turnover / clock_hz);
  }

  void add_sleeps() {
    for (const double nanoseconds : {500., 2500., 5000.})
      add("sleep", {{"nanoseconds", nanoseconds}}, "clocks",
          (nanoseconds == 2500 ? *rates_.sleep : 1) * nanoseconds * 1e-9 * clock_hz);
  }

  void add_written_runs() {
    const double meetings = 1e8, whole = 1e-3;  // so many that noise hardly matters
    for (const bool cut : {true, false})
      add("written-runs", {{"cut", cut}, {"meetings", meetings}, {"bytes", 1e9}}, "s",
          whole + (cut ? meetings / *rates_.dram_resumed : 0));
    const double parts = 1e8;
    for (const bool cut : {false, true})
      add("partial-sectors", {{"cut", cut}, {"parts", parts}, {"bytes", 1e9}}, "s",
          whole + (cut ? parts / *rates_.l2_partial : 0));
  }

  void add_atomics() {
    const auto point = [&](double addresses, double lanes, bool random, bool returning, double per_second) {
      const double warps = 64, atomics = 100;
      add("global-atomics",
          {{"addresses", addresses},
           {"lanes", lanes},
           {"random", random},
           {"returning", returning},
           {"warps", warps},
           {"atomics", atomics}},
          "s", machine_.multiprocessors * warps * atomics * lanes / 8 / per_second);
    };
    for (const auto& [addresses, rate] :
         {std::pair(32., rates_.atomics_line), std::pair(256., rates_.atomics_kib),
          std::pair(16384., rates_.atomics_64_kib)}) {
      point(addresses, 32, false, false, *rate);
      point(addresses, 32, false, true, 0.5 * *rate);
      point(addresses, 32, true, false, 0.5 * *rate);
      point(addresses, 1, false, false, 0.5 * *rate);
    }
    point(1, 32, false, false, 0.1 * *rates_.atomics_line);
  }

  /// Reads of 16 bytes per lane, I at a time. Few warps have room in the L1 for all they load, if there is
  /// any at all.
  void add_in_flight() {
    const double most = machine_.limits.shared_bytes_per_multiprocessor;
    for (const double I : {1., 2., 4., 8.}) {
      add_in_flight(I, 64, 8 * 1024);
      for (double warps = 1; warps <= 64; warps *= 2)
        for (const double carveout : {132. * 1024, most}) add_in_flight(I, warps, carveout);
    }
  }

  void add_in_flight(double I, double warps, double carveout) {
    const double clocks_per_second = machine_.multiprocessors * clock_hz, bytes = 1e9;
    const double room = machine_.limits.shared_bytes_per_multiprocessor + least_l1_bytes - carveout;
    const double waiting = *rates_.dram_latency / (512 * I * warps) / clocks_per_second;
    const double in_flight = *rates_.loaded_latency / room / clocks_per_second;
    const double q = *rates_.overlap, s = *rates_.knee;
    const double work = std::pow(std::pow(1 / *rates_.dram_read, q) + std::pow(in_flight, q), 1 / q);
    add("in-flight-read", {{"I", I}, {"warps", warps}, {"carveout", carveout}, {"bytes", bytes}}, "s",
        bytes * std::pow(std::pow(work, s) + std::pow(waiting, s), 1 / s));
  }

  /// Mixes of loads of 16 bytes per lane, stores, and computation whose parts take about as long, in blocks
  /// of 8 warps.
  void add_phases() {
    struct Mix {
      double loads, stores, shared, alu, fma;
    };
    Machine<double> machine = machine_;
    machine.kernel_gap = 0;
    machine.rates.turnover = 0;
    machine.rates.fetch = machine.rates.loaded_latency = 0;
    const double warps = 8, iterations = 1000;
    for (const double resident : {1., 2., 3., 4., 6., 8.})
      for (const Mix& mix : {Mix{2, 0, 0, 0, 0}, Mix{0, 0, 48, 0, 0}, Mix{2, 0, 0, 104, 0},
                             Mix{2, 0, 48, 0, 0}, Mix{0, 0, 48, 104, 0}, Mix{2, 0, 48, 104, 0},
                             Mix{2, 0, 48, 0, 104}, Mix{2, 2, 96, 0, 0}, Mix{2, 2, 96, 200, 0}}) {
        const Work work{.instructions = warps * (mix.loads + mix.stores + mix.shared + mix.alu + mix.fma),
                        .alu = warps * mix.alu,
                        .fma = warps * mix.fma,
                        .shared_wavefronts = warps * mix.shared,
                        .global_lines = 4 * warps * (mix.loads + mix.stores),
                        .lines_read = 4 * warps * mix.loads,
                        .sectors_read = 16 * warps * mix.loads,
                        .sectors_written = 16 * warps * mix.stores,
                        .bytes_read = 512 * warps * mix.loads,
                        .bytes_written = 512 * warps * mix.stores,
                        .issue_clocks = mix.alu * 4 / *rates_.alu + mix.fma + mix.shared,
                        .global_waits = mix.loads > 0 ? 1. : 0.,
                        .shared_waits = mix.shared / 4,  // of four chains
                        .barriers = 3};
        const LaunchShape shape{.blocks = resident * machine.multiprocessors,
                                .threads_per_block = int(32 * warps),
                                .resident = int(resident)};
        add("phases",
            {{"loads", mix.loads},
             {"stores", mix.stores},
             {"shared", mix.shared},
             {"alu", mix.alu},
             {"fma", mix.fma},
             {"warps", warps * resident},
             {"blocks", resident},
             {"iterations", iterations}},
            "s", iterations * launch_time(work, shape, machine).busy);
      }
  }

  const Machine<double>& machine_;
  const Rates<double>& rates_;
  std::mt19937_64 random_{11};
};

DeviceProfile measured() {
  DeviceProfile profile;
  profile.name = profile.machine.name = "synthetic";
  const Machine<double> truth = true_machine();
  profile.machine = truth;
  profile.machine.rates = {};
  profile.series = Measurements(truth).series;
  return profile;
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
  std::map<std::string, double> truths;
  const Machine<double> truth = true_machine();
  for_each_rate(truth, [&](std::string_view name, const std::optional<double>& value) {
    truths[std::string(name)] = value.value();
  });
  for_each_rate(profile.machine, [&](std::string_view name, const std::optional<double>& value) {
    INFO(name);
    REQUIRE(value);
    const Estimate& estimate = profile.estimates.at(std::string(name));
    CHECK(*value == estimate.value);
    REQUIRE(estimate.interval);
    CHECK(estimate.interval->low <= *value);
    CHECK(*value <= estimate.interval->high);
    CHECK(*value == Approx(truths.at(std::string(name))).epsilon(0.02));
  });
}

TEST_CASE("a missing benchmark leaves absent what depends on it, and only that") {
  using Names = std::set<std::string>;
  const Names overlap{"overlap", "phase.share", "phase.decay", "wait.loaded"};
  const auto and_overlap = [&](Names names) {
    names.insert(overlap.begin(), overlap.end());
    return names;
  };
  const auto [benchmark, missing] = GENERATE_REF(
      table<std::string, Names>({{"stream-dram-copy", and_overlap({"dram.copy"})},
                                 {"random-sectors", {"dram.scattered", "l2.scattered"}},
                                 {"pipe-barrier", and_overlap({"pipe.barriers", "wait.barrier"})},
                                 {"in-flight-read", and_overlap({"knee"})},
                                 {"written-runs", {"dram.resumed"}},
                                 {"partial-sectors", {"l2.partial"}},
                                 {"global-atomics", {"atomics.line", "atomics.kib", "atomics.64_kib"}},
                                 {"phases", overlap}}));
  INFO(benchmark);
  DeviceProfile profile = measured();
  const std::string& left_out = benchmark;  // which lambdas can capture
  std::erase_if(profile.series, [&](const Series& one) { return one.benchmark == left_out; });
  fit(profile);
  CHECK(missing_rates(profile) == missing);
  CHECK(profile.warnings.empty());
}

TEST_CASE("without any series there is no rate, and nothing is said") {
  DeviceProfile profile = measured();
  profile.series.clear();
  fit(profile);
  std::size_t rates = 0;
  for_each_rate(profile.machine, [&](std::string_view, const auto&) { ++rates; });
  CHECK(missing_rates(profile).size() == rates);
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
    const auto found = std::ranges::find(profile.series, benchmark, &Series::benchmark);
    Series wrong = *found;
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
