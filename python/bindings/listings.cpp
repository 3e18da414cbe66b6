#include "functions.h"
#include "interrupt.h"

#include <fathom/calls/profiles.h>
#include <fathom/reports/json/json.h>

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace fathom::python {

void add_listings(nb::module_& module) {
  module.def("algorithms", [] { return reports::json(fathom::algorithms()); });
  module.def("devices", [] {
    return interruptible(
        [](const calls::Listener& listener) { return reports::json(calls::known_devices(listener)); });
  });
}

}  // namespace fathom::python
