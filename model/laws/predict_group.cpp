// SPDX-License-Identifier: Apache-2.0
#include <fathom/model/laws/predict_group.h>

#include <algorithm>
#include <cmath>

namespace fathom {
namespace {

/// The sequence goes on where it has launched before.
double overhead_counted_twice(bool is_first, const Machine<double>& machine) {
  return is_first ? 0 : required(machine.launch_overhead, "launch_overhead", machine.name);
}

ExchangeTime time_of(const Exchange& exchange, int gpus, const Machine<double>& machine) {
  return exchange_time(exchange, gpus, required_links(machine));
}

double seconds_of(std::span<const GroupStep> steps, int gpus, const Machine<double>& machine,
                  const Factors<double>& factors) {
  double seconds = 0;
  bool is_first = true;
  for (const GroupStep& step : steps) {
    if (step.local) {
      seconds += step.local->seconds(machine, factors) - overhead_counted_twice(is_first, machine);
      is_first = false;
    }
    if (step.exchange) seconds += time_of(*step.exchange, gpus, machine).seconds;
  }
  return seconds;
}

/// The resource that saves most, of all steps together.
Bound largest_saving(std::span<const GroupStep> steps, int gpus, const Machine<double>& machine,
                     const Factors<double>& factors) {
  const double now = seconds_of(steps, gpus, machine, factors);
  const auto saved = [&](std::optional<Resource> faster) {
    return Bound{faster, now - seconds_of(steps, gpus, with_faster(faster, machine), factors)};
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
  terms.overlap_s += more.overlap_s;
  sum.time_s += local.time_s - counted_twice;
  for (const KernelTime& kernel : local.kernels) add(sum.kernels, kernel);
  if (!local.assumptions) return;
  add(sum.assumptions, local.assumptions->sentences);
  if (local.assumptions->error) sum.assumptions->error = local.assumptions->error;
}

void add_exchange(Prediction& sum, const Exchange& exchange, int gpus, const Machine<double>& machine) {
  const ExchangeTime time = time_of(exchange, gpus, machine);
  const double faster = time_of(exchange, gpus, with_faster(Resource::link, machine)).seconds;
  sum.time_s += time.seconds;
  sum.resources->alone_s[std::size_t(Resource::link)] += time.seconds;
  add(sum.kernels, {.kernel = std::string(name(exchange.kind)),
                    .launches = 1,
                    .seconds = time.seconds,
                    .bound = {Resource::link, time.seconds - faster}});
  add(sum.assumptions, time.assumptions);
}

}  // namespace

Prediction predict_group(std::string_view what, std::span<const GroupStep> steps, int gpus,
                         const Machine<double>& machine, const Factors<double>& factors) {
  Prediction sum;
  sum.resources.emplace();
  bool is_first = true;
  for (const GroupStep& step : steps) {
    if (step.local) {
      add_local(sum, step.local->explained(machine, factors), overhead_counted_twice(is_first, machine));
      is_first = false;
    }
    if (step.exchange) add_exchange(sum, *step.exchange, gpus, machine);
  }
  if (!std::isfinite(sum.time_s) || !(sum.time_s > 0)) throw ImpossibleTime(what, "its time");
  sum.bound = largest_saving(steps, gpus, machine, factors);
  return sum;
}

}  // namespace fathom
