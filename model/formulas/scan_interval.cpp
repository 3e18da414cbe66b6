// Optimal scan by interval sums: nakano2012; models.md §8.
//
// Computes the sums of pairs level by level, then from the prefix sums of each level those of the level
// above: two kernels per level, and less work space than input. The published algorithm goes down to a single
// sum, our kernels until one block can scan the rest.
#include <fathom/model/formulas.h>
#include <fathom/model/formulas/interval_levels.h>

namespace fathom::formulas {

Formula scan_interval() {
  return make_formula(
      interval_constants(),
      [](const auto& machine, const Problem& problem, const Plan& plan, const auto& c, LawName law) {
        using Real = typename std::decay_t<decltype(c)>::value_type;
        Phases<Real> phases;
        const double size = words(problem.type);
        if (law == LawName::published) {
          add_published_levels(phases, machine, problem.n, size, 1);
        } else {
          const IntervalScan<Real> scan{size, 1, false, double(machine.warp_width), c};
          const Launch* launches = plan.data();
          add_calibrated_levels(phases, scan, launches, problem.n, scan.footprint(1.5 * problem.n));
        }
        return phases;
      },
      [](const Launch& launch, const Problem&, const OccupancyLimits&) {
        return interval_registers(launch);
      });
}

}  // namespace fathom::formulas
