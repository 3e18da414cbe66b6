#include "arguments.h"
#include "errors.h"
#include "functions.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using fathom::python::Asked;

NB_MODULE(_core, module) {
  module.attr("__version__") = FATHOM_VERSION;
  nb::class_<Asked>(module, "Asked")
      .def(nb::init<std::string, std::string, bool, std::string, std::string, std::string, double,
                    std::string, std::vector<std::string>, bool>(),
           nb::kw_only(), nb::arg("algorithm"), nb::arg("type"), nb::arg("stable"), nb::arg("device"),
           nb::arg("law"), nb::arg("ceiling"), nb::arg("composition"), nb::arg("input"), nb::arg("what_if"),
           nb::arg("sensitivities"));
  fathom::python::translate_exceptions();
  fathom::python::add_listings(module);
  fathom::python::add_predicting(module);
  fathom::python::add_sweep(module);
  fathom::python::add_measuring(module);
}
