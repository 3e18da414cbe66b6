// SPDX-License-Identifier: Apache-2.0
// Libraries through which GPUs cannot exchange data. Needs none.
#include "../support/environment.h"
#include "../support/error_of.h"

#include <fathom/device/cuda/nccl.h>
#include <fathom/device/cuda/nccl_group.h>

#include <catch2/catch.hpp>

using namespace fathom;
using Catch::Matchers::Contains;

TEST_CASE("a library of NCCL that is missing or another is refused with both ways out") {
  const auto [file, reason] = GENERATE(table<const char*, const char*>(
      {{"/nowhere/libnccl.so.2", "FATHOM_NCCL names no library: /nowhere/libnccl.so.2"},
       {FAKE_NVML, FAKE_NVML " has no function ncclGetVersion"}}));
  const tests::Environment named("FATHOM_NCCL", file);
  const std::string refusal = tests::error_of<DeviceUnavailable>([] { nccl::library(); });
  CHECK_THAT(refusal, Contains(reason) && Contains("run pip install nvidia-nccl-cu13") &&
                          Contains("or set FATHOM_NCCL to a libnccl.so.2") && !Contains("\n"));
}

TEST_CASE("without NCCL, or a GPU, no group is made") {
  const tests::Environment named("FATHOM_NCCL", "/nowhere/libnccl.so.2");
  CHECK_THROWS_AS(NcclGroup(), DeviceUnavailable);
}
