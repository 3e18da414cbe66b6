// SPDX-License-Identifier: Apache-2.0
#include <fathom/model/laws/group_run.h>
#include <fathom/model/laws/sensitivities.h>

#include <algorithm>
#include <cmath>

namespace fathom {

GroupRun::GroupRun(const Descriptor& algorithm, const Machine<double>& machine, const Problem& problem,
                   const LocalWork& work)
    : what_(in_words(algorithm.slug, problem.n)), gpus_(problem.parameters.at("gpus")), machine_(machine) {
  algorithm.check(problem);
  if (gpus_ > 1) required_links(machine);  // before work is counted, which takes long
  for (const RankStep& step :
       algorithm.steps(problem, plan_device(machine.multiprocessors, machine.limits))) {
    GroupStep& timed = steps_.emplace_back();
    timed.exchange = step.exchange;
    timed.beside_next = step.beside_next;
    timed.name = step.name;
    if (!step.local) continue;
    const CountedRun run(*step.local, machine, step.problem, *work(*step.local, step.problem));
    timed.local = &locals_.emplace_back(step.launches.empty() ? run : run.with_launches(step.launches));
  }
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
  const bool exchanges = std::ranges::any_of(steps_, [](const GroupStep& one) { return bool(one.exchange); });
  if (gpus_ == 1 || !exchanges) return all;
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
