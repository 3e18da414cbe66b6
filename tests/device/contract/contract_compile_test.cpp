// The contract kernels compile for every supported architecture. Needs no GPU.
#include "../../support/need_compiler.h"
#include "contract_cases.h"

#include <fathom/device/cuda/cuda_executor.h>
#include <fathom/model/architectures.h>

#include <catch2/catch.hpp>

using namespace fathom;

TEST_CASE("every contract kernel compiles for every supported architecture") {
  tests::need_compiler();
  for (const int architecture : supported_architectures(Support::compiled))
    for (const ContractCase& each : contract_cases()) {
      INFO("sm_" << architecture << " " << each.name);
      CompiledKernel compiled;
      CHECK_NOTHROW(compiled = compile_kernel(each.launch.source(), each.launch.shape.threads, architecture));
      CHECK(compiled.cubin.size() > 1000);
    }
}
