// SPDX-License-Identifier: Apache-2.0
#include <fathom/calibration/fit_lines.h>
#include <fathom/calibration/least_squares.h>
#include <fathom/core/measurement.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace fathom {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int most_ranges = 5;
constexpr double least_error = 0.01;  // σ
constexpr int resamples = 200;

struct Sizes {
  VectorXd bytes, seconds;  ///< in ascending order of the bytes; medians
  Index count() const { return bytes.size(); }
};

Sizes sizes_of(const std::vector<LinkPoint>& points) {
  std::map<double, std::vector<double>> samples;
  for (const LinkPoint& point : points) {
    std::vector<double>& all = samples[point.bytes];
    all.insert(all.end(), point.seconds.begin(), point.seconds.end());
  }
  Sizes sizes{VectorXd(Index(samples.size())), VectorXd(Index(samples.size()))};
  Index i = 0;
  for (const auto& [bytes, seconds] : samples) {
    sizes.bytes[i] = bytes;
    sizes.seconds[i++] = quartiles(seconds).median;
  }
  return sizes;
}

/// The time of an empty exchange, and the slope of each line.
struct Lines {
  std::vector<double> begins;  ///< bytes, of each line
  VectorXd coefficients;       ///< latency, slopes
  VectorXd errors;             ///< relative, of each size

  double sum_of_squares() const { return errors.squaredNorm(); }
};

double part_within(double bytes, double begin, double end) {
  return std::clamp(bytes, begin, end) - begin;
}

/// The times of the sizes are this times the coefficients, each row over the time of its size.
MatrixXd relative_parts(const Sizes& sizes, const std::vector<double>& begins) {
  MatrixXd parts(sizes.count(), Index(begins.size()) + 1);
  parts.col(0) = sizes.seconds.cwiseInverse();
  for (std::size_t line = 0; line < begins.size(); ++line) {
    const double end = line + 1 < begins.size() ? begins[line + 1] : std::numeric_limits<double>::infinity();
    for (Index i = 0; i < sizes.count(); ++i)
      parts(i, Index(line) + 1) = part_within(sizes.bytes[i], begins[line], end) / sizes.seconds[i];
  }
  return parts;
}

/// Least squares; of coefficients that come out negative, the most negative one is taken to be 0, and so on.
VectorXd not_negative(MatrixXd parts, const VectorXd& wanted) {
  const VectorXd scales = parts.colwise().norm().cwiseMax(std::numeric_limits<double>::min());
  parts = parts * scales.cwiseInverse().asDiagonal();
  std::vector<Index> used(std::size_t(parts.cols()));
  for (std::size_t i = 0; i < used.size(); ++i) used[i] = Index(i);
  while (!used.empty()) {
    MatrixXd columns(parts.rows(), Index(used.size()));
    for (std::size_t i = 0; i < used.size(); ++i) columns.col(Index(i)) = parts.col(used[i]);
    const VectorXd solution = columns.colPivHouseholderQr().solve(wanted);
    Index lowest = 0;
    if (solution.minCoeff(&lowest) >= 0) {
      VectorXd all = VectorXd::Zero(parts.cols());
      for (std::size_t i = 0; i < used.size(); ++i) all[used[i]] = solution[Index(i)] / scales[used[i]];
      return all;
    }
    used.erase(used.begin() + lowest);
  }
  return VectorXd::Zero(parts.cols());
}

Lines lines_from(const Sizes& sizes, const std::vector<double>& begins) {
  const MatrixXd parts = relative_parts(sizes, begins);
  const VectorXd ones = VectorXd::Ones(sizes.count());
  VectorXd coefficients = not_negative(parts, ones);
  VectorXd errors = parts * coefficients - ones;
  return {begins, std::move(coefficients), std::move(errors)};
}

/// Calls `visit` with all ways to let `more` further lines begin at sizes behind the first and the last
/// begin.
template <class Visit>
void for_each_choice(const Sizes& sizes, Index from, int more, std::vector<double>& begins, Visit&& visit) {
  if (more == 0) {
    visit(begins);
    return;
  }
  for (Index i = from; i + 1 < sizes.count(); ++i) {
    begins.push_back(sizes.bytes[i]);
    for_each_choice(sizes, i + 1, more - 1, begins, visit);
    begins.pop_back();
  }
}

Lines best_of_count(const Sizes& sizes, int count) {
  std::optional<Lines> best;
  std::vector<double> begins{0};
  for_each_choice(sizes, 1, count - 1, begins, [&](const std::vector<double>& choice) {
    Lines lines = lines_from(sizes, choice);
    if (!best || lines.sum_of_squares() < best->sum_of_squares()) best = std::move(lines);
  });
  return *best;
}

int parameters_of(int lines) {
  return 2 * lines;
}

double criterion(const Lines& lines, double n) {
  return n * std::log(lines.sum_of_squares() / n + least_error * least_error) +
         parameters_of(int(lines.begins.size())) * std::log(n);
}

Lines best_lines(const Sizes& sizes) {
  Lines best = lines_from(sizes, {0});
  const double n = double(sizes.count());
  for (int count = 2; count <= most_ranges && parameters_of(count) < sizes.count(); ++count) {
    Lines more = best_of_count(sizes, count);
    if (criterion(more, n) < criterion(best, n)) best = std::move(more);
  }
  return best;
}

/// α and β of each line.
std::vector<LinkRange> ranges_of(const Lines& lines) {
  std::vector<LinkRange> ranges;
  double arrived = lines.coefficients[0];  // s, where the line begins
  for (std::size_t i = 0; i < lines.begins.size(); ++i) {
    const double begin = lines.begins[i], slope = lines.coefficients[Index(i) + 1];
    ranges.push_back({begin, {arrived - slope * begin}, {slope}});
    if (i + 1 < lines.begins.size()) arrived += slope * (lines.begins[i + 1] - begin);
  }
  return ranges;
}

/// The sizes with times that lines of such errors could have given.
Sizes redrawn(const Sizes& sizes, const Lines& lines, std::mt19937_64& random) {
  const double n = double(sizes.count()), p = parameters_of(int(lines.begins.size()));
  const double widened = std::sqrt(n / std::max(1.0, n - p));
  std::uniform_int_distribution<Index> any(0, sizes.count() - 1);
  std::bernoulli_distribution coin;
  Sizes drawn = sizes;
  for (Index i = 0; i < sizes.count(); ++i) {
    const double error = widened * lines.errors[any(random)];
    // Errors of lines lie to both sides alike. No time is 0, however large they are.
    const double factor = std::max(0.1, 1 + (coin(random) ? error : -error));
    drawn.seconds[i] = sizes.seconds[i] * (1 + lines.errors[i]) * factor;
  }
  return drawn;
}

void set_intervals(std::vector<LinkRange>& ranges, const Sizes& sizes, const Lines& lines,
                   std::mt19937_64& random) {
  std::vector<std::vector<double>> latencies(ranges.size()), per_byte(ranges.size());
  for (int draw = 0; draw < resamples; ++draw) {
    const std::vector<LinkRange> drawn = ranges_of(lines_from(redrawn(sizes, lines, random), lines.begins));
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      latencies[i].push_back(drawn[i].latency.value);
      per_byte[i].push_back(drawn[i].per_byte.value);
    }
  }
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    ranges[i].latency.interval = percentile_interval(latencies[i], ranges[i].latency.value);
    ranges[i].per_byte.interval = percentile_interval(per_byte[i], ranges[i].per_byte.value);
  }
}

}  // namespace

std::optional<LineFit> fit_lines(const std::vector<LinkPoint>& points, std::mt19937_64& random) {
  const Sizes sizes = sizes_of(points);
  if (sizes.count() < 2) return std::nullopt;
  const Lines lines = best_lines(sizes);
  LineFit fit{ranges_of(lines), lines.errors.cwiseAbs().mean(), lines.errors.cwiseAbs().maxCoeff()};
  set_intervals(fit.ranges, sizes, lines, random);
  return fit;
}

}  // namespace fathom
