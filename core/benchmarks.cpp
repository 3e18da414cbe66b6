// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/benchmarks.h>

#include <algorithm>
#include <stdexcept>

namespace fathom {

Series series_of(const Benchmark& benchmark, std::map<std::string, double> coordinates) {
  const auto wanted = std::ranges::count_if(benchmark.coordinates, [](const char* name) { return name; });
  for (const char* name : benchmark.coordinates)
    if (name && !coordinates.contains(name))
      throw std::logic_error(std::string(benchmark.name) + " lacks the coordinate " + name);
  if (coordinates.size() != std::size_t(wanted))
    throw std::logic_error(std::string(benchmark.name) + " has a coordinate that its descriptor lacks");
  return {std::string(benchmark.name), std::move(coordinates), std::string(benchmark.unit), {}, 0, false};
}

}  // namespace fathom
