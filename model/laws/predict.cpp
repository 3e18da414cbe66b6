// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/text/size.h>
#include <fathom/model/formulas/counts.h>
#include <fathom/model/laws/dual.h>
#include <fathom/model/laws/predict.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace fathom {

namespace {

using real::exp;
using real::log;
using real::max;
using real::plain;
using std::ceil;

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

/// The cost law of karsin2018: A_P·max(1/B, [ceil] L/(X·I)). A conflict of degree β means A·β accesses, and
/// the extra ones are independent: X·I becomes X·I·β.
template <class Real>
void add_access(PhaseClocks<Real>& clocks, const Phase& phase, const Access& access,
                const Machine<Real>& machine, const Law& law) {
  const LevelConstants<Real>& level = machine.at(access.level);
  const double parallel_accesses = access.count * access.conflict / (machine.P() * phase.share);
  const Real by_bandwidth = 1 / constant(level.bandwidth, access.level, "bandwidth", machine);
  if (access.saturated) {
    clocks[std::size_t(access.level)].add(access.count, Real(parallel_accesses * by_bandwidth), true);
    return;
  }
  Real by_latency = constant(level.latency, access.level, "latency", machine) /
                    (phase.multiplicity * access.parallelism * access.conflict);
  if (takes_ceiling(law, access.ceiling)) by_latency = ceil(by_latency);
  clocks[std::size_t(access.level)].add(access.count, Real(parallel_accesses * max(by_bandwidth, by_latency)),
                                        !(by_bandwidth < by_latency));
}

/// Leaves the clocks of the longest level only: it hides the others.
template <class Real>
void hide_all_but_longest(PhaseClocks<Real>& clocks) {
  const auto longest = std::max_element(clocks.begin(), clocks.end(), [](const auto& a, const auto& b) {
    return plain(a.clocks) < plain(b.clocks);
  });
  for (auto level = clocks.begin(); level != clocks.end(); ++level)
    if (level != longest) *level = {.accesses = level->accesses};
}

template <class Real>
PhaseClocks<Real> clocks_of(const Phase& phase, const Machine<Real>& machine, const Law& law) {
  PhaseClocks<Real> clocks{};
  for (const Access& access : phase.accesses) add_access(clocks, phase, access, machine, law);
  if (phase.overlap) hide_all_but_longest(clocks);
  return clocks;
}

/// (T_g^q + T_s^q + T_r^q)^(1/q) for the totals of the whole algorithm.
template <class Real>
Real composed(const PhaseClocks<Real>& levels, double q) {
  const auto clocks = [&](Level level) -> const Real& { return levels[std::size_t(level)].clocks; };
  const std::array<Real, formula_levels.size()> times{clocks(Level::global), clocks(Level::shared),
                                                      clocks(Level::registers)};
  if (q == 1) return times[0] + times[1] + times[2];
  const Real most = max(max(times[0], times[1]), times[2]);
  if (std::isinf(q) || !(most > 0)) return most;
  Real sum{0};
  for (const Real& time : times)
    if (time > 0) sum += exp(Real(q * log(Real(time / most))));
  return most * exp(Real(log(sum) / q));
}

void add_terms(Terms& terms, const PhaseClocks<double>& levels, Hertz clock) {
  const auto seconds = [&](Level level) { return levels[std::size_t(level)].clocks / clock.value; };
  terms.global_s += seconds(Level::global);
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

template <class Real>
void add(PhaseClocks<Real>& sum, const PhaseClocks<Real>& levels) {
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

/// Throws ImpossibleTime unless the time and every term are finite, and the time is positive.
void check_times(const Prediction& prediction, const Descriptor& algorithm, const Problem& problem) {
  const auto fail = [&](std::string_view term) {
    throw ImpossibleTime(in_words(algorithm.slug, problem.n), term);
  };
  const Terms& terms = prediction.terms;
  const std::array<std::pair<std::string_view, double>, 3> named{
      {{"its time in global memory", terms.global_s},
       {"its time in shared memory", terms.shared_s},
       {"its time in registers", terms.register_s}}};
  for (const auto& [term, seconds] : named)
    if (!(std::isfinite(seconds) && seconds >= 0)) fail(term);
  if (!(std::isfinite(prediction.time_s) && prediction.time_s > 0)) fail("its time");
}

}  // namespace

std::string in_words(std::string_view algorithm, double n) {
  return std::string(algorithm) + " at n = " + elements(n);
}

ImpossibleTime::ImpossibleTime(std::string_view what, std::string_view term)
    : std::runtime_error("the prediction of " + std::string(what) + " is impossible: " + std::string(term) +
                         " is not finite and positive; check the profile's constants") {}

Phases phases_of(const Descriptor& algorithm, const Machine<double>& machine, const Problem& problem,
                 const Reading& reading) {
  if (!algorithm.formula)
    throw std::invalid_argument(algorithm.slug + " is a baseline: it can be measured, but has no formula");
  if (!(problem.n >= 1)) throw std::invalid_argument(algorithm.slug + " needs at least one element");
  algorithm.check(problem.parameters);
  algorithm.check_options(reading.options);
  Reading complete{default_parameters(algorithm.options()), reading.conflict};
  for (const auto& [name, value] : reading.options) complete.options.set(name, value);
  Phases phases = algorithm.formula->phases(machine, problem, complete);
  if (complete.options.at("resident-threads") && machine.limits.threads_per_multiprocessor > 0)
    for (Phase& phase : phases)
      phase.multiplicity = std::min(phase.multiplicity, formulas::most_threads_per_core(machine));
  return phases;
}

Prediction predict(const Descriptor& algorithm, const Machine<double>& machine, const Problem& problem,
                   const Law& law, std::optional<double> conflict) {
  if (law.law != LawName::published)
    throw std::invalid_argument("the law " + std::string(name(law.law)) +
                                " has no phases: predict with the work of the kernels");
  const Phases phases = phases_of(algorithm, machine, problem, {law.options, conflict});
  std::vector<NamedClocks> named;
  PhaseClocks<double> totals{};
  for (const Phase& phase : phases) {
    NamedClocks& one = of_name(named, phase.name);
    one.launches += phase.launches;
    const PhaseClocks<double> clocks = clocks_of(phase, machine, law);
    add(one.levels, clocks);
    add(totals, clocks);
  }

  Prediction prediction;
  prediction.time_s = composed(totals, law.composition.q) / machine.clock.value;
  for (const NamedClocks& one : named)
    for (Level level : formula_levels)
      if (const LevelClocks<double>& at = one.levels[std::size_t(level)]; at.accesses > 0)
        prediction.phases.push_back(
            {one.name, one.launches, level, at.accesses, at.clocks / machine.clock.value, at.limit()});
  add_terms(prediction.terms, totals, machine.clock);
  prediction.bottleneck = bottleneck(totals);
  check_times(prediction, algorithm, problem);
  return prediction;
}

template <class Real>
Real predicted_seconds(const Phases& phases, const Machine<Real>& machine, const Law& law) {
  PhaseClocks<Real> totals{};
  for (const Phase& phase : phases) add(totals, clocks_of(phase, machine, law));
  return composed(totals, law.composition.q) / machine.clock.value;
}

template double predicted_seconds(const Phases&, const Machine<double>&, const Law&);
template Dual predicted_seconds(const Phases&, const Machine<Dual>&, const Law&);

}  // namespace fathom
