// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/benchmarks.h>
#include <fathom/microbench/links/sweep.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace fathom::microbench {
namespace {

constexpr double most_seconds_of_repetitions = 30;
constexpr int most_exchanges_of_a_sample = 1000;

std::vector<std::size_t> sizes_of_arrays(std::size_t most, bool quick) {
  std::vector<std::size_t> sizes;
  for (std::size_t bytes = LinkSweep::smallest_array; bytes <= most; bytes *= quick ? 4 : 2)
    sizes.push_back(bytes);
  return sizes;
}

}  // namespace

LinkSweep::LinkSweep(const Effort& effort, const Progress& progress, const Seconds& now)
    : effort_(effort),
      progress_(progress),
      repetition_(
          most_seconds_of_repetitions,
          [this](const Series& disturbed, double seconds, int round) {
            sleep_watchfully(seconds, [&] {
              report(disturbed.benchmark + ": the GPUs are busy, waiting to measure again",
                     std::size_t(round - 1), Repetition::rounds);
            });
          },
          now) {}

void LinkSweep::operator()(const SizedExchange& exchange) {
  const std::string name(benchmarks::of(exchange.kind).name);
  const std::string what = exchange.gpus == 1 ? name : fmt::format("{}, {} GPUs", name, exchange.gpus);
  const std::vector<std::size_t> sizes = sizes_of_arrays(exchange.most, effort_.quick);
  std::set<double> measured_bytes;  // the smallest arrays have the same parts of a word
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    report(what, i, sizes.size());
    if (measured_bytes.insert(exchange.bytes(sizes[i])).second)
      series_.push_back(repetition_([&] { return measured(exchange, sizes[i]); }));
  }
  report(what, sizes.size(), sizes.size());
}

Series LinkSweep::measured(const SizedExchange& exchange, std::size_t array) const {
  Series series = series_of(benchmarks::of(exchange.kind),
                            {{along::gpus, double(exchange.gpus)}, {along::bytes, exchange.bytes(array)}});
  const int exchanges = exchanges_of_a_sample(exchange, array);
  const int fewest = std::min(fewest_repeats, effort_.repeats);
  series.samples = exchange.samples(array, exchanges, fewest);
  if (fewest < effort_.repeats && !has_settled(series)) {
    const std::vector<double> more = exchange.samples(array, exchanges, effort_.repeats - fewest);
    series.samples.insert(series.samples.end(), more.begin(), more.end());
  }
  return series;
}

/// As many that the wait for the last, some ten microseconds, is less than 1 %.
int LinkSweep::exchanges_of_a_sample(const SizedExchange& exchange, std::size_t array) const {
  const double wanted = effort_.quick ? 1e-3 : 2e-3;  // s
  constexpr int warm_ups = 2;
  const double seconds = exchange.samples(array, 1, warm_ups + 1).back();
  return int(std::clamp(std::ceil(wanted / seconds), 1.0, double(most_exchanges_of_a_sample)));
}

void LinkSweep::report(const std::string& what, std::size_t done, std::size_t all) const {
  if (progress_) progress_(what, done, all);
}

std::size_t largest_held(std::size_t least, const std::function<void(std::size_t bytes)>& hold) {
  for (std::size_t bytes = LinkSweep::largest_array; bytes > least; bytes /= 2) try {
      hold(bytes);
      return bytes;
    } catch (const OutOfDeviceMemory&) {  // a smaller one may fit
    } catch (const OutOfHostMemory&) {
    }
  hold(least);
  return least;
}

}  // namespace fathom::microbench
