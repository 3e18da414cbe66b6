// SPDX-License-Identifier: Apache-2.0
// Functions of numbers that may carry a derivative.
#pragma once

#include <boost/math/differentiation/autodiff.hpp>
#include <cmath>

namespace fathom {

/// A number that carries its derivative with respect to one constant.
using Dual = boost::math::differentiation::autodiff_fvar<double, 1>;

namespace real {

using std::exp;
using std::log;

// Boost's exp and log of a Dual spend most of their time on the factorials of a Taylor series, of which only
// 0! and 1! are needed here. The results are the same.
inline Dual exp(const Dual& x) {
  const double value = std::exp(static_cast<double>(x));
  return x.apply_coefficients(1, [value](std::size_t) { return value; });
}
inline Dual log(const Dual& x) {
  const double at = static_cast<double>(x), value = std::log(at);
  return x.apply_coefficients(1, [at, value](std::size_t i) { return i == 0 ? value : 1 / at; });
}

// Not std::max: it must not bind a Dual to a reference to a temporary.
template <class Real>
Real max(const Real& a, const Real& b) {
  return a < b ? b : a;
}

template <class Real>
Real min(const Real& a, const Real& b) {
  return b < a ? b : a;
}

inline double plain(double x) {
  return x;
}
inline double plain(const Dual& x) {
  return static_cast<double>(x);
}

}  // namespace real
}  // namespace fathom
