// SPDX-License-Identifier: Apache-2.0
#include <fathom/model/constants.h>
#include <fathom/model/laws/dual.h>
#include <fathom/model/laws/predict_counted.h>
#include <fathom/model/laws/reported_launches.h>

#include <algorithm>
#include <cmath>

namespace fathom {
namespace {

constexpr double speed_up = 1.1;

constexpr std::size_t of_launches = all_resources.size();  // after those of the resources
using Savings = std::array<double, all_resources.size() + 1>;

std::optional<Resource> resource_at(std::size_t index) {
  return index == of_launches ? std::nullopt : std::optional(Resource(index));
}

Bound largest(const Savings& savings) {
  const auto most = std::size_t(std::ranges::max_element(savings) - savings.begin());
  return {resource_at(most), savings[most]};
}

void add(ResourceTerms& terms, const LaunchTime<double>& time, double repeats) {
  for (std::size_t i = 0; i < all_resources.size(); ++i) terms.alone_s[i] += repeats * time.alone[i];
  terms.launch_s += repeats * time.fixed;
}

double sum(const ResourceTerms& terms) {
  double seconds = terms.launch_s;
  for (const double alone : terms.alone_s) seconds += alone;
  return seconds;
}

bool is_time(double seconds) {
  return std::isfinite(seconds) && seconds >= 0;
}

std::shared_ptr<const AssumedRun> assumed_run(const Descriptor& algorithm, const Problem& problem,
                                              const AlgorithmWork& work) {
  if (!work.assumed) return nullptr;
  algorithm.check(problem);
  return std::make_shared<const AssumedRun>(work.assumed->at(problem.n));
}

/// Runs follow one another on the same data, as those of plans do.
std::vector<CountedLaunch> launches_of(const AssumedRun& run, const Machine<double>& machine) {
  std::vector<CountedLaunch> launches;
  for (const ReportedLaunch& launch : run.launches)
    launches.push_back(counted_launch(launch, machine, machine));
  set_reach(launches, Caches::warm);
  return launches;
}

}  // namespace

Machine<double> with_faster(std::optional<Resource> resource, Machine<double> machine) {
  for (const ConstantRow<double>& constant : constants<double>()) {
    std::optional<double>& value = constant.member.of(machine);
    if (!value || constant.use != speeds(resource)) continue;
    constant.better == Better::higher ? * value *= speed_up : * value /= speed_up;
  }
  if (resource == Resource::link && machine.links)
    machine.links = scaled(*machine.links, 1 / speed_up, speed_up);
  return machine;
}

CountedRun::CountedRun(const Descriptor& algorithm, const Machine<double>& machine, const Problem& problem,
                       const AlgorithmWork& work)
    : what_(algorithm.slug),
      n_(problem.n),
      assumed_(assumed_run(algorithm, problem, work)),
      assumptions_(assumed_ ? std::shared_ptr<const Assumptions>(assumed_, &assumed_->assumptions)
                            : work.estimate),
      launches_(assumed_ ? launches_of(*assumed_, machine)
                         : counted_launches(problem.n, plan_with_work(algorithm, machine, problem, work),
                                            work, machine)) {}

CountedRun CountedRun::with_launches(const std::vector<std::size_t>& positions) const {
  CountedRun some = *this;
  some.launches_.clear();
  for (const std::size_t position : positions) some.launches_.push_back(launches_.at(position));
  return some;
}

template <class Real>
Real CountedRun::seconds(const Machine<Real>& machine, const Factors<Real>& factors) const {
  return run_time(launches_, machine, factors).seconds;
}
template double CountedRun::seconds(const Machine<double>&, const Factors<double>&) const;
template Dual CountedRun::seconds(const Machine<Dual>&, const Factors<Dual>&) const;

Prediction CountedRun::predicted(const Machine<double>& machine, const Factors<double>& factors) const {
  return predicted(run_time(launches_, machine, factors), machine);
}

Prediction CountedRun::predicted(const RunTime<double>& time, const Machine<double>& machine) const {
  ResourceTerms terms;
  terms.launch_s = *machine.launch_overhead;
  for (std::size_t i = 0; i < launches_.size(); ++i) add(terms, time.launches[i], launches_[i].repeats);
  terms.overlap_s = time.seconds - sum(terms);
  for (const Resource resource : all_resources)
    if (!is_time(terms.of(resource)))
      throw ImpossibleTime(what(), "its time for " + std::string(name(resource)));
  if (!is_time(terms.launch_s)) throw ImpossibleTime(what(), "its time for launches");
  if (!is_time(time.seconds) || time.seconds == 0) throw ImpossibleTime(what(), "its time");

  Prediction prediction;
  prediction.time_s = time.seconds;
  prediction.resources = terms;
  if (assumptions_) prediction.assumptions = *assumptions_;
  return prediction;
}

Prediction CountedRun::explained(const Machine<double>& machine, const Factors<double>& factors) const {
  const RunTime<double> now = run_time(launches_, machine, factors);
  Prediction prediction = predicted(now, machine);

  std::vector<std::size_t> kernels;  // of each launch
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    const CountedLaunch& launch = launches_[i];
    const auto known = std::ranges::find(prediction.kernels, launch.kernel, &KernelTime::kernel);
    kernels.push_back(std::size_t(known - prediction.kernels.begin()));
    if (known == prediction.kernels.end()) {
      prediction.kernels.push_back({.kernel = std::string(launch.kernel)});
    }
    prediction.kernels[kernels[i]].launches += launch.repeats;
    prediction.kernels[kernels[i]].seconds += launch.repeats * now.launches[i].seconds();
  }

  Savings savings{};
  std::vector<Savings> savings_of(prediction.kernels.size());
  for (std::size_t faster = 0; faster < savings.size(); ++faster) {
    const RunTime<double> then = run_time(launches_, with_faster(resource_at(faster), machine), factors);
    savings[faster] = now.seconds - then.seconds;
    for (std::size_t i = 0; i < launches_.size(); ++i)
      savings_of[kernels[i]][faster] +=
          launches_[i].repeats * (now.launches[i].seconds() - then.launches[i].seconds());
  }
  prediction.bound = largest(savings);
  for (std::size_t i = 0; i < prediction.kernels.size(); ++i)
    prediction.kernels[i].bound = largest(savings_of[i]);
  return prediction;
}

}  // namespace fathom
