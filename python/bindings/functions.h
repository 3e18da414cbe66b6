// SPDX-License-Identifier: Apache-2.0
// The functions of fathom._core, by concern. Those that answer with text give the JSON of the command of that
// name.
#pragma once

#include <nanobind/nanobind.h>

namespace fathom::python {

void add_listings(nanobind::module_& module);    ///< algorithms, devices, and the options of all calls
void add_texts(nanobind::module_& module);       ///< sizes, and quantities as the command prints them
void add_predicting(nanobind::module_& module);  ///< predict, tune, and launches of reports
void add_sweep(nanobind::module_& module);
void add_measuring(nanobind::module_& module);  ///< all other calls
void add_running(nanobind::module_& module);    ///< the kernels as functions

}  // namespace fathom::python
