// SPDX-License-Identifier: Apache-2.0
#include <fathom/counting/fill_blocks.h>

#include <algorithm>
#include <array>
#include <limits>

namespace fathom {
namespace {

/// Scales what is counted to a full block: in proportion to the elements if that follows from the lanes,
/// otherwise as from the largest size, whose warps are full.
class Unfilled {
 public:
  /// `full`: elements of a full block.
  Unfilled(double full, std::span<const WorkPoint> points) : full_(full) {
    for (const WorkPoint& point : points) largest_ = std::max(largest_, point.size.elements);
    for (const Demand& demand : all_demands)
      by_elements_[index(demand)] = misfit(points, demand, true) < misfit(points, demand, false);
  }

  WorkPoint filled(WorkPoint point) const {
    for (const Demand& demand : all_demands)
      point.work.*demand.value *= factor(point, demand, by_elements_[index(demand)]);
    point.size.elements = full_;
    return point;
  }

 private:
  static std::size_t index(const Demand& demand) { return std::size_t(&demand - all_demands.data()); }

  double factor(const WorkPoint& point, const Demand& demand, bool by_elements) const {
    // Code is fetched once, however many warps run it.
    if (demand.kind == DemandKind::code) return 1;
    return full_ / (by_elements ? point.size.elements : largest_);
  }

  /// How far scaled values are from constant, relative to their mean.
  double misfit(std::span<const WorkPoint> points, const Demand& demand, bool by_elements) const {
    double least = std::numeric_limits<double>::infinity(), most = 0;
    for (const WorkPoint& point : points) {
      const double value = point.work.*demand.value * factor(point, demand, by_elements);
      least = std::min(least, value);
      most = std::max(most, value);
    }
    return most == 0 ? 0 : (most - least) / most;
  }

  double full_, largest_ = 0;
  std::array<bool, all_demands.size()> by_elements_{};
};

}  // namespace

void fill_blocks(double full, std::vector<WorkPoint>& points, std::vector<WorkPoint>& check) {
  const auto is_full = [&](const WorkPoint& point) { return point.size.elements > 0.75 * full; };
  if (std::ranges::all_of(points, is_full)) return;
  const Unfilled unfilled(full, points);
  for (auto* all : {&points, &check})
    for (WorkPoint& point : *all) point = unfilled.filled(point);
}

}  // namespace fathom
