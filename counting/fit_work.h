// SPDX-License-Identifier: Apache-2.0
// How the work of a kernel depends on n: from counts at several sizes.
#pragma once

#include <fathom/model/work.h>

#include <span>

namespace fathom {

/// The work of a block as counted in launches of one size.
struct WorkPoint {
  WorkSize size;
  double weight = 1;  ///< in the fit
  Work work;
  bool has_parts = false;  ///< its launches state them (Launch::parts): `size.partials` are these
};

/// The coefficients with the fewest terms that agree with the points, else those that agree best. There are
/// few points, so terms are chosen once for all demands; a demand that a single term explains within half a
/// percent has no other. Launches that state parts do their work for one of these, and have a constant beside
/// it only if the points determine it. Work does not fall with more elements or partials, nor begin below 0:
/// these coefficients are not negative. Those with log₂ n may be, since means over passes fall with it. The
/// code that runs is that of the size at which most does. Name, resources and check are left to the caller.
/// Throws std::invalid_argument without points.
KernelWork fit_work(std::span<const WorkPoint> points);

/// The largest deviation of a demand of `fitted` from `counted`, other than of its code, relative to the
/// counted one or to a twentieth of the largest of its kind.
double deviation(const Work& fitted, const Work& counted);

/// The mean over the points by their weights, of `work(point)`.
template <class WorkOf>
Work mean_work(std::span<const WorkPoint> points, WorkOf work) {
  Work mean;
  double weights = 0;
  for (const WorkPoint& point : points) {
    const Work one = work(point);
    for (const Demand& demand : all_demands) mean.*demand.value += point.weight * one.*demand.value;
    weights += point.weight;
  }
  for (const Demand& demand : all_demands) mean.*demand.value /= weights;
  return mean;
}

}  // namespace fathom
