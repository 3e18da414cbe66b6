// The kernels of contract_kernels.h with their input and what they must do with it.
#pragma once

#include <fathom/device/executor.h>

#include <functional>
#include <string>
#include <vector>

struct ContractCase {
  std::string name;  ///< "SharedAtomic<unsigned int, Add>"
  fathom::Launch launch;
  /// Launches it once. What is wrong with the result; empty if nothing is.
  std::function<std::string(fathom::Executor&)> run;
};

std::vector<ContractCase> contract_cases();
