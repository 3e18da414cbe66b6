#include <fathom/model/counted.h>
#include <fathom/model/predict.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>

namespace fathom {

namespace {

using real::exp;
using real::log;
using real::max;
using real::plain;
using std::ceil;

// Equal with its derivative, so that functions of both are equal, too.
bool same(double a, double b) {
  return a == b;
}
bool same(const Dual& a, const Dual& b) {
  return a[0] == b[0] && a[1] == b[1];
}

/// Clocks that a phase spends at one level, and how many of them each branch of the law contributes.
template <class Real>
struct LevelClocks {
  Real clocks{0};
  double accesses = 0;
  double bandwidth_limited = 0,
         latency_limited = 0;  ///< clocks of accesses for which this branch is the larger one

  void add(double count, const Real& time, bool by_bandwidth) {
    clocks += time;
    accesses += count;
    (by_bandwidth ? bandwidth_limited : latency_limited) += plain(time);
  }
  Limit limit() const { return bandwidth_limited >= latency_limited ? Limit::bandwidth : Limit::latency; }
};

template <class Real>
using PhaseClocks = std::array<LevelClocks<Real>, all_levels.size()>;

// ---- the law `published` (models.md §1) ----

bool takes_ceiling(const Law& law, bool printed) {
  return law.ceiling == Ceiling::always || (law.ceiling == Ceiling::as_printed && printed);
}

/// Like required(), but builds the name only if the constant is missing.
template <class Real>
const Real& constant(const std::optional<Real>& value, Level level, std::string_view which,
                     const Machine<Real>& machine) {
  if (value) return *value;
  return required(value, std::string(name(level)) + '.' + std::string(which), machine.name);
}

/// A_P·max(1/B, [ceil] L/(X·I)). A conflict of degree β means A·β accesses, and the extra ones are
/// independent: X·I becomes X·I·β.
template <class Real>
void add_published(PhaseClocks<Real>& clocks, const Phase<Real>& phase, const Access<Real>& access,
                   const Machine<Real>& machine, const Law& law) {
  if (!phase.multiplicity)
    throw std::invalid_argument("phase " + std::string(phase.name) + " has no published multiplicity");
  const LevelConstants<Real>& level = machine.at(access.level);
  const Real parallel_accesses = access.count * access.conflict / machine.P();
  const Real by_bandwidth = 1 / constant(level.bandwidth, access.level, "bandwidth", machine);
  Real by_latency = constant(level.latency, access.level, "latency", machine) /
                    (*phase.multiplicity * access.parallelism * access.conflict);
  if (takes_ceiling(law, access.ceiling)) by_latency = ceil(by_latency);
  clocks[std::size_t(access.level)].add(
      plain(access.count), parallel_accesses * max(by_bandwidth, by_latency), !(by_bandwidth < by_latency));
}

// ---- the law `calibrated` (models.md §9) ----

/// How the blocks of a launch fill the machine.
struct Waves {
  double full;         ///< waves with the maximum number of resident blocks on every multiprocessor
  double full_blocks;  ///< on one multiprocessor in a full wave
  double last_blocks;  ///< on the fullest multiprocessor in the last, partial wave; 0 if there is none
  double X_of_a_block;

  double first_blocks() const { return full > 0 ? full_blocks : last_blocks; }
  double all_blocks() const { return full * full_blocks + last_blocks; }  ///< on the fullest multiprocessor
  double typical_X() const { return first_blocks() * X_of_a_block; }
};

template <class Real>
Waves waves(const Phase<Real>& phase, const Machine<Real>& machine) {
  const int resident = resident_blocks(phase, machine.limits);
  if (resident == 0)
    throw BlockTooLarge("no multiprocessor of '" + machine.name + "' holds a block of phase " +
                        std::string(phase.name) + ": " + std::to_string(phase.threads_per_block) +
                        " threads with " + std::to_string(long(phase.shared_bytes_per_block)) +
                        " bytes of shared memory");
  const double full = std::floor(phase.blocks / (double(resident) * machine.multiprocessors));
  const double rest = phase.blocks - full * resident * machine.multiprocessors;
  return {full, double(resident), std::ceil(rest / machine.multiprocessors),
          double(phase.threads_per_block) / machine.cores_per_multiprocessor};
}

/// (a^s + b^s)^(1/s); the maximum if there is no s. An s below 1 counts as 1, the sum: it has no meaning, and
/// the power would overflow.
template <class Real>
Real smooth_maximum(const Real& a, const Real& b, const std::optional<Real>& s) {
  const Real& most = a < b ? b : a;
  const Real& least = a < b ? a : b;
  if (!s || !(least > 0)) return most;
  const Real sharpness = max(Real(1), *s);
  const Real log_u = sharpness * log(Real(least / most));  // u = (least/most)^s
  if (log_u < -18) return most;                            // u/s < 2e-8: not measurable
  const Real u = exp(log_u);
  // Far from the knee, where most accesses are, the first-order expansion is exact to 1e-8.
  if (u < 1e-4) return most * (1 + u / sharpness);
  return most * exp(Real(log(Real(1 + u)) / sharpness));
}

/// The load of a phase on one level, per thread and over all launches.
template <class Real>
struct LevelLoad {
  Real throughput{0};  ///< Σ a·β/B: clocks of the level's pipeline, to be multiplied by X
  Real latency{0};     ///< Σ a·(L/I + c + d): clocks that the thread waits
  double accesses = 0;

  void add(const Access<Real>& access, const Real& per_thread, Level served_by,
           const Machine<Real>& machine) {
    const LevelConstants<Real>& level = machine.at(served_by);
    const Real& B = constant(level.bandwidth, served_by, "bandwidth", machine);
    Real wait = constant(level.latency, served_by, "latency", machine) / access.parallelism;
    if (level.issue) wait += *level.issue;
    if (served_by == Level::shared && access.conflict > 1)
      wait += conflict_delay(access.conflict, B, machine);
    throughput += per_thread * access.conflict / B;
    latency += per_thread * wait;
  }

  /// A warp access with conflicts occupies its multiprocessor's pipeline for β wavefronts of w/(B·cores)
  /// clocks, and its last data arrive β − 1 wavefronts late (models.md §8). Independent accesses do not hide
  /// this delay, since they queue behind it in the same pipeline; so it is not part of L/I. (β − 1)/B would
  /// charge a single warp for the wavefronts of all others, which X·β/B already covers. Global memory has no
  /// such delay: there β counts words moved per word requested, and the sectors of a warp travel in parallel
  /// and arrive no later than one alone.
  static Real conflict_delay(const Real& conflict, const Real& B, const Machine<Real>& machine) {
    return (conflict - 1) * (machine.warp_width / (B * double(machine.cores_per_multiprocessor)));
  }
};

/// The load of a phase on every level.
template <class Real>
struct Loads {
  std::array<LevelLoad<Real>, all_levels.size()> levels{};
  Real share_of_l2;               ///< for elements whose reuse distance is the whole footprint
  Real chain{0};                  ///< Λ: the sum of a thread's latencies over all its accesses and levels
  std::optional<Real> sharpness;  ///< from the phase

  Loads(const Phase<Real>& phase, const Machine<Real>& machine)
      : share_of_l2(l2_share(phase.footprint_bytes, phase.reads_only, machine)),
        sharpness(phase.memory_sharpness) {
    const double threads = phase.blocks * phase.threads_per_block;
    for (const Access<Real>& access : phase.accesses) {
      const Real per_thread = access.count / threads;
      const Real share =
          access.reuse_bytes ? l2_share(*access.reuse_bytes, phase.reads_only, machine) : share_of_l2;
      if (access.level == Level::global && share > 0) {
        at(Level::global).add(access, Real(per_thread * (1 - share)), Level::global, machine);
        at(Level::l2).add(access, Real(per_thread * share), Level::l2, machine);
        at(Level::global).accesses += plain(Real(access.count * (1 - share)));
        at(Level::l2).accesses += plain(Real(access.count * share));
      } else {
        at(access.level).add(access, per_thread, access.level, machine);
        at(access.level).accesses += plain(access.count);
      }
    }
    for (const LevelLoad<Real>& level : levels) chain += level.latency;
  }

  Real throughput() const {
    Real sum{0};
    for (const LevelLoad<Real>& level : levels) sum += level.throughput;
    return sum;
  }

  LevelLoad<Real>& at(Level level) { return levels[std::size_t(level)]; }
  const LevelLoad<Real>& at(Level level) const { return levels[std::size_t(level)]; }

  /// s of global accesses: the mean of DRAM's and the L2's, weighted by their pipeline time.
  std::optional<Real> memory_sharpness(const Machine<Real>& machine) const {
    if (sharpness) return sharpness;
    const auto& dram = machine.at(Level::global).sharpness;
    const auto& l2 = machine.at(Level::l2).sharpness;
    const Real &from_dram = at(Level::global).throughput, &from_l2 = at(Level::l2).throughput;
    if (!(from_l2 > 0)) return dram;
    if (!dram || !l2) return std::nullopt;
    return Real((from_dram * *dram + from_l2 * *l2) / (from_dram + from_l2));
  }
};

/// Times of the levels in one wave at multiplicity X. With one level this is the law of models.md §9,
/// ((X/B)^s + (L/I + c)^s)^(1/s). With several, a thread makes all its accesses one after another: each level
/// sees it again only after the whole chain Λ, not just after the level's own latency, so that T_l =
/// ((X·throughput_l)^s + Λ^s)^(1/s). With each level's own latency in T_l, as in the published law, a single
/// block would wait only for the slowest level (q → ∞), or a full machine would get no overlap (q = 1): on an
/// H200 no q fitted both small and large n.
template <class Real>
struct WaveTimes {
  const Real& chain;  ///< Λ
  std::array<Real, 3>
      times;  ///< T_l of global (one T: L2 and DRAM serve shares of the same accesses), shared, registers
  Real sum, most;

  WaveTimes(const Loads<Real>& loads, double X, const Machine<Real>& machine)
      : chain(loads.chain),
        times{time(loads.at(Level::global).throughput + loads.at(Level::l2).throughput, X,
                   loads.memory_sharpness(machine)),
              time(loads.at(Level::shared).throughput, X, machine.at(Level::shared).sharpness),
              time(loads.at(Level::registers).throughput, X, machine.at(Level::registers).sharpness)},
        sum(times[0] + times[1] + times[2] - 2 * chain),
        most(max(max(times[0], times[1]), times[2])) {}

  /// While one thread waits, others use the levels, so throughputs overlap to the extent given by q. Λ is
  /// part of every T_l but counts once: T^q = Λ^q + Σ_l (T_l^q − Λ^q).
  Real composed(double q) const {
    if (q == 1 || !(most > 0)) return sum;
    if (std::isinf(q)) return most;
    const Real of_chain = power(chain, q);
    // Most levels only wait: their time is Λ. Powers are what fits spend most of their time on.
    const auto of = [&](const Real& time) { return same(time, chain) ? of_chain : power(time, q); };
    const Real powers = of(times[0]) + of(times[1]) + of(times[2]) - 2 * of_chain;
    return most * exp(Real(log(powers) / q));
  }

 private:
  Real time(const Real& throughput, double X, const std::optional<Real>& sharpness) const {
    return throughput > 0 ? smooth_maximum(Real(throughput * X), chain, sharpness) : chain;
  }
  Real power(const Real& clocks, double q) const {  // (clocks/most)^q
    if (same(clocks, most)) return Real(1);
    return clocks > 0 ? Real(exp(Real(q * log(Real(clocks / most))))) : Real(0);
  }
};

/// Clocks of a wave of `blocks` blocks on each multiprocessor. Between its barriers a block uses one level
/// after another; only different blocks overlap. The first of R blocks in a pipeline passes through all
/// levels alone:
///     T = T_q + (T_1 − T_q)/R.
template <class Real>
Real wave_clocks(const Loads<Real>& loads, double blocks, double X_of_a_block, const Machine<Real>& machine,
                 double q) {
  const WaveTimes<Real> wave(loads, blocks * X_of_a_block, machine);
  const Real overlapped = wave.composed(q);
  return overlapped + (wave.sum - overlapped) / blocks;
}

template <class Real>
Real waves_clocks(const Loads<Real>& loads, const Waves& waves, const Machine<Real>& machine, double q) {
  Real clocks{0};
  if (waves.full > 0)
    clocks += waves.full * wave_clocks(loads, waves.full_blocks, waves.X_of_a_block, machine, q);
  if (waves.last_blocks > 0) clocks += wave_clocks(loads, waves.last_blocks, waves.X_of_a_block, machine, q);
  return clocks;
}

/// Clocks by which the start of a block delays the following starts on the same multiprocessor.
template <class Real>
Real start_clocks(const Phase<Real>& phase, const Machine<Real>& machine) {
  if (!machine.block_start || !machine.warp_start) return Real(0);
  return max(*machine.block_start,
             Real(*machine.warp_start * (phase.threads_per_block / machine.warp_width)));
}

/// Blocks start one after another. The first wave is complete only once all its blocks have started. If
/// blocks end faster than new ones start, the time is that of all starts plus the time of the last block
/// alone.
template <class Real>
Real launches_clocks(const Phase<Real>& phase, const Loads<Real>& loads, const Waves& waves,
                     const Machine<Real>& machine, double q) {
  const Real start = phase.launches * start_clocks(phase, machine);
  const Real by_work = waves_clocks(loads, waves, machine, q) + start * (waves.first_blocks() - 1);
  const Real by_starts = start * waves.all_blocks();
  // The time of a single block lies between Λ and Λ + its throughput; this bound usually decides.
  if (by_starts + loads.chain + loads.throughput() * waves.X_of_a_block < by_work) return by_work;
  return max(by_work, Real(by_starts + WaveTimes<Real>(loads, waves.X_of_a_block, machine).sum));
}

/// Clocks before reads from DRAM run at full speed.
template <class Real>
Real dram_start_clocks(const Phase<Real>& phase, const Loads<Real>& loads, const Machine<Real>& machine) {
  if (!phase.reads_only || !machine.dram_start) return Real(0);
  return phase.launches * (1 - loads.share_of_l2) * *machine.dram_start * machine.clock.value;
}

/// Each level alone, with only its own latency: the basis of the reported terms.
template <class Real>
PhaseClocks<Real> each_level_alone(const Loads<Real>& loads, const Waves& waves,
                                   const Machine<Real>& machine) {
  PhaseClocks<Real> clocks{};
  for (Level level : all_levels) {
    const LevelLoad<Real>& load = loads.at(level);
    const auto time_of = [&](double blocks) {
      return smooth_maximum(Real(load.throughput * (blocks * waves.X_of_a_block)), load.latency,
                            machine.at(level).sharpness);
    };
    Real time{0};
    if (waves.full > 0) time += waves.full * time_of(waves.full_blocks);
    if (waves.last_blocks > 0) time += time_of(waves.last_blocks);
    clocks[std::size_t(level)].add(load.accesses, time,
                                   !(load.throughput * waves.typical_X() < load.latency));
  }
  return clocks;
}

// ---- composition ----

/// (T_g^q + T_s^q + T_r^q)^(1/q) for the totals of the published law.
template <class Real>
Real composed(const PhaseClocks<Real>& levels, double q) {
  const auto clocks = [&](Level level) -> const Real& { return levels[std::size_t(level)].clocks; };
  const std::array<Real, 3> times{clocks(Level::global), clocks(Level::shared), clocks(Level::registers)};
  if (q == 1) return times[0] + times[1] + times[2];
  const Real most = max(max(times[0], times[1]), times[2]);
  if (std::isinf(q) || !(most > 0)) return most;
  Real sum{0};
  for (const Real& time : times)
    if (time > 0) sum += exp(Real(q * log(Real(time / most))));
  return most * exp(Real(log(sum) / q));
}

// ---- total time ----

/// Seconds of all phases. `record(phase, starts, levels)` gets the clocks of block and DRAM starts, and can
/// call levels() for those of each level; fits do not.
template <class Real, class Record>
Real published_seconds(const Phases<Real>& phases, const Machine<Real>& machine, const Law& law,
                       Record&& record) {
  PhaseClocks<Real> totals{};  // the paper combines T_g, T_s and T_r of the whole algorithm
  for (const Phase<Real>& phase : phases) {
    PhaseClocks<Real> levels{};
    for (const Access<Real>& access : phase.accesses) add_published(levels, phase, access, machine, law);
    for (std::size_t i = 0; i < totals.size(); ++i) totals[i].clocks += levels[i].clocks;
    record(phase, 0.0, [&] { return levels; });
  }
  return composed(totals, law.q()) / machine.clock.value;
}

template <class Real>
Real launch_seconds(const Phases<Real>& phases, const Machine<Real>& machine) {
  double launches = 0;
  for (const Phase<Real>& phase : phases) launches += phase.launches;
  return required(machine.launch_overhead, "launch_overhead", machine.name) +
         launches * required(machine.kernel_gap, "kernel_gap", machine.name);
}

template <class Real, class Record>
Real calibrated_seconds(const Phases<Real>& phases, const Machine<Real>& machine, const Law& law,
                        Record&& record) {
  Real clocks{0};  // a launch starts after the previous one has ended: phases add up for any q
  for (const Phase<Real>& phase : phases) {
    const Waves phase_waves = waves(phase, machine);
    const Loads<Real> loads(phase, machine);
    const Real starts = phase.launches * start_clocks(phase, machine) * phase_waves.all_blocks();
    const Real dram_start = dram_start_clocks(phase, loads, machine);
    clocks += phase.start + dram_start + launches_clocks(phase, loads, phase_waves, machine, law.q());
    record(phase, plain(Real(starts + dram_start)),
           [&] { return each_level_alone(loads, phase_waves, machine); });
  }
  return clocks / machine.clock.value + launch_seconds(phases, machine);
}

void check_has_phases(LawName law) {
  if (uses_work(law))
    throw std::invalid_argument("the law " + std::string(name(law)) +
                                " has no phases: predict with the work of the kernels");
}

template <class Real>
Phases<Real> phases_of(const Descriptor& algorithm, const Machine<Real>& machine, const Problem& problem,
                       const Plan& plan, const ConstantValues<Real>& constants, LawName law) {
  check_has_phases(law);
  const Formula& formula = *algorithm.formula;
  if (constants.size() != formula.constants.size())
    throw std::invalid_argument(algorithm.slug + " has " + std::to_string(formula.constants.size()) +
                                " constants, " + std::to_string(constants.size()) + " were given");
  if constexpr (std::is_same_v<Real, double>)
    return formula.phases(machine, problem, plan, constants, law);
  else
    return formula.dual_phases(machine, problem, plan, constants, law);
}

template <class Real, class Record>
Real seconds(const Phases<Real>& phases, const Machine<Real>& machine, const Law& law, Record&& record) {
  return law.law == LawName::published ? published_seconds(phases, machine, law, record)
                                       : calibrated_seconds(phases, machine, law, record);
}

void add_terms(Terms& terms, const PhaseClocks<double>& levels, Hertz clock) {
  const auto seconds = [&](Level level) { return levels[std::size_t(level)].clocks / clock.value; };
  terms.global_s += seconds(Level::global);
  terms.l2_s += seconds(Level::l2);
  terms.shared_s += seconds(Level::shared);
  terms.register_s += seconds(Level::registers);
}

/// The level with the largest time over all phases, and the branch that contributes most of it.
std::optional<Bottleneck> bottleneck(const PhaseClocks<double>& totals) {
  const auto most = std::max_element(totals.begin(), totals.end(),
                                     [](const auto& a, const auto& b) { return a.clocks < b.clocks; });
  if (!(most->clocks > 0)) return std::nullopt;
  return Bottleneck{Level(most - totals.begin()), most->limit()};
}

/// The sum of all phases of one name: the rounds of an algorithm differ only in size.
struct NamedClocks {
  std::string_view name;
  double launches = 0;
  PhaseClocks<double> levels{};
};

void add(PhaseClocks<double>& sum, const PhaseClocks<double>& levels) {
  for (std::size_t i = 0; i < sum.size(); ++i) {
    sum[i].clocks += levels[i].clocks;
    sum[i].accesses += levels[i].accesses;
    sum[i].bandwidth_limited += levels[i].bandwidth_limited;
    sum[i].latency_limited += levels[i].latency_limited;
  }
}

NamedClocks& of_name(std::vector<NamedClocks>& all, std::string_view name) {
  for (NamedClocks& one : all)
    if (one.name == name) return one;
  return all.emplace_back(NamedClocks{name});
}

std::string whole_number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.0f", value);
  return text.data();
}

/// Throws ImpossibleTime unless the time and every term are finite, and the time is positive.
void check_times(const Prediction& prediction, const Descriptor& algorithm, const Problem& problem) {
  const auto fail = [&](std::string_view term) { throw ImpossibleTime(algorithm.slug, problem.n, term); };
  const Terms& terms = prediction.terms;
  const std::array<std::pair<std::string_view, double>, 5> named{
      {{"its time in global memory", terms.global_s},
       {"its time in the L2", terms.l2_s},
       {"its time in shared memory", terms.shared_s},
       {"its time in registers", terms.register_s},
       {"its time for launches", terms.launch_s}}};
  for (const auto& [term, seconds] : named)
    if (!(std::isfinite(seconds) && seconds >= 0)) fail(term);
  if (!(std::isfinite(prediction.time_s) && prediction.time_s > 0)) fail("its time");
}

}  // namespace

ImpossibleTime::ImpossibleTime(std::string_view algorithm, double n, std::string_view term)
    : std::runtime_error("the prediction of " + std::string(algorithm) + " at n = " + whole_number(n) +
                         " is impossible: " + std::string(term) +
                         " is not finite and positive; check the profile's constants") {}

template <class Real>
Plan checked_plan(const Descriptor& algorithm, const Machine<Real>& machine, const Problem& problem,
                  LawName law) {
  if (!algorithm.formula)
    throw std::invalid_argument(algorithm.slug + " is a baseline: it can be measured, but has no formula");
  if (!(problem.n >= 1)) throw std::invalid_argument(algorithm.slug + " needs at least one element");
  algorithm.check(problem.parameters);
  check_has_phases(law);
  return law == LawName::calibrated ? plan_on(machine, algorithm, problem) : Plan{};
}

Prediction predict(const Descriptor& algorithm, const Machine<double>& machine, const Problem& problem,
                   const Law& law, const ConstantValues<double>& constants) {
  return predict(algorithm, machine, problem, checked_plan(algorithm, machine, problem, law.law), law,
                 constants);
}

Prediction predict(const Descriptor& algorithm, const Machine<double>& machine, const Problem& problem,
                   const Plan& plan, const Law& law, const ConstantValues<double>& constants) {
  const Phases<double> phases = phases_of(algorithm, machine, problem, plan, constants, law.law);
  Prediction prediction;
  prediction.phases.reserve(phases.size() * all_levels.size());
  std::vector<NamedClocks> named;
  named.reserve(phases.size());
  double start_clocks = 0;
  const auto record = [&](const Phase<double>& phase, double starts, const auto& levels_alone) {
    NamedClocks& one = of_name(named, phase.name);
    one.launches += phase.launches;
    add(one.levels, levels_alone());
    start_clocks += starts;
  };
  prediction.time_s = seconds(phases, machine, law, record);

  PhaseClocks<double> totals{};
  for (const NamedClocks& one : named) {
    add(totals, one.levels);
    for (Level level : all_levels)
      if (const LevelClocks<double>& at = one.levels[std::size_t(level)]; at.accesses > 0)
        prediction.phases.push_back(
            {one.name, one.launches, level, at.accesses, at.clocks / machine.clock.value, at.limit()});
  }
  add_terms(prediction.terms, totals, machine.clock);
  prediction.bottleneck = bottleneck(totals);
  if (law.law == LawName::calibrated)
    prediction.terms.launch_s = launch_seconds(phases, machine) + start_clocks / machine.clock.value;
  check_times(prediction, algorithm, problem);
  return prediction;
}

template <class Real>
Real predicted_seconds(const Descriptor& algorithm, const Machine<Real>& machine, const Problem& problem,
                       const Law& law, const ConstantValues<Real>& constants) {
  return predicted_seconds(algorithm, machine, problem, checked_plan(algorithm, machine, problem, law.law),
                           law, constants);
}

template <class Real>
Real predicted_seconds(const Descriptor& algorithm, const Machine<Real>& machine, const Problem& problem,
                       const Plan& plan, const Law& law, const ConstantValues<Real>& constants) {
  return seconds(phases_of(algorithm, machine, problem, plan, constants, law.law), machine, law,
                 [](const Phase<Real>&, double, const auto&) {});
}

template Plan checked_plan(const Descriptor&, const Machine<double>&, const Problem&, LawName);
template Plan checked_plan(const Descriptor&, const Machine<Dual>&, const Problem&, LawName);
template double predicted_seconds(const Descriptor&, const Machine<double>&, const Problem&, const Law&,
                                  const ConstantValues<double>&);
template Dual predicted_seconds(const Descriptor&, const Machine<Dual>&, const Problem&, const Law&,
                                const ConstantValues<Dual>&);
template double predicted_seconds(const Descriptor&, const Machine<double>&, const Problem&, const Plan&,
                                  const Law&, const ConstantValues<double>&);
template Dual predicted_seconds(const Descriptor&, const Machine<Dual>&, const Problem&, const Plan&,
                                const Law&, const ConstantValues<Dual>&);

}  // namespace fathom
