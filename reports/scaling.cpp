// SPDX-License-Identifier: Apache-2.0
#include <fathom/reports/scaling.h>

#include <fathom/model/links.h>
#include <fathom/reports/quantities.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace fathom::reports {
namespace {

double measured_s(const Scaling::Point& point) {
  return point.measured->median;
}
double predicted_s(const Scaling::Point& point) {
  return point.predicted->time_s;
}

/// "1.39", or "-" without a time on one GPU.
template <class Seconds>
std::string speed_up(const Scaling& of, const Scaling::Point& point, bool is_known, Seconds seconds,
                     bool one_is_known) {
  const Scaling::Point* one = find_point(of, point.n, 1);
  return is_known && one && one_is_known ? significant(seconds(*one) / seconds(point)) : "-";
}

std::optional<double> error_of(const Scaling::Point& point) {
  if (!point.measured || !point.predicted) return std::nullopt;
  return predicted_s(point) / measured_s(point) - 1;
}

std::string gpus_text(const Scaling& of, int gpus) {
  return fmt::format("{}{}", gpus, gpus > of.most_linked ? " (extrapolated)" : "");
}

/// The kind, its rate, and the share of the link's rate.
std::array<std::string, 3> cells_of(const std::optional<ExchangeRate>& exchange) {
  constexpr double least = 1e9;  // of a rate that bytes decide, and not the latency
  if (!exchange) return {"-", "-", "-"};
  const auto& [kind, rate, share] = *exchange;
  if (rate < least) return {std::string(name(kind)), "below 1 GB/s", "-"};
  return {std::string(name(kind)), bandwidth(rate), known(share, percent)};
}

}  // namespace

const Scaling::Point* find_point(const Scaling& of, double n, int gpus) {
  const auto found = std::ranges::find_if(
      of.points, [&](const Scaling::Point& point) { return point.n == n && point.gpus == gpus; });
  return found == of.points.end() ? nullptr : &*found;
}

std::vector<double> spread(const std::vector<double>& ascending) {
  if (ascending.size() <= 3) return ascending;
  return {ascending.front(), ascending[ascending.size() / 2], ascending.back()};
}

Table scaling_table(const std::vector<Scaling>& all) {
  Table table({{"algorithm", left},
               {"type", left},
               {"n in all"},
               {"GPUs"},
               {"predicted"},
               {"95 %"},
               {"measured"},
               {"error"},
               {"times as fast as one GPU: predicted"},
               {"measured"},
               {"share of exchanges, predicted"},
               {"largest exchange", left},
               {"its rate"},
               {"of the link's"}});
  const bool any_measured = std::ranges::any_of(all, [](const Scaling& of) {
    return std::ranges::any_of(of.points, [](const Scaling::Point& point) { return bool(point.measured); });
  });
  for (const Scaling& of : all)
    for (const Scaling::Point& point : of.points) {
      if (point.gpus == 1 || (any_measured && !point.measured)) continue;
      const Scaling::Point* one = find_point(of, point.n, 1);
      const auto& predicted = point.predicted;
      const auto [kind, rate, share] = cells_of(point.exchange);
      table.add({of.algorithm, of.type, elements(point.n), gpus_text(of, point.gpus),
                 predicted ? time(predicted->time_s) : "-",
                 predicted ? known(predicted->interval_s, time_range) : "-",
                 point.measured ? time(point.measured->median) : "-", known(error_of(point), signed_percent),
                 speed_up(of, point, bool(predicted), predicted_s, one && one->predicted),
                 speed_up(of, point, bool(point.measured), measured_s, one && one->measured),
                 predicted ? percent(predicted->resources->of(Resource::link) / predicted->time_s) : "-",
                 kind, rate, share});
    }
  return table;
}

Table scaling_error_table(const std::vector<Scaling>& all) {
  Table table(
      {{"algorithm", left}, {"type", left}, {"GPUs"}, {"runs"}, {"mean error"}, {"worst"}, {"within 95 %"}});
  for (const Scaling& of : all) {
    struct Errors {
      double sum = 0, worst = 0;
      int runs = 0, within = 0;
    };
    std::map<int, Errors> by_gpus;
    for (const Scaling::Point& point : of.points)
      if (const auto error = error_of(point)) {
        Errors& errors = by_gpus[point.gpus];
        ++errors.runs;
        errors.sum += std::abs(*error);
        errors.worst = std::max(errors.worst, std::abs(*error));
        const auto& interval = point.predicted->interval_s;
        errors.within +=
            interval && interval->low <= measured_s(point) && measured_s(point) <= interval->high;
      }
    for (const auto& [gpus, errors] : by_gpus)
      table.add({of.algorithm, of.type, gpus == 1 ? "1 (fastest algorithm)" : gpus_text(of, gpus),
                 fmt::format("{}", errors.runs), percent(errors.sum / errors.runs), percent(errors.worst),
                 percent(double(errors.within) / errors.runs)});
  }
  return table;
}

}  // namespace fathom::reports
