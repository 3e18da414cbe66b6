// What the model knows of an algorithm: what it solves, its parameters, its plan, and its formula where it
// has one.
#pragma once

#include <fathom/core/plan.h>
#include <fathom/core/problem.h>
#include <fathom/model/machines/asymptotic_costs.h>
#include <fathom/model/phase.h>

#include <boost/math/differentiation/autodiff.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

/// A number that carries its derivative with respect to one constant.
using Dual = boost::math::differentiation::autodiff_fvar<double, 1>;

enum class LawName { published, calibrated };

/// A constant of the algorithm itself (a conflict degree, instructions per step), fitted from runs under
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

/// What an algorithm asks of a machine.
struct Formula {
  std::vector<ConstantInfo> constants;

  /// Under `calibrated` the plan is that of the project's kernels; under `published`, and for an algorithm
  /// without kernels, it is empty.
  template <class Real>
  using PhasesFunction = std::function<Phases<Real>(const Machine<Real>&, const Problem&, const Plan&,
                                                    const ConstantValues<Real>&, LawName)>;
  PhasesFunction<double> phases;
  PhasesFunction<Dual> dual_phases;
  /// Estimate of the registers that a thread of a launch takes.
  std::function<double(const Launch&, const Problem&, const OccupancyLimits&)> registers{};

  ConstantValues<double> default_constants() const;
};

/// A formula from one generic function of its phases.
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
  std::string source;   ///< where it is described: "karsin2018 §4.1", "CUB DeviceMergeSort"
  std::vector<ParameterInfo> parameters{};
  std::vector<ElementType> types{};  ///< that it has kernels for; empty without kernels
  bool stable = false;               ///< a sort that keeps the order of equal keys
  bool baseline = false;             ///< another project's kernels, to stand beside ours
  /// The launches for a problem that check() accepts; nullptr where none of our kernels run.
  std::function<Plan(const Problem&, const PlanDevice&)> plan{};
  std::optional<Formula> formula{};  ///< absent for baselines
  asymptotic::Costs asymptotic_costs{};

  Parameters default_parameters() const { return fathom::default_parameters(parameters); }
  /// n elements and defaults for the rest.
  Problem problem(double n, ElementType type = ElementType::u32) const;
  /// nullptr where there is none of this name.
  const ParameterInfo* find_parameter(std::string_view name) const;
  /// Throws std::invalid_argument when a parameter is unknown (naming the nearest) or out of range (naming
  /// the range).
  void check(const Parameters& given) const;
  /// Throws std::invalid_argument for what the algorithm cannot solve, saying what it can: also for a type
  /// without kernels, values, another order, stability.
  void check(const Problem& problem) const;
};

/// The machine as plans see it, its resident blocks estimated from the registers of the formula. All three
/// must outlive it.
template <class Real>
PlanDevice plan_device(const Machine<Real>& machine, const Descriptor& algorithm, const Problem& problem);

/// The plan as the model sees it: with the registers that the formula estimates. Empty without kernels.
template <class Real>
Plan plan_on(const Machine<Real>& machine, const Descriptor& algorithm, const Problem& problem);

}  // namespace fathom
