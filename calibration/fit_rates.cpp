#include <fathom/calibration/fit_level.h>
#include <fathom/calibration/fit_rates.h>
#include <fathom/calibration/least_squares.h>
#include <fathom/model/laws/counted.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>

namespace fathom {
namespace {

using SeriesList = std::vector<const Series*>;
/// The time of a series: its median, or one of a bootstrap.
using TimeOf = std::function<double(const Series&)>;

constexpr int resamples = 100, resamples_of_overlap = 10;

double at(const Series& series, const char* coordinate) {
  return series.coordinates.at(coordinate);
}

class RateFit {
 public:
  RateFit(DeviceProfile& profile, const UsableSeries& usable, std::mt19937_64& random)
      : profile_(profile), machine_(profile.machine), usable_(usable), random_(random) {}

  void fit_streams() {
    for (const auto& [constant, benchmark] :
         {std::pair("dram.read", "stream-dram-read"), std::pair("dram.write", "stream-dram-write"),
          std::pair("dram.copy", "stream-dram-copy"), std::pair("l2.read", "stream-l2-read"),
          std::pair("l2.write", "stream-l2-write"), std::pair("l2.copy", "stream-l2-copy")})
      set(constant, usable_.of(benchmark, {"bytes"}), [](const SeriesList& series, const TimeOf& time) {
        return largest(series, [&](const Series& one) { return at(one, "bytes") / time(one); });
      });
  }

  /// Footprints within a quarter of the L2, and the smallest of at least twice its size: with larger ones,
  /// translations of addresses miss, too.
  void fit_scattered() {
    if (!machine_.l2_capacity) return;
    const double l2 = machine_.l2_capacity->value;
    SeriesList held, missed;
    for (const Series* one : usable_.of("random-sectors", {"bytes", "sectors"})) {
      const double bytes = at(*one, "bytes");
      if (bytes <= l2 / 4) held.push_back(one);
      if (bytes < 2 * l2) continue;
      if (!missed.empty() && at(*missed.front(), "bytes") > bytes) missed.clear();
      if (missed.empty() || at(*missed.front(), "bytes") == bytes) missed.push_back(one);
    }
    const auto rate = [](const SeriesList& series, const TimeOf& time) {
      return largest(series, [&](const Series& one) { return at(one, "sectors") / time(one); });
    };
    set("l2.scattered", held, rate);
    set("dram.scattered", missed, rate);
  }

  /// Of integer code: IMAD has half the rate of FFMA. FFMA alone fills all issue slots.
  void fit_pipes() {
    for (const auto& [constant, benchmark] :
         {std::pair("pipe.alu", "pipe-lop3"), std::pair("pipe.fma", "pipe-imad"),
          std::pair("pipe.issue", "pipe-ffma"), std::pair("pipe.wavefronts", "pipe-lds4")})
      set(constant, clocked(benchmark, {"instructions", "warps"}),
          [](const SeriesList& series, const TimeOf& time) {
            return largest(series, [&](const Series& one) {
              return at(one, "instructions") * at(one, "warps") / (time(one) * one.clock_hz);
            });
          });
  }

  void fit_latencies() {
    for (const auto& [constant, benchmark] :
         {std::pair("wait.dram", "chase-dram"), std::pair("wait.l2", "chase-l2"),
          std::pair("wait.shared", "chase-shared")})
      set(constant, usable_.of(benchmark), [](const SeriesList& series, const TimeOf& time) {
        double sum = 0;
        for (const Series* one : series) sum += time(*one) / double(series.size());
        return sum;
      });
    // A barrier of w warps takes its latency and, one after another, their passes.
    const SeriesList barriers = clocked("pipe-barrier", {"instructions", "warps"});
    const auto line = [](const SeriesList& series, const TimeOf& time) {
      std::vector<std::pair<double, double>> points;
      for (const Series* one : series)
        points.emplace_back(at(*one, "warps"), time(*one) * one->clock_hz / at(*one, "instructions"));
      return fitted_line(points);
    };
    set("pipe.barriers", barriers,
        [&](const SeriesList& series, const TimeOf& time) { return 1 / line(series, time).slope; });
    set("wait.barrier", barriers,
        [&](const SeriesList& series, const TimeOf& time) { return line(series, time).at_zero; });
  }

  /// What code that ran before and has been displaced since, but not from the L2, takes longer than code in
  /// the nearest cache, as far as that holds it.
  void fit_fetch() {
    constexpr double nearest_cache = 32 * 1024;
    SeriesList series;
    for (const Series* one :
         usable_.of("instruction-fetch", {"bytes", "evicted", "flushed", "instructions", "warps"}))
      if (at(*one, "flushed") == 0 && at(*one, "warps") == 1 && at(*one, "bytes") <= nearest_cache)
        series.push_back(one);
    set("fetch", series, [](const SeriesList& points, const TimeOf& time) {
      std::map<double, double> cached;  // by the number of instructions
      for (const Series* one : points)
        if (at(*one, "evicted") == 0) cached[at(*one, "instructions")] = time(*one);
      std::vector<std::pair<double, double>> extra;
      for (const Series* one : points) {
        const auto near = cached.find(at(*one, "instructions"));
        if (at(*one, "evicted") == 1 && near != cached.end())
          extra.emplace_back(near->first, time(*one) - near->second);
      }
      return fitted_line(extra).slope;
    });
  }

  /// What a copy takes longer if its runs meet within sectors.
  void fit_resumed() {
    SeriesList series = usable_.of("written-runs", {"cut", "meetings"});
    std::ranges::sort(series, {}, [](const Series* one) { return at(*one, "cut"); });
    if (series.size() != 2) return;
    set("dram.resumed", series, [](const SeriesList& points, const TimeOf& time) {
      return at(*points.back(), "meetings") / (time(*points.back()) - time(*points.front()));
    });
  }

  /// Every lane of every warp changes a word of its own, but warps have the same ones.
  void fit_atomics() {
    constexpr double words_per_sector = 8, lanes = 32;
    for (const auto& [constant, words] :
         {std::pair("atomics.line", 32), std::pair("atomics.kib", 256), std::pair("atomics.64_kib", 16384)}) {
      SeriesList series;
      for (const Series* one :
           usable_.of("global-atomics", {"addresses", "lanes", "random", "returning", "warps", "atomics"}))
        if (at(*one, "addresses") == words && at(*one, "lanes") == lanes && at(*one, "random") == 0 &&
            at(*one, "returning") == 0)
          series.push_back(one);
      set(constant, series, [&](const SeriesList& points, const TimeOf& time) {
        const Series& one = *points.front();
        return machine_.multiprocessors * at(one, "warps") * at(one, "atomics") * lanes / words_per_sector /
               time(one);
      });
    }
  }

  /// With one block on each multiprocessor, one begins when the one before has ended.
  void fit_turnover() {
    set("wait.turnover", usable_.of("block-turnover", {"blocks"}),
        [&](const SeriesList& series, const TimeOf& time) {
          std::vector<std::pair<double, double>> line;
          for (const Series* one : series)
            line.emplace_back(at(*one, "blocks") / machine_.multiprocessors,
                              time(*one) * machine_.clock.value);
          return fitted_line(line).slope;
        });
  }

  /// Of the length for which kernels here ask.
  void fit_sleep() {
    SeriesList series = clocked("sleep", {"nanoseconds"});
    std::erase_if(series, [](const Series* one) { return at(*one, "nanoseconds") != 2500; });
    set("sleep", series, [](const SeriesList& points, const TimeOf& time) {
      const Series& one = *points.front();
      return time(one) / one.clock_hz / (1e-9 * at(one, "nanoseconds"));
    });
  }

  /// s, from reads of DRAM with few to many warps: rates between what latency allows and what DRAM does. With
  /// the least L1, the room for loads in flight would limit them, too.
  void fit_knee() {
    SeriesList series = usable_.of("in-flight-read", {"I", "bytes", "carveout", "warps"});
    if (!machine_.rates.dram_read) return;
    std::erase_if(series, [&](const Series* one) { return is_cramped(*one); });
    set("knee", series, [&](const SeriesList& points, const TimeOf& time) {
      std::map<double, std::pair<double, double>> slowest;  // by I: warps, bytes per second and warp
      for (const Series* one : points) {
        auto& [warps, rate] = slowest.try_emplace(at(*one, "I"), 1e9, 0).first->second;
        if (at(*one, "warps") >= warps) continue;
        warps = at(*one, "warps");
        rate = at(*one, "bytes") / time(*one) / warps;
      }
      const auto residuals = [&](const Eigen::VectorXd& x, Eigen::VectorXd& result) {
        const double s = knees.value(x[0]);
        Eigen::Index i = 0;
        for (const Series* one : points) {
          const double waiting = 1 / (slowest.at(at(*one, "I")).second * at(*one, "warps"));
          const double both =
              std::pow(std::pow(waiting, s) + std::pow(1 / *machine_.rates.dram_read, s), 1 / s);
          result[i++] = std::log(both * at(*one, "bytes") / time(*one));
        }
      };
      const Eigen::VectorXd start = Eigen::VectorXd::Constant(1, knees.free(2.5));
      return knees.value(minimise(residuals, int(points.size()), {start}, 100).x[0]);
    });
  }

  /// q, and the phases' share and decay, from mixes of resources in blocks that come and go. The law itself
  /// predicts them.
  void fit_overlap(const Progress& progress) {
    const Rates<double>& rates = machine_.rates;
    const SeriesList series =
        clocked("phases", {"alu", "blocks", "fma", "iterations", "loads", "shared", "stores", "warps"});
    for (const auto* needed :
         {&rates.dram_read, &rates.dram_write, &rates.dram_copy, &rates.l2_read, &rates.l2_write,
          &rates.l2_copy, &rates.alu, &rates.fma, &rates.issue, &rates.wavefronts, &rates.barriers,
          &rates.dram_latency, &rates.l2_latency, &rates.shared_latency, &rates.barrier_latency, &rates.knee})
      if (!*needed) return;
    SeriesList mixes;
    for (const Series* one : series)
      if ((at(*one, "loads") > 0) + (at(*one, "shared") > 0) + (at(*one, "alu") > 0) + (at(*one, "fma") > 0) >
          1)
        mixes.push_back(one);
    if (mixes.size() < 8) return;
    const auto fit = [&](const TimeOf& time) {
      const auto residuals = [&](const Eigen::VectorXd& x, Eigen::VectorXd& result) {
        Machine<double> machine = mixing_machine();
        machine.rates.overlap = overlaps.value(x[0]);
        machine.rates.phase_share = shares.value(x[1]);
        machine.rates.phase_decay = decays.value(x[2]);
        Eigen::Index i = 0;
        for (const Series* one : mixes)
          result[i++] = std::log(seconds_of_iteration(*one, machine) * at(*one, "iterations") / time(*one));
      };
      Eigen::VectorXd start(3);
      start << overlaps.free(5), shares.free(0.4), decays.free(1.5);
      return minimise(residuals, int(mixes.size()), {start}, 200).x;
    };
    const Eigen::VectorXd found = fit(median);
    std::array<std::vector<double>, 3> draws;
    for (int i = 0; i < resamples_of_overlap; ++i) {
      if (progress) progress("fitting how resources overlap", std::size_t(i), resamples_of_overlap);
      const Eigen::VectorXd drawn = fit(resampled(mixes));
      draws[0].push_back(overlaps.value(drawn[0]));
      draws[1].push_back(shares.value(drawn[1]));
      draws[2].push_back(decays.value(drawn[2]));
    }
    set_constant(profile_, "overlap", overlaps.value(found[0]), draws[0]);
    set_constant(profile_, "phase.share", shares.value(found[1]), draws[1]);
    set_constant(profile_, "phase.decay", decays.value(found[2]), draws[2]);
  }

  /// What holds loads back if the L1 has little room: the rate that is lost when shared memory takes most of
  /// it, as the law explains it.
  void fit_loaded_latency() {
    const auto& q = machine_.rates.overlap;
    const double most = machine_.limits.shared_bytes_per_multiprocessor;
    SeriesList roomy, cramped;  // with the most warps and loads per thread
    for (const Series* one : usable_.of("in-flight-read", {"I", "bytes", "carveout", "warps"})) {
      const auto deeper = [&](const Series* other) {
        return std::pair(at(*one, "warps"), at(*one, "I")) > std::pair(at(*other, "warps"), at(*other, "I"));
      };
      if (!is_cramped(*one) && at(*one, "carveout") > most / 8) continue;
      SeriesList& list = is_cramped(*one) ? cramped : roomy;
      if (!list.empty() && deeper(list.front())) list.clear();
      if (list.empty() || (!deeper(list.front()) && at(*one, "I") == at(*list.front(), "I") &&
                           at(*one, "warps") == at(*list.front(), "warps")))
        list.push_back(one);
    }
    if (!q || roomy.empty() || cramped.empty()) return;
    SeriesList both = roomy;
    std::ranges::copy(cramped, std::back_inserter(both));
    set("wait.loaded", both, [&](const SeriesList&, const TimeOf& time) {
      const auto per_byte = [&](const SeriesList& series) {
        double sum = 0;
        for (const Series* one : series) sum += time(*one) / at(*one, "bytes") / double(series.size());
        return sum;
      };
      const double free = per_byte(roomy), slower = std::max(per_byte(cramped), free * (1 + 1e-6));
      const double in_flight = std::pow(std::pow(slower, *q) - std::pow(free, *q), 1 / *q);
      return in_flight * machine_.clock.value * machine_.multiprocessors * least_l1_bytes;
    });
  }

 private:
  static constexpr Bounded knees{1, 20}, overlaps{1, 40}, shares{0.01, 1}, decays{0.1, 8};

  struct Line {
    double at_zero, slope;
  };
  /// By least squares.
  static Line fitted_line(const std::vector<std::pair<double, double>>& points) {
    double x = 0, y = 0, xx = 0, xy = 0;
    for (const auto& [px, py] : points) x += px / double(points.size()), y += py / double(points.size());
    for (const auto& [px, py] : points) xx += (px - x) * (px - x), xy += (px - x) * (py - y);
    const double slope = xy / xx;
    return {y - slope * x, slope};
  }

  /// Whether the launches asked for all the shared memory, which leaves the least L1 to loads in flight.
  bool is_cramped(const Series& in_flight) const {
    return at(in_flight, "carveout") >= machine_.limits.shared_bytes_per_multiprocessor;
  }

  template <class Rate>
  static double largest(const SeriesList& series, Rate rate) {
    double best = 0;
    for (const Series* one : series) best = std::max(best, rate(*one));
    return best;
  }

  SeriesList clocked(const std::string& benchmark, std::initializer_list<const char*> keys) const {
    SeriesList series = usable_.of(benchmark, keys);
    std::erase_if(series, [](const Series* one) { return !(one->clock_hz > 0); });
    return series;
  }

  /// Times of one draw of a bootstrap: always the same for a series.
  TimeOf resampled(const SeriesList& series) {
    std::map<const Series*, double> times;
    for (const Series* one : series) times[one] = resampled_median(one->samples, random_);
    return [times](const Series& one) { return times.at(&one); };
  }

  /// Sets the constant that `value(series, time)` finds, if there is a series and it is a number.
  template <class Value>
  void set(const char* constant, const SeriesList& series, Value value) {
    if (series.empty()) return;
    const double estimate = value(series, median);
    if (!physical_range(constant).holds(estimate)) {
      profile_.warnings.push_back(fmt::format("{}: not fitted, its benchmark shows no such thing", constant));
      return;
    }
    std::vector<double> draws;
    for (int i = 0; i < resamples; ++i) draws.push_back(value(series, resampled(series)));
    set_constant(profile_, constant, estimate, draws);
  }

  /// Without all that a long launch of mixes does not see.
  Machine<double> mixing_machine() const {
    Machine<double> machine = machine_;
    machine.kernel_gap = 0;
    machine.dram_start.reset();
    machine.block_start.reset();
    machine.warp_start.reset();
    machine.rates.turnover = 0;
    machine.l2_half.reset();
    machine.l2_half_reading.reset();
    machine.rates.fetch = 0;
    machine.rates.loaded_latency = 0;
    return machine;
  }

  /// One iteration of the mix (microbench/cores/mix.cpp) of all resident blocks.
  static double seconds_of_iteration(const Series& mix, const Machine<double>& machine) {
    const double warps = at(mix, "warps") / at(mix, "blocks");
    const double loads = at(mix, "loads"), stores = at(mix, "stores"), shared = at(mix, "shared"),
                 alu = at(mix, "alu"), fma = at(mix, "fma");
    constexpr double lines = 4, sectors = 16, bytes = 512, chains = 4, barriers = 3;  // 16 bytes per lane
    Work work;
    work.alu = warps * alu;
    work.fma = warps * fma;
    work.instructions = warps * (alu + fma + shared + loads + stores);
    work.shared_wavefronts = warps * shared;
    work.global_lines = warps * lines * (loads + stores);
    work.lines_read = warps * lines * loads;
    work.sectors_read = warps * sectors * loads;
    work.sectors_written = warps * sectors * stores;
    work.bytes_read = warps * bytes * loads;
    work.bytes_written = warps * bytes * stores;
    work.global_waits = loads > 0 ? 1 : 0;
    work.shared_waits = shared / chains;
    work.issue_clocks = alu / *machine.rates.alu * 4 + fma + shared;  // four schedulers share a pipe's rate
    work.barriers = barriers;
    const double resident = at(mix, "blocks");
    return launch_time(work,
                       {.blocks = resident * machine.multiprocessors,
                        .threads_per_block = int(32 * warps),
                        .resident = int(resident)},
                       machine)
        .busy;
  }

  DeviceProfile& profile_;
  Machine<double>& machine_;
  const UsableSeries& usable_;
  std::mt19937_64& random_;
};

}  // namespace

void fit_rates(DeviceProfile& profile, const UsableSeries& usable, std::mt19937_64& random,
               const Progress& progress) {
  RateFit fit(profile, usable, random);
  fit.fit_streams();
  fit.fit_scattered();
  fit.fit_pipes();
  fit.fit_latencies();
  fit.fit_fetch();
  fit.fit_turnover();
  fit.fit_sleep();
  fit.fit_knee();
  fit.fit_overlap(progress);
  fit.fit_loaded_latency();
  fit.fit_resumed();
  fit.fit_atomics();
}

}  // namespace fathom
