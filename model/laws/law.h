// SPDX-License-Identifier: Apache-2.0
// Performance laws: ways from an algorithm, a problem and a machine to a time. Callers ask a law what it
// needs and what it can do; none of them depends on its name. A new law is a file with its Law, and a row of
// the table in law.cpp.
#pragma once

#include <fathom/model/descriptor.h>
#include <fathom/model/work.h>

#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

struct Prediction;   // predict.h
struct Sensitivity;  // sensitivity.h

enum class LawName { published, counted, fitted };
inline constexpr std::array all_laws{LawName::published, LawName::counted, LawName::fitted};
std::string_view name(LawName law);  ///< "counted"
/// Throws std::invalid_argument for an unknown name, with the choices.
LawName parse_law(std::string_view text);

/// How level times are combined: (T_g^q + T_s^q + T_r^q)^(1/q). q = 1 is the sum (no overlap), infinity the
/// maximum.
struct Composition {
  double q = 1;
  static constexpr Composition sum() { return {1}; }
  static constexpr Composition max() { return {std::numeric_limits<double>::infinity()}; }
};

enum class Ceiling { as_printed, always, never };
std::string_view name(Ceiling ceiling);  ///< "as-printed"
/// "as-printed", "always" or "never". Throws std::invalid_argument for other text, with the choices.
Ceiling parse_ceiling(std::string_view text);

std::string text_of(const Composition& composition);  ///< "sum", "max", "1.5"
/// "sum", "max", or an exponent q from 1 to 64. Throws std::invalid_argument for other text.
Composition parse_composition(std::string_view text);

/// A law, and how it is read where the papers leave a choice.
struct Law {
  LawName law = LawName::counted;
  // These are of laws that have readings (LawDefinition).
  Ceiling ceiling = Ceiling::as_printed;  ///< of ⌈L/(X·I)⌉
  Composition composition{};
  Parameters options{};  ///< of the formula (Descriptor::options)
};

/// The two constants that the law `fitted` has for an algorithm, with all its types and parameters; `counted`
/// has none: they are 1.
template <class Real>
struct Factors {
  Real work{1};     ///< of the clocks of every resource
  Real waiting{1};  ///< of λ, without sleep and turnover
};

/// How many threads each core holds, in the kernel or phase of a run with the most shared accesses.
struct Multiplicity {
  double X;                   ///< resident threads per core
  std::optional<double> I{};  ///< accesses to global memory in flight per thread; only formulas state it
};

/// One problem on one machine, as a law sees it.
class LawRun {
 public:
  virtual ~LawRun() = default;
  /// Throws MissingConstant, and ImpossibleTime.
  virtual Prediction predicted() const = 0;
  /// Also what limits the time. Throws like predicted(), and may take ten times as long.
  virtual Prediction explained() const = 0;
  virtual std::vector<Sensitivity> sensitivities() const = 0;
  virtual Multiplicity multiplicity() const = 0;
  /// The variance of log T that follows from the covariance of the logarithms of the factors, row by row. T
  /// is the predicted time.
  virtual double variance_of_factors(const std::array<double, 4>& covariance, double time_s) const = 0;
};

/// What a law is asked. All that is referred to must outlive the LawRun.
struct LawQuestion {
  const Descriptor& algorithm;
  const Machine<double>& machine;
  const Problem& problem;
  Law law;
  const AlgorithmWork* work =
      nullptr;                ///< for laws that need it: of the problem's type, parameters and input
  Factors<double> factors{};  ///< for laws that need a fit
  /// β of the problem's input, counted, for formulas that need it (InputDependence::conflicts); absent: of
  /// random input.
  std::optional<double> conflict{};
};

/// How far a law is off that uses no run: σ of log(measured / predicted), the root mean square over the
/// algorithms it was compared with, of which each weighs the same.
struct LawError {
  double sigma;
  int algorithms;
};

/// What a prediction rests on where work was not counted.
struct Assumptions {
  std::vector<std::string> sentences{};  ///< one each
  std::optional<LawError> error{};       ///< of the time; absent: unknown
};

/// What the times of a law consist of.
enum class Explains {
  levels,    ///< the levels of memory: Prediction::terms, bottleneck and phases
  resources  ///< the machine's resources: Prediction::resources, bound and kernels
};

struct LawDefinition {
  LawName law;
  std::string_view name;
  std::string_view meaning;  ///< one line
  bool needs_work;           ///< prices the counted work of kernels; else the phases of a formula
  bool needs_fit;            ///< the profile must have the algorithm's factors
  bool knows_inputs;         ///< prices other inputs than random
  bool asks_formula;         ///< prices those that the formula can (InputDependence)
  bool has_readings;         ///< Law::ceiling, composition and options change its times
  Explains explains;
  std::optional<LawError> error;  ///< absent if it is unknown, or stated by the fit
  /// Throws std::invalid_argument for a problem that the algorithm does not solve, BlockTooLarge.
  std::unique_ptr<LawRun> (*run)(const LawQuestion&);

  /// The algorithm has what the law prices.
  bool applies_to(const Descriptor& algorithm) const {
    if (!needs_work) return algorithm.formula.has_value();
    return algorithm.plan || (algorithm.steps && !needs_fit);  // an algorithm with steps has no fit
  }
  bool has_intervals() const { return needs_fit || error.has_value(); }
};

/// The row of the table.
const LawDefinition& definition(LawName law);

}  // namespace fathom
