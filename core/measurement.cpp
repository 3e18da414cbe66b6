#include <fathom/core/measurement.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace fathom {

Quartiles quartiles(std::vector<double> samples) {
  if (samples.empty()) throw std::invalid_argument("no samples to take quartiles of");
  std::sort(samples.begin(), samples.end());
  const auto at = [&](double share) {
    const double position = share * double(samples.size() - 1);
    const auto below = std::size_t(position);
    const auto above = std::min(below + 1, samples.size() - 1);
    return std::lerp(samples[below], samples[above], position - double(below));
  };
  return {at(0.25), at(0.5), at(0.75)};
}

}  // namespace fathom
