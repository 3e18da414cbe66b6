// SPDX-License-Identifier: Apache-2.0
#include <fathom/calibration/fits/fits.h>
#include <fathom/calibration/least_squares.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

namespace fathom::fits {
namespace {

constexpr Bounded knees{1, 20};

/// True if the launches asked for all the shared memory, which leaves the least L1 to loads in flight.
bool is_cramped(const Fitting& fit, const Series& in_flight) {
  return at(in_flight, along::carveout) >= fit.machine.limits.shared_bytes_per_multiprocessor;
}

}  // namespace

/// s, from reads of DRAM with few to many warps: rates between what latency allows and what DRAM does. With
/// the least L1, the room for loads in flight would limit them, too.
void knee(Fitting& fit) {
  SeriesList series =
      fit.usable.of(benchmarks::in_flight_read, {along::I, along::bytes, along::carveout, along::warps});
  if (!fit.machine.rates.dram_read) return;
  std::erase_if(series, [&](const Series* one) { return is_cramped(fit, *one); });
  fit.set("knee", series, [&](const SeriesList& points, const TimeOf& time) {
    std::map<double, std::pair<double, double>> slowest;  // by I: warps, bytes per second and warp
    for (const Series* one : points) {
      auto& [warps, rate] = slowest.try_emplace(at(*one, along::I), 1e9, 0).first->second;
      if (at(*one, along::warps) >= warps) continue;
      warps = at(*one, along::warps);
      rate = at(*one, along::bytes) / time(*one) / warps;
    }
    const auto residuals = [&](const Eigen::VectorXd& x, Eigen::VectorXd& result) {
      const double s = knees.value(x[0]);
      Eigen::Index i = 0;
      for (const Series* one : points) {
        const double waiting = 1 / (slowest.at(at(*one, along::I)).second * at(*one, along::warps));
        const double both =
            std::pow(std::pow(waiting, s) + std::pow(1 / *fit.machine.rates.dram_read, s), 1 / s);
        result[i++] = std::log(both * at(*one, along::bytes) / time(*one));
      }
    };
    const Eigen::VectorXd start = Eigen::VectorXd::Constant(1, knees.free(2.5));
    return knees.value(minimise(residuals, int(points.size()), {start}, 100).x[0]);
  });
}

/// Sets the latency that, in the law, explains the rate that is lost when shared memory takes most of the L1,
/// so that it has little room for loads in flight.
void loaded_latency(Fitting& fit) {
  const auto& q = fit.machine.rates.overlap;
  const double most = fit.machine.limits.shared_bytes_per_multiprocessor;
  SeriesList roomy, cramped;  // with the most warps and loads per thread
  for (const Series* one :
       fit.usable.of(benchmarks::in_flight_read, {along::I, along::bytes, along::carveout, along::warps})) {
    const auto deeper = [&](const Series* other) {
      return std::pair(at(*one, along::warps), at(*one, along::I)) >
             std::pair(at(*other, along::warps), at(*other, along::I));
    };
    if (!is_cramped(fit, *one) && at(*one, along::carveout) > most / 8) continue;
    SeriesList& list = is_cramped(fit, *one) ? cramped : roomy;
    if (!list.empty() && deeper(list.front())) list.clear();
    if (list.empty() || (!deeper(list.front()) && at(*one, along::I) == at(*list.front(), along::I) &&
                         at(*one, along::warps) == at(*list.front(), along::warps)))
      list.push_back(one);
  }
  if (!q || roomy.empty() || cramped.empty()) return;
  SeriesList both = roomy;
  std::ranges::copy(cramped, std::back_inserter(both));
  fit.set("wait.loaded", both, [&](const SeriesList&, const TimeOf& time) {
    const auto per_byte = [&](const SeriesList& series) {
      double sum = 0;
      for (const Series* one : series) sum += time(*one) / at(*one, along::bytes) / double(series.size());
      return sum;
    };
    const double free = per_byte(roomy), slower = std::max(per_byte(cramped), free * (1 + 1e-6));
    const double in_flight = std::pow(std::pow(slower, *q) - std::pow(free, *q), 1 / *q);
    return in_flight * fit.machine.clock.value * fit.machine.multiprocessors * least_l1_bytes;
  });
}

}  // namespace fathom::fits
