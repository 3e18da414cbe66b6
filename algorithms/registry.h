// The one list of algorithms: the command line, the reports and the tests all read it. Adding an algorithm is
// one formula file (model/formulas), one kernel folder (here) and one line in registry.cpp.
#pragma once

#include <fathom/algorithms/driver.h>
#include <fathom/model/formula.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

struct Algorithm {
  std::string slug;    ///< "sort-pairwise"
  std::string family;  ///< "sort", "scan", "reduce"
  std::string source;  ///< where it is described: "karsin2018 §4.1", "CUB DeviceMergeSort"
  std::vector<ParameterInfo> parameters;
  std::vector<ElementType> types;    ///< that a kernel exists for; empty without kernel
  std::optional<Formula> formula{};  ///< absent for baselines
  MakeDriver make_driver{};          ///< nullptr for algorithms that are a formula only, or not in this build
  DeviceBytes device_bytes{};        ///< nullptr together with make_driver
  KernelList kernels{};              ///< nullptr where nothing is compiled at run time
  bool baseline = false;             ///< another project's kernel, to stand beside ours
};

const std::vector<Algorithm>& algorithms();
/// Throws std::invalid_argument, naming the nearest slug, when there is none of this name.
const Algorithm& algorithm(std::string_view slug);
const Formula* find_formula(std::string_view slug);  ///< nullptr when unknown or without formula

}  // namespace fathom
