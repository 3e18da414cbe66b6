// SPDX-License-Identifier: Apache-2.0
// The parameters of algorithms and their values.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fathom {

/// Values of an algorithm's parameters, by name. A handful at most, hence a vector.
class Parameters {
 public:
  Parameters() = default;
  Parameters(std::initializer_list<std::pair<std::string, int>> values) : values_(values) {}
  int at(std::string_view name) const;  ///< throws std::out_of_range naming the parameter
  void set(std::string_view name, int value);
  bool contains(std::string_view name) const;
  bool empty() const { return values_.empty(); }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }
  bool operator==(const Parameters&) const = default;
  auto operator<=>(const Parameters&) const = default;

 private:
  std::vector<std::pair<std::string, int>> values_;  // in the order of the algorithm's ParameterInfo
};

struct ParameterInfo {
  std::string name;         ///< as in --set: "E", "t", "K", "alpha"
  std::string meaning;      ///< "elements per thread"
  std::vector<int> values;  ///< allowed values, ascending: tune sweeps them, and error messages list them
  int default_value;
  bool of_problem = false;  ///< a part of the problem: tune does not choose it
};

Parameters default_parameters(const std::vector<ParameterInfo>& infos);
/// first, first + 1, …, last.
std::vector<int> consecutive(int first, int last);

}  // namespace fathom
