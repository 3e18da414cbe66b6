// Sequential-parallel scan: nakano2012; models.md §8.
//
// Scans groups of k numbers one after another with interval sums, each starting from the total of the
// previous groups; work space is less than k for any n. Small k costs launches, O(n/k·log k) of them; if the
// L2 holds the arrays of a group, it is read from memory only once.
#include <fathom/model/formulas.h>
#include <fathom/model/formulas/interval_levels.h>

namespace fathom::formulas {

namespace {

/// Calls `add(size, groups)` for each group size; the last group may be smaller.
template <class Add>
void for_each_group_size(double n, double k, Add add) {
  const double whole = std::floor(n / k), rest = n - whole * k;
  if (whole > 0) add(k, whole);
  if (rest > 0) add(rest, 1.0);
}

}  // namespace

Formula scan_sequential() {
  return make_formula(
      interval_constants(),
      [](const auto& machine, const Problem& problem, const Plan& plan, const auto& c, LawName law) {
        using Real = typename std::decay_t<decltype(c)>::value_type;
        Phases<Real> phases;
        const double size = words(problem.type);
        const double n = problem.n;
        const Launch* launches = plan.data();
        for_each_group_size(n, problem.parameters.at("k"), [&](double elements, double groups) {
          if (law == LawName::published) {
            add_published_levels(phases, machine, elements, size, groups);
          } else {
            const IntervalScan<Real> scan{size, groups, n > elements, double(machine.warp_width), c};
            // The first read of a group misses the L2, unless the L2 keeps the whole input and output from
            // one run to the next. Its last writes go to memory while the next group's small levels run.
            add_calibrated_levels(phases, scan, launches, elements, Real(scan.footprint(2 * n)));
          }
        });
        return phases;
      },
      [](const Launch& launch, const Problem&, const OccupancyLimits&) {
        return interval_registers(launch);
      });
}

}  // namespace fathom::formulas
