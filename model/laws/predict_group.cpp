// SPDX-License-Identifier: Apache-2.0
#include <fathom/model/laws/dual.h>
#include <fathom/model/laws/predict_group.h>

#include <algorithm>
#include <cmath>

namespace fathom {
namespace {

/// The sequence goes on where it has launched before.
template <class Real>
Real overhead_counted_twice(bool is_first, const Machine<Real>& machine) {
  return is_first ? Real(0) : required(machine.launch_overhead, "launch_overhead", machine.name);
}

template <class Real>
ExchangeTime time_of(const Exchange& exchange, int gpus, const Machine<Real>& machine) {
  if (gpus < fewest_gpus(exchange.kind)) return {};  // which needs no links
  return exchange_time(exchange, gpus, required_links(machine));
}

/// The resource that saves most, of all steps together.
Bound largest_saving(std::span<const GroupStep> steps, int gpus, const Machine<double>& machine,
                     const Factors<double>& factors) {
  const double now = group_seconds(steps, gpus, machine, factors);
  const auto saved = [&](std::optional<Resource> faster) {
    return Bound{faster, now - group_seconds(steps, gpus, with_faster(faster, machine), factors)};
  };
  Bound most = saved(std::nullopt);
  for (const Resource resource : all_resources)
    if (const Bound one = saved(resource); one.saved_s > most.saved_s) most = one;
  return most;
}

/// Adds to the row of this name. Of two bounds, the one that saves more; they are of one kernel and mostly
/// the same.
void add(std::vector<KernelTime>& kernels, const KernelTime& more) {
  const auto known = std::ranges::find(kernels, more.kernel, &KernelTime::kernel);
  if (known == kernels.end()) {
    kernels.push_back(more);
    return;
  }
  known->launches += more.launches;
  known->seconds += more.seconds;
  if (known->bound.resource == more.bound.resource)
    known->bound.saved_s += more.bound.saved_s;
  else if (more.bound.saved_s > known->bound.saved_s)
    known->bound = more.bound;
}

void add(std::optional<Assumptions>& assumptions, const std::vector<std::string>& sentences) {
  if (sentences.empty()) return;
  if (!assumptions) assumptions.emplace();
  for (const std::string& sentence : sentences)
    if (std::ranges::count(assumptions->sentences, sentence) == 0) assumptions->sentences.push_back(sentence);
}

void add_local(Prediction& sum, const Prediction& local, double counted_twice) {
  ResourceTerms &terms = *sum.resources, more = *local.resources;
  for (std::size_t i = 0; i < all_resources.size(); ++i) terms.alone_s[i] += more.alone_s[i];
  terms.launch_s += more.launch_s - counted_twice;
  for (const KernelTime& kernel : local.kernels) add(sum.kernels, kernel);
  if (!local.assumptions) return;
  const bool is_known = !sum.assumptions || sum.assumptions->error;
  add(sum.assumptions, local.assumptions->sentences);
  if (sum.assumptions) sum.assumptions->error = is_known ? local.assumptions->error : std::nullopt;
}

void add_exchange(Prediction& sum, const Exchange& exchange, const ExchangeTime& time, double faster_s) {
  sum.resources->alone_s[std::size_t(Resource::link)] += time.seconds;
  const Interval of_this = time.interval_s.value_or(Interval{time.seconds, time.seconds});
  if (!sum.exchanges_s) sum.exchanges_s.emplace();
  sum.exchanges_s->low += of_this.low;
  sum.exchanges_s->high += of_this.high;
  add(sum.kernels, {.kernel = std::string(name(exchange.kind)),
                    .launches = 1,
                    .seconds = time.seconds,
                    .bound = {Resource::link, time.seconds - faster_s}});
}

StepTime& step_of(std::vector<StepTime>& steps, std::string_view name) {
  const auto known = std::ranges::find(steps, name, &StepTime::step);
  return known != steps.end() ? *known : steps.emplace_back(StepTime{.step = std::string(name)});
}

/// As group_seconds() adds them up.
std::vector<StepTime> step_times(std::span<const GroupStep> steps, int gpus, const Machine<double>& machine,
                                 const Factors<double>& factors) {
  std::vector<StepTime> times;
  bool is_first = true;
  double beside = 0;
  const auto finish_exchange = [&](double hidden) {
    if (beside > 0) {
      StepTime& exchange = step_of(times, exchange_step);
      exchange.seconds += beside - hidden;
      exchange.hidden_s += hidden;
    }
    beside = 0;
  };
  for (const GroupStep& step : steps) {
    if (step.local) {
      const double local = step.local->seconds(machine, factors) - overhead_counted_twice(is_first, machine);
      is_first = false;
      step_of(times, step.name).seconds += local;
      finish_exchange(std::clamp(local, 0.0, beside));
    }
    if (step.exchange) beside += time_of(*step.exchange, gpus, machine).seconds;
    if (!step.beside_next) finish_exchange(0);
  }
  finish_exchange(0);
  return times;
}

double sum_of(const ResourceTerms& terms) {
  double seconds = terms.launch_s;
  for (const double alone : terms.alone_s) seconds += alone;
  return seconds;
}

}  // namespace

template <class Real>
Real group_seconds(std::span<const GroupStep> steps, int gpus, const Machine<Real>& machine,
                   const Factors<Real>& factors) {
  Real seconds(0), beside(0);  // `beside`: of exchanges that go on, one after the other
  bool is_first = true;
  for (const GroupStep& step : steps) {
    if (step.local) {
      const Real local = step.local->seconds(machine, factors) - overhead_counted_twice(is_first, machine);
      seconds += real::max(local, beside);
      beside = Real(0);
      is_first = false;
    }
    if (step.exchange) beside += Real(time_of(*step.exchange, gpus, machine).seconds);
    if (step.beside_next) continue;
    seconds += beside;
    beside = Real(0);
  }
  return seconds + beside;
}
template double group_seconds(std::span<const GroupStep>, int, const Machine<double>&,
                              const Factors<double>&);
template Dual group_seconds(std::span<const GroupStep>, int, const Machine<Dual>&, const Factors<Dual>&);

Prediction predict_group(std::string_view what, std::span<const GroupStep> steps, int gpus,
                         const Machine<double>& machine, const Factors<double>& factors) {
  Prediction sum;
  sum.resources.emplace();
  sum.time_s = group_seconds(steps, gpus, machine, factors);
  if (!std::isfinite(sum.time_s) || !(sum.time_s > 0)) throw ImpossibleTime(what, "its time");
  bool is_first = true;
  std::vector<std::string> of_exchanges;
  for (const GroupStep& step : steps) {
    if (step.local) {
      add_local(sum, step.local->explained(machine, factors), overhead_counted_twice(is_first, machine));
      is_first = false;
    }
    if (!step.exchange || gpus < fewest_gpus(step.exchange->kind)) continue;
    const ExchangeTime time = time_of(*step.exchange, gpus, machine);
    add_exchange(sum, *step.exchange, time,
                 time_of(*step.exchange, gpus, with_faster(Resource::link, machine)).seconds);
    of_exchanges.insert(of_exchanges.end(), time.assumptions.begin(), time.assumptions.end());
  }
  if (!sum.assumptions && !of_exchanges.empty())
    sum.assumptions.emplace().error = definition(LawName::counted).error;  // their interval is exchanges_s
  add(sum.assumptions, of_exchanges);
  sum.resources->overlap_s = sum.time_s - sum_of(*sum.resources);
  sum.bound = largest_saving(steps, gpus, machine, factors);
  sum.steps = step_times(steps, gpus, machine, factors);
  return sum;
}

}  // namespace fathom
