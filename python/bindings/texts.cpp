// SPDX-License-Identifier: Apache-2.0
// Sizes as the command line reads them.
#include "functions.h"

#include <fathom/core/text/size.h>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <string>

namespace nb = nanobind;

namespace fathom::python {

void add_texts(nb::module_& module) {
  module.def("size_in", [](const std::string& text) { return size_in(text); });
}

}  // namespace fathom::python
