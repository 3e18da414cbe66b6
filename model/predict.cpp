#include <fathom/model/predict.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace fathom {

namespace {

using std::ceil;
using std::exp;
using std::log;
using std::pow;

// std::max would do for values, but must not tie Dual to a reference of a temporary.
template <class Real>
Real larger(const Real& a, const Real& b) {
  return a < b ? b : a;
}

double plain(double x) {
  return x;
}
double plain(const Dual& x) {
  return static_cast<double>(x);
}

/// Clocks that one phase spends at one level, and how much of them each branch of the law accounts for.
template <class Real>
struct LevelClocks {
  Real clocks{0};
  double accesses = 0;
  double bandwidth_limited = 0,
         latency_limited = 0;  ///< clocks in accesses where this branch is the larger one

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

/// required() builds its message's parts only when it must.
template <class Real>
const Real& constant(const std::optional<Real>& value, Level level, std::string_view which,
                     const Machine<Real>& machine) {
  if (value) return *value;
  return required(value, std::string(name(level)) + '.' + std::string(which), machine.name);
}

/// A_P·max(1/B, [ceil] L/(X·I)). A conflict of degree β serves A·β accesses, of which the extra ones issue
/// independently: X·I becomes X·I·β.
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
  clocks[std::size_t(access.level)].add(plain(access.count),
                                        parallel_accesses * larger(by_bandwidth, by_latency),
                                        !(by_bandwidth < by_latency));
}

// ---- the law `calibrated` (models.md §9) ----

/// X, threads per core.
struct Multiplicity {
  double value, log;
  explicit Multiplicity(double X) : value(X), log(std::log(X)) {}
};

/// How the blocks of a launch fill the machine.
struct Waves {
  double full;  ///< waves in which every multiprocessor holds as many blocks as it can
  Multiplicity full_X;
  /// Of the fullest multiprocessor in the last, partial wave, if there is one.
  std::optional<Multiplicity> last_X;

  const Multiplicity& typical_X() const { return full > 0 ? full_X : *last_X; }
};

template <class Real>
Waves waves(const Phase<Real>& phase, const Machine<Real>& machine) {
  const int resident = resident_blocks(machine.limits, phase.threads_per_block, phase.registers_per_thread,
                                       phase.shared_bytes_per_block);
  if (resident == 0)
    throw std::invalid_argument("no multiprocessor of '" + machine.name + "' holds a block of phase " +
                                std::string(phase.name) + ": " + std::to_string(phase.threads_per_block) +
                                " threads with " + std::to_string(long(phase.shared_bytes_per_block)) +
                                " bytes of shared memory");
  const double X_of_one_block = double(phase.threads_per_block) / machine.cores_per_multiprocessor;
  const double full = std::floor(phase.blocks / (double(resident) * machine.multiprocessors));
  const double rest = phase.blocks - full * resident * machine.multiprocessors;
  Waves waves{full, Multiplicity(resident * X_of_one_block), std::nullopt};
  if (rest > 0) waves.last_X.emplace(std::ceil(rest / machine.multiprocessors) * X_of_one_block);
  return waves;
}

/// (a^s + b^s)^(1/s) from the larger of the two and u = (smaller/larger)^s. Far from the knee the root is its
/// first order, exact to 1e-8 there: most accesses of a prediction are, and it is these roots that take its
/// time.
template <class Real>
Real smooth_maximum(const Real& most, const Real& u, const Real& s) {
  if (u < 1e-4) return most * (1 + u / s);
  return most * exp(Real(log(Real(1 + u)) / s));
}

/// What one access of one thread takes at multiplicity X, in clocks: τ = ((X·β/B)^s + (L/I + c + d)^s)^(1/s),
/// where d is the delay by conflicts.
template <class Real>
struct AccessLaw {
  Real per_X;       ///< β/B: the slots that the access takes
  Real by_latency;  ///< L/I + c + d
  const std::optional<Real>& sharpness;
  Real log_ratio{0};  ///< of per_X to by_latency, once for all X

  AccessLaw(const Access<Real>& access, Level served_by, const Machine<Real>& machine)
      : sharpness(machine.at(served_by).sharpness) {
    const LevelConstants<Real>& level = machine.at(served_by);
    const Real& B = constant(level.bandwidth, served_by, "bandwidth", machine);
    per_X = access.conflict / B;
    by_latency = constant(level.latency, served_by, "latency", machine) / access.parallelism;
    if (level.issue) by_latency += *level.issue;
    if (served_by == Level::shared && access.conflict > 1)
      by_latency += conflict_delay(access.conflict, B, machine);
    if (sharpness) log_ratio = log(Real(per_X / by_latency));
  }

  /// A warp's access with conflicts occupies its multiprocessor's pipeline for β slots of w/(B·cores) clocks,
  /// and its last data come β − 1 slots late (models.md §8). Independent accesses do not hide that: they
  /// stand behind it in the same pipeline, hence outside of L/I. (β − 1)/B would charge a lone warp for the
  /// slots of all others, which is what X·β/B does already. There is no such delay in global memory, where β
  /// counts words moved per word asked for: the sectors of one warp travel side by side and come no later
  /// than one.
  static Real conflict_delay(const Real& conflict, const Real& B, const Machine<Real>& machine) {
    return (conflict - 1) * (machine.warp_width / (B * double(machine.cores_per_multiprocessor)));
  }

  bool bandwidth_limited(double X) const { return !(per_X * X < by_latency); }

  Real clocks(const Multiplicity& X) const {
    const bool by_bandwidth = bandwidth_limited(X.value);
    const Real most = by_bandwidth ? Real(per_X * X.value) : by_latency;
    if (!sharpness) return most;
    const Real log_u = *sharpness * (by_bandwidth ? Real(-log_ratio - X.log) : Real(log_ratio + X.log));
    if (log_u < -18) return most;  // less than 2e-8 of it: no measurement tells
    return smooth_maximum(most, Real(exp(log_u)), *sharpness);
  }
};

template <class Real>
void add_served(LevelClocks<Real>& clocks, const Phase<Real>& phase, const Access<Real>& access,
                const Real& count, Level served_by, const Waves& waves, const Machine<Real>& machine) {
  const AccessLaw<Real> law(access, served_by, machine);
  const Real per_thread = count / (phase.blocks * phase.threads_per_block);  // of all launches
  Real time{0};
  if (waves.full > 0) time += waves.full * law.clocks(waves.full_X);
  if (waves.last_X) time += law.clocks(*waves.last_X);
  clocks.add(plain(count), per_thread * time, law.bandwidth_limited(waves.typical_X().value));
}

/// Share of the global accesses that the L2 serves: 1/(1 + (footprint/l2_half)^l2_steepness).
template <class Real>
Real l2_share(double footprint_bytes, const Machine<Real>& machine) {
  if (!machine.l2_half || !machine.l2_steepness || !(footprint_bytes > 0)) return Real(0);
  return 1 / (1 + exp(Real(*machine.l2_steepness * log(Real(footprint_bytes / *machine.l2_half)))));
}

template <class Real>
void add_calibrated(PhaseClocks<Real>& clocks, const Phase<Real>& phase, const Waves& waves,
                    const Access<Real>& access, const Real& l2_share, const Machine<Real>& machine) {
  const bool through_l2 = access.level == Level::global && l2_share > 0;
  const Real from_level = through_l2 ? Real(access.count * (1 - l2_share)) : access.count;
  add_served(clocks[std::size_t(access.level)], phase, access, from_level, access.level, waves, machine);
  if (through_l2)
    add_served(clocks[std::size_t(Level::l2)], phase, access, Real(access.count - from_level), Level::l2,
               waves, machine);
}

// ---- composition ----

/// (Σ T_level^q)^(1/q). The parts that L2 and DRAM serve of the same global accesses are one T before q is
/// applied: the share h was fitted as a mean over accesses, h·τ_l2 + (1 − h)·τ_dram, and is meaningless
/// otherwise.
template <class Real>
Real composed(const PhaseClocks<Real>& levels, double q) {
  const auto clocks = [&](Level level) -> const Real& { return levels[std::size_t(level)].clocks; };
  const std::array<Real, 3> times{Real(clocks(Level::global) + clocks(Level::l2)), clocks(Level::shared),
                                  clocks(Level::registers)};
  if (q == 1) return times[0] + times[1] + times[2];
  const Real most = larger(larger(times[0], times[1]), times[2]);
  if (std::isinf(q) || !(most > 0)) return most;
  Real sum{0};
  for (const Real& time : times)
    if (time > 0) sum += exp(Real(q * log(Real(time / most))));
  return most * exp(Real(log(sum) / q));
}

// ---- the whole ----

/// Seconds of all phases; `record(phase, levels)` sees each phase's clocks.
template <class Real, class Record>
Real published_seconds(const Phases<Real>& phases, const Machine<Real>& machine, const Law& law,
                       Record&& record) {
  PhaseClocks<Real> totals{};  // the paper composes T_g, T_s and T_r of the whole algorithm
  for (const Phase<Real>& phase : phases) {
    PhaseClocks<Real> levels{};
    for (const Access<Real>& access : phase.accesses) add_published(levels, phase, access, machine, law);
    for (std::size_t i = 0; i < totals.size(); ++i) totals[i].clocks += levels[i].clocks;
    record(phase, levels);
  }
  return composed(totals, law.composition.q) / machine.clock.value;
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
  Real clocks{0};  // one launch begins when the one before has ended: phases add up, whatever q
  for (const Phase<Real>& phase : phases) {
    PhaseClocks<Real> levels{};
    const Waves phase_waves = waves(phase, machine);
    const Real share = l2_share(phase.footprint_bytes, machine);
    for (const Access<Real>& access : phase.accesses)
      add_calibrated(levels, phase, phase_waves, access, share, machine);
    clocks += composed(levels, law.composition.q);
    record(phase, levels);
  }
  return clocks / machine.clock.value + launch_seconds(phases, machine);
}

template <class Real>
Phases<Real> checked_phases(const Formula& formula, const Machine<Real>& machine, const Problem& problem,
                            const ConstantValues<Real>& constants, LawName law) {
  if (!(problem.n >= 1)) throw std::invalid_argument(formula.slug + " needs at least one element");
  if (constants.size() != formula.constants.size())
    throw std::invalid_argument(formula.slug + " has " + std::to_string(formula.constants.size()) +
                                " constants, " + std::to_string(constants.size()) + " were given");
  formula.check(problem.parameters);
  if constexpr (std::is_same_v<Real, double>)
    return formula.phases(machine, problem, constants, law);
  else
    return formula.dual_phases(machine, problem, constants, law);
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

/// The level with the largest time over all phases, and the branch that accounts for most of it.
std::optional<Bound> bound(const PhaseClocks<double>& totals) {
  const auto most = std::max_element(totals.begin(), totals.end(),
                                     [](const auto& a, const auto& b) { return a.clocks < b.clocks; });
  if (!(most->clocks > 0)) return std::nullopt;
  return Bound{Level(most - totals.begin()), most->limit()};
}

}  // namespace

Prediction predict(const Formula& formula, const Machine<double>& machine, const Problem& problem,
                   const Law& law, const ConstantValues<double>& constants) {
  const Phases<double> phases = checked_phases(formula, machine, problem, constants, law.law);
  Prediction prediction;
  prediction.phases.reserve(phases.size() * all_levels.size());
  PhaseClocks<double> totals{};

  const auto record = [&](const Phase<double>& phase, const PhaseClocks<double>& levels) {
    add_terms(prediction.terms, levels, machine.clock);
    for (Level level : all_levels) {
      const LevelClocks<double>& at = levels[std::size_t(level)];
      LevelClocks<double>& total = totals[std::size_t(level)];
      total.clocks += at.clocks;
      total.bandwidth_limited += at.bandwidth_limited;
      total.latency_limited += at.latency_limited;
      if (at.accesses > 0)
        prediction.phases.push_back(
            {phase.name, phase.launches, level, at.accesses, at.clocks / machine.clock.value, at.limit()});
    }
  };
  prediction.time_s = seconds(phases, machine, law, record);
  prediction.bound = bound(totals);
  if (law.law == LawName::calibrated) prediction.terms.launch_s = launch_seconds(phases, machine);
  return prediction;
}

template <class Real>
Real predicted_seconds(const Formula& formula, const Machine<Real>& machine, const Problem& problem,
                       const Law& law, const ConstantValues<Real>& constants) {
  return seconds(checked_phases(formula, machine, problem, constants, law.law), machine, law,
                 [](const Phase<Real>&, const PhaseClocks<Real>&) {});
}

template double predicted_seconds(const Formula&, const Machine<double>&, const Problem&, const Law&,
                                  const ConstantValues<double>&);
template Dual predicted_seconds(const Formula&, const Machine<Dual>&, const Problem&, const Law&,
                                const ConstantValues<Dual>&);

}  // namespace fathom
