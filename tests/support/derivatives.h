// SPDX-License-Identifier: Apache-2.0
// Derivatives of a predicted time by every constant of a machine, against finite differences.
#pragma once

#include <fathom/model/laws/sensitivities.h>
#include <fathom/model/machine.h>

#include <catch2/catch.hpp>

#include <cmath>
#include <string>
#include <vector>

namespace fathom::tests {

/// The machine with its constant number `which` replaced by what `change` makes of it.
template <class Real, class Change>
Machine<Real> with_changed(Machine<Real> machine, std::size_t which, Change change) {
  std::size_t next = 0;
  for_each_constant(machine, [&](std::string_view, std::optional<Real>& value) {
    if (next++ == which) value = change(*value);
  });
  return machine;
}

/// `seconds` gives the time on a Machine<double> and, the same, on a Machine<Dual>. Derivatives are compared
/// as elasticities: relative changes of the time per relative change of the constant.
template <class Seconds>
void check_derivatives(const Machine<double>& machine, Seconds seconds) {
  constexpr double step = 1e-5;
  const double time = seconds(machine);
  const Machine<Dual> dual = as_dual(machine);
  REQUIRE(static_cast<double>(seconds(dual)) == Approx(time).epsilon(1e-12));
  std::vector<std::pair<std::string, double>> constants;
  for_each_constant(machine, [&](std::string_view name, const std::optional<double>& value) {
    constants.emplace_back(name, value.value_or(0));
  });
  for (std::size_t which = 0; which < constants.size(); ++which) {
    const auto& [name, value] = constants[which];
    if (!(value > 0)) continue;
    const auto scaled = [&](double factor) {
      return seconds(with_changed(machine, which, [&](double constant) { return constant * factor; }));
    };
    const auto as_variable = [](const Dual& constant) { return variable(static_cast<double>(constant)); };
    const double derivative = seconds(with_changed(dual, which, as_variable)).derivative(1);
    INFO(name);
    REQUIRE(derivative * value / time ==
            Approx((scaled(1 + step) - scaled(1 - step)) / (2 * step) / time).margin(1e-4));
  }
}

}  // namespace fathom::tests
