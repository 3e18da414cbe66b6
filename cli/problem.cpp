#include "problem.h"

#include <fmt/format.h>

#include "arguments.h"

namespace fathom::cli {

const Formula& formula_named(const std::string& slug) {
  const Algorithm& found = algorithm(slug);
  if (!found.formula)
    throw UsageError(fmt::format("{} is a baseline: it is measured, there is no formula for it", slug));
  return *found.formula;
}

double bytes_needed(const Algorithm& algorithm, const Problem& problem) {
  if (algorithm.device_bytes) return double(algorithm.device_bytes(problem));
  return 2 * problem.n * size_in_bytes(problem.type);
}

void check_fits(const Algorithm& algorithm, const Problem& problem, const Machine<double>& machine) {
  const double needed = bytes_needed(algorithm, problem), there = machine.global_memory.value;
  if (there > 0 && needed > there)
    throw std::runtime_error(
        fmt::format("{} of {:.0f} {} needs {:.0f} bytes of GPU memory, {} has {:.0f}: take a smaller n",
                    algorithm.slug, problem.n, name(problem.type), needed, machine.name, there));
}

}  // namespace fathom::cli
