// SPDX-License-Identifier: Apache-2.0
// Sizes and quantities as the command line reads and prints them.
#include "functions.h"

#include <fathom/core/text/size.h>
#include <fathom/model/resources.h>
#include <fathom/reports/quantities.h>

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <map>
#include <string>

namespace nb = nanobind;

namespace fathom::python {

void add_texts(nb::module_& module) {
  module.def("size_in", [](const std::string& text) { return size_in(text); });
  module.def("time", reports::time);
  module.def("interval", [](double low, double high) { return reports::time_range({low, high}); });
  module.def("bytes", reports::bytes);
  module.def("bandwidth", reports::bandwidth);
  module.def("throughput",
             [](double per_second) { return reports::throughput(per_second) + "·10^9 elements/s"; });
  module.def("elements", reports::elements);
  module.def("percent", reports::percent);
  module.def("hertz", reports::hertz);
  module.def("resources", [] {
    std::map<std::string, std::string> words;
    for (const ResourceRow& row : resource_rows) words.emplace(row.name, row.words);
    return words;
  });
}

}  // namespace fathom::python
