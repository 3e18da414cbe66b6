// SPDX-License-Identifier: Apache-2.0
// run_contract_kernel: lists the contract kernels (tests/device/contract/contract_kernels.h), one per line.
// run_contract_kernel NAME: runs it once on the GPU, for a profiler, and checks the result.
// run_contract_kernel --count NAME: runs it on the CPU and prints the counts as one JSON object.
#include "contract_cases.h"

#include <fathom/device/counting/counting_executor.h>
#include <fathom/device/cuda/cuda_executor.h>

#include <algorithm>
#include <iostream>
#include <map>

namespace {

using namespace fathom;

const ContractCase& find(const std::vector<ContractCase>& cases, const std::string& name) {
  const auto found =
      std::find_if(cases.begin(), cases.end(), [&](const auto& one) { return one.name == name; });
  if (found == cases.end())
    throw std::invalid_argument("unknown contract kernel '" + name + "': without arguments this lists them");
  return *found;
}

void run(const ContractCase& one, Executor& executor) {
  const std::string wrong = one.run(executor);
  if (!wrong.empty()) throw KernelFailure(one.name + ": " + wrong);
}

/// By the names that scripts/check-counts uses for hardware counters.
std::map<std::string, u64> quantities(const KernelCounts& counts) {
  std::map<std::string, u64> all;
  for (const auto operation : {MemoryOperation::load, MemoryOperation::store, MemoryOperation::atomic}) {
    const std::string of(name(operation));
    all["global." + of + ".accesses"] = counts.global(operation).accesses;
    all["global." + of + ".sectors"] = counts.global(operation).sectors;
    all["shared." + of + ".accesses"] = counts.shared(operation).accesses;
    all["shared." + of + ".wavefronts"] = counts.shared(operation).wavefronts;
  }
  for (const Instruction instruction : all_instructions)
    all[std::string(name(instruction))] = counts.count(instruction);
  return all;
}

}  // namespace

int main(int count, char** values) {
  try {
    const auto cases = contract_cases();
    const std::vector<std::string> arguments(values + 1, values + count);
    if (arguments.empty()) {
      for (const ContractCase& one : cases) std::cout << one.name << '\n';
    } else if (arguments.size() == 2 && arguments[0] == "--count") {
      const ContractCase& one = find(cases, arguments[1]);
      CountingExecutor executor;
      run(one, executor);
      const char* separator = "{";
      for (const auto& [quantity, value] : quantities(executor.counts().at(0))) {
        std::cout << separator << '"' << quantity << "\": " << value;
        separator = ", ";
      }
      std::cout << "}\n";
    } else if (arguments.size() == 1) {
      CudaExecutor executor;
      run(find(cases, arguments[0]), executor);
    } else {
      std::cerr << "run_contract_kernel [[--count] NAME]\n";
      return 2;
    }
  } catch (const std::exception& error) {
    std::cerr << "run_contract_kernel: " << error.what() << '\n';
    return 1;
  }
}
