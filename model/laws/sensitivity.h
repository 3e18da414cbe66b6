// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

namespace fathom {

/// ∂ log T/∂ log c (sensitivities.h, which takes long to compile).
struct Sensitivity {
  std::string constant;  ///< as for_each_constant() names it
  double value = 0;      ///< −0.5: 10 % more of it takes about 5 % less time
};

}  // namespace fathom
