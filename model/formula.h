// The interface of an algorithm's formula: its parameters with their ranges, its own constants, and its
// phases.
#pragma once

#include <fathom/model/phase.h>

#include <boost/math/differentiation/autodiff.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fathom {

/// A number that carries its derivative with respect to one constant.
using Dual = boost::math::differentiation::autodiff_fvar<double, 1>;

enum class LawName { published, calibrated };

enum class ElementType { u32, u64, f32, f64, pair };  ///< pair: two words, added component by component
std::string_view name(ElementType type);
ElementType parse_element_type(std::string_view text);  ///< throws std::invalid_argument naming the choices
int size_in_bytes(ElementType type);
inline double words(ElementType type) {
  return size_in_bytes(type) / 4.0;
}

/// Values of an algorithm's parameters, by name. A handful at most, hence a vector.
class Parameters {
 public:
  Parameters() = default;
  Parameters(std::initializer_list<std::pair<std::string, int>> values) : values_(values) {}
  int at(std::string_view name) const;  ///< throws std::out_of_range naming the parameter
  void set(std::string_view name, int value);
  bool contains(std::string_view name) const;
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }
  bool operator==(const Parameters&) const = default;

 private:
  std::vector<std::pair<std::string, int>> values_;  // in the order of the formula's ParameterInfo
};

struct ParameterInfo {
  std::string name;         ///< as in --set: "E", "t", "K", "alpha"
  std::string meaning;      ///< "elements per thread"
  std::vector<int> values;  ///< every value allowed, ascending: what tune sweeps and bad input is told
  int standard;             ///< the default
};

/// What is to be solved: everything a formula may depend on besides the machine.
struct Problem {
  double n = 0;  ///< elements
  ElementType type = ElementType::u32;
  Parameters parameters;
};

/// A constant of the algorithm itself (a conflict degree, instructions per step), fitted from runs under
/// `calibrated`.
struct ConstantInfo {
  std::string name;  ///< "beta_merge"
  std::string meaning;
  double standard;  ///< the published value, or the count from the kernel's source; what is used when nothing
                    ///< was fitted
  double lowest, highest;  ///< bounds of the fit
};

/// Values of a formula's constants, in the order of Formula::constants.
template <class Real>
using ConstantValues = std::vector<Real>;

struct Formula {
  std::string slug;    ///< "sort-pairwise"
  std::string family;  ///< "sort", "scan", "reduce"
  std::string source;  ///< "karsin2018 §4.1"
  std::vector<ParameterInfo> parameters;
  std::vector<ConstantInfo> constants;

  template <class Real>
  using PhasesFunction =
      std::function<Phases<Real>(const Machine<Real>&, const Problem&, const ConstantValues<Real>&, LawName)>;
  PhasesFunction<double> phases;
  PhasesFunction<Dual> dual_phases;

  Parameters default_parameters() const;
  ConstantValues<double> standard_constants() const;
  /// Throws std::invalid_argument when a parameter is unknown (naming the nearest) or out of range (naming
  /// the range).
  void check(const Parameters& given) const;
  const ParameterInfo* find_parameter(std::string_view name) const;
};

/// Fills both instantiations of `phases` from one generic function.
template <class GenericPhases>
Formula with_phases(Formula formula, GenericPhases phases) {
  formula.phases = phases;
  formula.dual_phases = phases;
  return formula;
}

}  // namespace fathom
