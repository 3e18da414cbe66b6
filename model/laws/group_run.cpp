// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/interruption.h>
#include <fathom/model/laws/group_run.h>
#include <fathom/model/laws/sensitivities.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace fathom {

GroupRun::GroupRun(const Descriptor& algorithm, const Machine<double>& machine, const Problem& problem,
                   const LocalWork& work)
    : what_(in_words(algorithm.slug, problem.n)), gpus_(algorithm.gpus_of(problem)), machine_(machine) {
  algorithm.check(problem);
  const std::vector<RankStep> steps = algorithm.steps(problem, plan_device(machine));
  for (const RankStep& step : steps)
    steps_.push_back({.exchange = step.exchange, .beside_next = step.beside_next, .name = step.name});
  if (exchanges()) required_links(machine);  // before work is counted, which takes long
  std::vector<std::pair<const RankStep*, const CountedRun*>> different;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const RankStep& step = steps[i];
    if (!step.local) continue;
    check_interruption();
    // Steps that do the same share a run, so that it is priced once.
    const auto same = std::ranges::find_if(different, [&](const auto& one) {
      return one.first->local == step.local && one.first->problem == step.problem &&
             one.first->launches == step.launches;
    });
    if (same != different.end()) {
      steps_[i].local = same->second;
      continue;
    }
    const CountedRun run(*step.local, machine, step.problem, *work(*step.local, step.problem));
    steps_[i].local = &locals_.emplace_back(step.launches.empty() ? run : run.with_launches(step.launches));
    different.emplace_back(&step, steps_[i].local);
  }
}

bool GroupRun::exchanges() const {
  return std::ranges::any_of(steps_, [&](const GroupStep& step) {
    return step.exchange && gpus_ >= fewest_gpus(step.exchange->kind);
  });
}

Prediction GroupRun::explained() const {
  return predict_group(what_, steps_, gpus_, machine_);
}

/// What is added to the time is linear in both.
double GroupRun::seconds_with(double latency, double time_per_byte) const {
  Machine<double> machine = machine_;
  machine.links = scaled(required_links(machine_), latency, 1 / time_per_byte);
  return group_seconds(steps_, gpus_, machine);
}

std::vector<Sensitivity> GroupRun::sensitivities() const {
  std::vector<Sensitivity> all = fathom::sensitivities(
      machine_, [&](const Machine<Dual>& machine) { return group_seconds(steps_, gpus_, machine); });
  if (!exchanges()) return all;
  constexpr double step = 1e-3;
  const double now = group_seconds(steps_, gpus_, machine_);
  const auto slope = [&](double seconds) { return (seconds / now - 1) / step; };
  for (const auto& [constant, value] : {std::pair("link.latency", slope(seconds_with(1 + step, 1))),
                                        std::pair("link.bandwidth", -slope(seconds_with(1, 1 + step)))})
    if (std::abs(value) > least_sensitivity) all.push_back({constant, value});
  std::ranges::stable_sort(all, std::ranges::greater{},
                           [](const Sensitivity& one) { return std::abs(one.value); });
  return all;
}

Multiplicity GroupRun::multiplicity() const {
  std::vector<CountedLaunch> launches;
  for (const CountedRun& local : locals_)
    launches.insert(launches.end(), local.launches().begin(), local.launches().end());
  return multiplicity_of(launches, machine_);
}

}  // namespace fathom
