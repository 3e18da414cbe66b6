// SPDX-License-Identifier: Apache-2.0
#include <fathom/model/laws/dual.h>
#include <fathom/model/laws/predict_group.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

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

/// Prices steps, of which many may do the same: a run is priced once, and an exchange if it is another than
/// the last one of its kind.
template <class Real>
class StepPrices {
 public:
  StepPrices(int gpus, const Machine<Real>& machine, const Factors<Real>& factors)
      : gpus_(gpus), machine_(machine), factors_(factors) {}

  /// The launches are in a sequence that has launched before, unless they are the first.
  Real launches(const CountedRun& local) {
    const auto [known, is_new] = launches_.try_emplace(&local);
    if (is_new) known->second = local.seconds(machine_, factors_);
    const Real seconds = known->second - overhead_counted_twice(is_first_, machine_);
    is_first_ = false;
    return seconds;
  }
  const ExchangeTime& exchange(const Exchange& exchange) {
    auto& [of, time] = exchanges_[exchange.kind];
    if (!of || *of != exchange) {
      time = time_of(exchange, gpus_, machine_);
      of = exchange;
    }
    return time;
  }

 private:
  int gpus_;
  const Machine<Real>& machine_;
  const Factors<Real>& factors_;
  bool is_first_ = true;
  std::map<const CountedRun*, Real> launches_;
  std::map<ExchangeKind, std::pair<std::optional<Exchange>, ExchangeTime>> exchanges_;
};

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
  StepPrices prices(gpus, machine, factors);
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
      const double local = prices.launches(*step.local);
      step_of(times, step.name).seconds += local;
      finish_exchange(std::clamp(local, 0.0, beside));
    }
    if (step.exchange) beside += prices.exchange(*step.exchange).seconds;
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
  StepPrices prices(gpus, machine, factors);
  for (const GroupStep& step : steps) {
    if (step.local) {
      seconds += real::max(prices.launches(*step.local), beside);
      beside = Real(0);
    }
    if (step.exchange) beside += Real(prices.exchange(*step.exchange).seconds);
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
  std::map<const CountedRun*, Prediction> explained;
  const Machine<double> faster_links = with_faster(Resource::link, machine);
  StepPrices prices(gpus, machine, factors), faster_prices(gpus, faster_links, factors);
  std::vector<std::string> of_exchanges;
  for (const GroupStep& step : steps) {
    if (step.local) {
      const auto [known, is_new] = explained.try_emplace(step.local);
      if (is_new) known->second = step.local->explained(machine, factors);
      add_local(sum, known->second, overhead_counted_twice(is_first, machine));
      is_first = false;
    }
    if (!step.exchange || gpus < fewest_gpus(step.exchange->kind)) continue;
    const ExchangeTime& time = prices.exchange(*step.exchange);
    add_exchange(sum, *step.exchange, time, faster_prices.exchange(*step.exchange).seconds);
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
