// SPDX-License-Identifier: Apache-2.0
// Two processes with a GPU each, which mpiexec starts. Skipped (exit code 77) with fewer than two GPUs, or
// without NCCL.
#include "../support/error_of.h"
#include "../support/skip.h"

#include <fathom/algorithms/gpus/group_workload.h>
#include <fathom/device/cuda/nccl_group.h>
#include <fathom/mpi/mpi_processes.h>

#include <catch2/catch.hpp>

using namespace fathom;
using namespace fathom::tests;

namespace {

/// Until the program ends.
Processes& processes() {
  static MpiProcesses all;
  return all;
}

}  // namespace

TEST_CASE("GPUs of several processes sort, scan and add up what is spread over them") {
  skip_without_several_gpus();
  constexpr Index n = 1'000'003;
  Spread uneven = equal_parts(n, processes().size());
  uneven[1] = 1000;
  NcclGroup group(processes());
  CHECK(group.has_one_clock());
  for (const GroupAlgorithm& algorithm : group_algorithms())
    for (const int scheme : {1, 2})
      for (const Spread& spread : {equal_parts(n, processes().size()), uneven}) {
        const bool is_sort = algorithm.kind == Kind::sort;
        if (algorithm.baseline || (!is_sort && scheme == 2)) continue;
        INFO(algorithm.slug << ", scheme " << scheme << ", " << spread[1] << " on the first");
        Problem problem = algorithm.problem(n, ElementType::u64);
        if (is_sort) problem.parameters.set("scheme", scheme);
        CHECK_NOTHROW(group.run([&](Communicator& own) {
          make_group_workload(algorithm, own, problem, Input::random, spread)->check();
        }));
      }
}

TEST_CASE("a rank that throws ends the others' run, after which NCCL begins anew") {
  skip_without_several_gpus();
  NcclGroup group(processes());
  const auto gather = [](Communicator& own) {
    const DeviceArray<u32> from(own.executor(), 1), to(own.executor(), std::size_t(own.size()));
    own.all_gather(from.data(), from.bytes(), to.data());
    own.executor().synchronize();
  };
  const bool is_rank_1 = processes().rank() == 1;
  CHECK(error_of([&] {
          group.run([&](Communicator& own) {
            gather(own);
            if (is_rank_1) throw KernelFailure("a kernel failed");
            gather(own);
          });
        }) == (is_rank_1 ? "a kernel failed" : "exchange 2: rank 1 failed: a kernel failed"));
  CHECK_NOTHROW(group.run(gather));
}
