// SPDX-License-Identifier: Apache-2.0
#include "errors.h"
#include "functions.h"

namespace nb = nanobind;

NB_MODULE(_core, module) {
  module.attr("__version__") = FATHOM_VERSION;
  fathom::python::translate_exceptions();
  fathom::python::add_listings(module);
  fathom::python::add_texts(module);
  fathom::python::add_predicting(module);
  fathom::python::add_sweep(module);
  fathom::python::add_measuring(module);
  fathom::python::add_running(module);
}
