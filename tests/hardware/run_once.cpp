// SPDX-License-Identifier: Apache-2.0
// run_once ALGORITHM N TYPE [parameter value]…: runs the kernels of an algorithm, or of a rank's part of one
// for several GPUs, on the GPU once, on random input, for a profiler, and checks the result.
#include <fathom/algorithms/gpus/rank_parts.h>
#include <fathom/device/cuda/cuda_executor.h>

#include <cstdlib>
#include <iostream>

int main(int count, char** values) {
  using namespace fathom;
  if (count < 4 || count % 2 != 0) {
    std::cerr << "run_once ALGORITHM N TYPE [parameter value]...\n";
    return 2;
  }
  try {
    const Algorithm& chosen = algorithm_or_part(values[1]);
    const KeyAndValue type = parse_type_text(values[3]);
    Problem problem = chosen.problem(std::atof(values[2]), type.key);
    problem.value_type = type.value;
    for (int i = 4; i + 1 < count; i += 2) problem.parameters.set(values[i], std::atoi(values[i + 1]));
    CudaExecutor executor;
    chosen.make_workload(executor, problem, Input::random)->check();
  } catch (const std::exception& error) {
    std::cerr << "run_once: " << error.what() << '\n';
    return 1;
  }
}
