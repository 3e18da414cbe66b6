#include "arguments.h"
#include "errors.h"
#include "functions.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using fathom::python::Asked;

NB_MODULE(_core, module) {
  module.attr("__version__") = FATHOM_VERSION;
  nb::class_<Asked>(module, "Asked")
      .def(nb::init<std::string, std::string, bool, std::string, fathom::python::OptionValues>(),
           nb::kw_only(), nb::arg("algorithm"), nb::arg("type"), nb::arg("stable"), nb::arg("device"),
           nb::arg("options"));
  fathom::python::translate_exceptions();
  fathom::python::add_listings(module);
  fathom::python::add_predicting(module);
  fathom::python::add_sweep(module);
  fathom::python::add_measuring(module);
}
