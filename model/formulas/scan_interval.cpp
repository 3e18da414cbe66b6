// Optimal scan by interval sums: nakano2012; models.md §8.
//
// Level by level the sums of pairs, then from the prefix sums of a level those of the one above: two kernels
// per level, work space less than the input. The published one goes down to a single sum, the kernels until
// one block can scan what is left.
#include <fathom/model/formulas/formulas.h>
#include <fathom/model/formulas/interval_levels.h>

namespace fathom {

using namespace formulas;

Formula scan_interval() {
  Formula formula;
  formula.slug = "scan-interval";
  formula.family = "scan";
  formula.source = "nakano2012 (optimal prefix-sums)";
  formula.parameters = {{"t", "threads per block", {128, 256, 512}, 256}};
  formula.constants = interval_constants();
  return with_phases(formula, [](const auto& machine, const Problem& problem, const auto& c, LawName law) {
    using Real = typename std::decay_t<decltype(c)>::value_type;
    Phases<Real> phases;
    const double size = words(problem.type);
    if (law == LawName::published) {
      add_published_levels(phases, machine, problem.n, size, 1);
    } else {
      const IntervalScan<Real> scan{size,  problem.parameters.at("t"), 1,
                                    false, double(machine.warp_width), c};
      add_calibrated_levels(phases, scan, problem.n, scan.footprint(1.5 * problem.n));
    }
    return phases;
  });
}

}  // namespace fathom
