// SPDX-License-Identifier: Apache-2.0
// The command `fathom` with six algorithms more.
#include <fathom/cli/main.h>

#include "gather.h"
#include "histogram.h"
#include "row_norms.h"
#include "row_sums.h"
#include "stencil.h"
#include "transpose.h"

int main(int count, char** values) {
  for (const fathom::Algorithm& algorithm :
       {own::row_norms(), own::transpose(), own::stencil(), own::histogram(), own::gather(), own::row_sums()})
    fathom::add_algorithm(algorithm);
  return fathom::cli::main(count, values);
}
