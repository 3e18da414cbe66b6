// SPDX-License-Identifier: Apache-2.0
// Fits lines of latency and time per byte to the times of exchanges.
#pragma once

#include <fathom/model/links.h>

#include <optional>
#include <random>
#include <vector>

namespace fathom {

/// The times of an exchange of so many bytes, one per repeat.
struct LinkPoint {
  double bytes;
  std::vector<double> seconds;
};

struct LineFit {
  std::vector<LinkRange> ranges;
  double mean_relative_error = 0, worst_relative_error = 0;
};

/// Lines that meet, by least squares on the relative errors of the medians. Times do not fall with the bytes:
/// a slope that would be negative is 0, and so is a negative latency of an empty exchange.
///
/// How many lines, and where they meet, the data say. Lines meet at sizes that were measured. Of one to five
/// of them the fit takes the number with the least
///
///     n·ln(S/n + σ²) + p·ln n
///
/// for n sizes, the sum S of the squares of the relative errors, and p = 2 parameters for each line: its
/// slope, and where it begins. This is the Bayesian information criterion, but for σ = 1 %, by which the time
/// of a calm series may differ from the next: without it, errors that mean nothing would be worth more lines.
/// There are at least p + 1 sizes, so that no number of lines describes all of them for want of data, unless
/// there is but one line.
///
/// The 95 % intervals are of the lines that meet there: they come from a bootstrap that draws the relative
/// errors anew, widened by n/(n − p), so that they cover both the noise and what lines cannot describe.
///
/// Absent with fewer than two sizes. All bytes must be at least 0, all times positive.
std::optional<LineFit> fit_lines(const std::vector<LinkPoint>& points, std::mt19937_64& random);

}  // namespace fathom
