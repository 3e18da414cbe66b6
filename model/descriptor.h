// The description of an algorithm: what it solves, its parameters, its plan and, if it has one, its formula.
#pragma once

#include <fathom/core/plan.h>
#include <fathom/core/problem.h>
#include <fathom/model/dual.h>
#include <fathom/model/machines/asymptotic_costs.h>
#include <fathom/model/phase.h>

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

/// `published`: the papers' formulas; `counted`: counted work under measured rates; `fitted`: that with two
/// factors per algorithm; `calibrated`: formulas with fitted constants.
enum class LawName { published, counted, fitted, calibrated };
inline constexpr std::array all_laws{LawName::published, LawName::counted, LawName::fitted,
                                     LawName::calibrated};
std::string_view name(LawName law);  ///< "counted"
/// Whether it prices counted work (model/work.h), not the phases of a formula.
constexpr bool uses_work(LawName law) {
  return law == LawName::counted || law == LawName::fitted;
}

/// A constant of the algorithm (a conflict degree, instructions per step), fitted to measurements under
/// `calibrated`.
struct ConstantInfo {
  std::string name;  ///< "beta_merge"
  std::string meaning;
  double default_value;    ///< the published value, or the count from the kernel's source
  double lowest, highest;  ///< range of the fit
};

/// Values of a formula's constants, in the order of Formula::constants.
template <class Real>
using ConstantValues = std::vector<Real>;

/// The work of an algorithm on a machine.
struct Formula {
  std::vector<ConstantInfo> constants;

  /// Under `calibrated` the plan is that of our kernels. Under `published`, and for algorithms without
  /// kernels, it is empty.
  template <class Real>
  using PhasesFunction = std::function<Phases<Real>(const Machine<Real>&, const Problem&, const Plan&,
                                                    const ConstantValues<Real>&, LawName)>;
  PhasesFunction<double> phases;
  PhasesFunction<Dual> dual_phases;
  /// Estimated registers per thread of a launch.
  std::function<double(const Launch&, const Problem&, const OccupancyLimits&)> registers{};

  ConstantValues<double> default_constants() const;
};

/// A formula from one generic function that returns its phases.
template <class GenericPhases>
Formula make_formula(
    std::vector<ConstantInfo> constants, GenericPhases phases,
    std::function<double(const Launch&, const Problem&, const OccupancyLimits&)> registers = {}) {
  return {std::move(constants), phases, phases, std::move(registers)};
}

struct Descriptor {
  std::string slug;  ///< "sort-pairwise"
  Kind kind{};
  std::string group{};  ///< its folder: "sort/merge"
  std::string source;   ///< the publication or library: "karsin2018 §4.1", "CUB DeviceMergeSort"
  std::vector<ParameterInfo> parameters{};
  std::vector<ElementType> types{};  ///< for which it has kernels; empty without kernels
  bool stable = false;               ///< a sort that keeps the order of equal keys
  bool baseline = false;             ///< another project's kernels, for comparison
  /// The launches for a problem that check() accepts; nullptr if none of our kernels run.
  std::function<Plan(const Problem&, const PlanDevice&)> plan{};
  std::optional<Formula> formula{};  ///< absent for baselines
  asymptotic::Costs asymptotic_costs{};

  Parameters default_parameters() const { return fathom::default_parameters(parameters); }
  /// n elements and defaults for the rest.
  Problem problem(double n, ElementType type = ElementType::u32) const;
  /// nullptr if there is none of this name.
  const ParameterInfo* find_parameter(std::string_view name) const;
  /// Throws std::invalid_argument for an unknown parameter, naming the nearest, or a value out of range,
  /// naming the range.
  void check(const Parameters& given) const;
  /// Throws std::invalid_argument, saying what the algorithm can solve, for a problem of another kind and for
  /// unsupported types, values, orders or stability.
  void check(const Problem& problem) const;
};

/// The machine as plans see it. It estimates resident blocks with the formula's registers. All three
/// arguments must outlive it.
template <class Real>
PlanDevice plan_device(const Machine<Real>& machine, const Descriptor& algorithm, const Problem& problem);

/// The plan that the model prices, based on the formula's estimate of registers. Empty without kernels.
template <class Real>
Plan plan_on(const Machine<Real>& machine, const Descriptor& algorithm, const Problem& problem);

}  // namespace fathom
