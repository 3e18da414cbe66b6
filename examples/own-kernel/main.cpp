// SPDX-License-Identifier: Apache-2.0
// The command `fathom` with three algorithms more.
#include <fathom/cli/main.h>

#include "histogram.h"
#include "stencil.h"
#include "transpose.h"

int main(int count, char** values) {
  for (const fathom::Algorithm& algorithm : {own::transpose(), own::stencil(), own::histogram()})
    fathom::add_algorithm(algorithm);
  return fathom::cli::main(count, values);
}
