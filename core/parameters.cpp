// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/parameters.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace fathom {

int Parameters::at(std::string_view name) const {
  for (const auto& [known, value] : values_)
    if (known == name) return value;
  throw std::out_of_range("parameter '" + std::string(name) + "' has no value");
}

void Parameters::set(std::string_view name, int value) {
  for (auto& [known, old] : values_)
    if (known == name) {
      old = value;
      return;
    }
  values_.emplace_back(name, value);
}

bool Parameters::contains(std::string_view name) const {
  return std::any_of(values_.begin(), values_.end(),
                     [name](const auto& entry) { return entry.first == name; });
}

Parameters default_parameters(const std::vector<ParameterInfo>& infos) {
  Parameters parameters;
  for (const ParameterInfo& info : infos) parameters.set(info.name, info.default_value);
  return parameters;
}

std::vector<int> consecutive(int first, int last) {
  std::vector<int> values(std::size_t(last - first + 1));
  std::iota(values.begin(), values.end(), first);
  return values;
}

}  // namespace fathom
