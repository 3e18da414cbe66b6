// SPDX-License-Identifier: Apache-2.0
// Algorithms over simulated GPUs of two or three processes, which mpiexec starts: each runs all cases.
#include "../algorithms/filled.h"

#include <fathom/algorithms/gpus/group_workload.h>
#include <fathom/device/group/simulated_process_group.h>
#include <fathom/mpi/mpi_processes.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>

using namespace fathom;
using namespace fathom::tests;

namespace {

constexpr std::chrono::seconds limit{10};

/// Until the program ends.
Processes& processes() {
  static MpiProcesses all;
  return all;
}

/// Parts of n elements, of which the first ranks have few or none.
std::vector<Spread> spreads_of(Index n) {
  const int ranks = processes().size();
  Spread on_last(std::size_t(ranks) + 1, 0), uneven = equal_parts(n, ranks);
  on_last.back() = n;
  if (ranks > 1) uneven[1] = 10;
  return {equal_parts(n, ranks), on_last, uneven};
}

void checks(const GroupAlgorithm& algorithm, const Problem& problem, Input input) {
  SimulatedProcessGroup group(processes(), {}, limit);
  for (const Spread& spread : spreads_of(Index(problem.n))) {
    INFO(algorithm.slug << " " << type_text(problem) << " " << name(input) << ", up to " << spread[1]
                        << " on the first rank");
    CHECK_NOTHROW(group.run([&](Communicator& own) {
      const auto workload = make_group_workload(algorithm, own, problem, input, spread);
      workload->check();
      if (workload->output_spread().back() !=
          (algorithm.kind == Kind::reduce ? Index(own.size()) : Index(problem.n)))
        throw std::logic_error("output is missing");
    }));
  }
}

}  // namespace

TEST_CASE("every algorithm for several GPUs passes its check in several processes") {
  constexpr Index n = 3000;
  for (const char* slug : {"reduce-gpus", "scan-gpus"}) {
    const GroupAlgorithm& algorithm = group_algorithm(slug);
    checks(algorithm, algorithm.problem(n, ElementType::u32), Input::random);
    checks(algorithm, algorithm.problem(n, ElementType::f64), Input::random);
  }
  const GroupAlgorithm& sort = group_algorithm("sort-gpus");
  for (const int scheme : {1, 2}) {
    const auto of_scheme = [&](const Instantiation& of) {
      Problem problem = sort.problem(n, of);
      problem.parameters.set("scheme", scheme);
      return problem;
    };
    checks(sort, of_scheme(ElementType::u32), Input::random);
    checks(sort, of_scheme(ElementType::f64), Input::equal);
    checks(sort, of_scheme(Instantiation({ElementType::u64, ElementType::u32}, true)), Input::few_unique);
  }
}

TEST_CASE("all parts of a sort together are what the standard library sorts") {
  const std::vector<u64> keys = keys_of<u64>(Input::zipf, 4000);
  const Spread spread = equal_parts(Index(keys.size()), processes().size());
  SimulatedProcessGroup group(processes(), {}, limit);
  std::vector<u64> sorted;  // this rank's
  group.run([&](Communicator& own) {
    const auto begin = std::size_t(spread[std::size_t(own.rank())]),
               end = std::size_t(spread[std::size_t(own.rank()) + 1]);
    const DeviceArray<u64> part(own.executor(), std::span<const u64>(keys).subspan(begin, end - begin));
    const GroupAlgorithm& sort = group_algorithm("sort-gpus");
    const auto call = sort.make_call(own, sort.problem(double(end - begin), ElementType::u64));
    const OwnPart out = call->run({part.data()});
    sorted = download(own.executor(), Span<const u64>{static_cast<const u64*>(out.keys), u64(out.count)});
  });
  const auto bytes = std::as_bytes(std::span<const u64>(sorted));
  std::vector<u64> all;
  for (const Message& part : gathered(processes(), {bytes.begin(), bytes.end()}, limit, "the comparison")) {
    std::vector<u64> of_rank(part.size() / sizeof(u64));
    if (!part.empty()) std::memcpy(of_rank.data(), part.data(), part.size());
    all.insert(all.end(), of_rank.begin(), of_rank.end());
  }
  std::vector<u64> expected = keys;
  std::ranges::sort(expected);
  CHECK(all == expected);
}

namespace {

/// What a run threw on this rank, "" for nothing.
std::string error_of_run(const std::function<void(Communicator&, const u32* from, u32* to)>& exchange) {
  SimulatedProcessGroup group(processes(), {}, limit);
  try {
    group.run([&](Communicator& own) {
      const DeviceArray<u32> from(own.executor(), 4), to(own.executor(), 4 * std::size_t(own.size()));
      own.all_gather(from.data(), 4, to.data());
      exchange(own, from.data(), to.data());
    });
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("ranks of several processes that do not fit fail alike, with one line") {
  if (processes().size() == 1) return;  // there is no other
  CHECK(error_of_run([](Communicator& own, const u32* from, u32* to) {
          own.rank() == 1 ? own.all_reduce(from, to, 1) : own.all_gather(from, 4, to);
        }) == "exchange 2: all_gather: rank 0 called it, rank 1 all_reduce");
  CHECK(error_of_run([](Communicator& own, const u32* from, u32* to) {
          own.all_gather(from, own.rank() == 1 ? 4 : 8, to);
        }) == "exchange 2: all_gather: rank 0 sends 8 bytes to rank 1, which expects 4");
  const bool is_rank_1 = processes().rank() == 1;
  CHECK(error_of_run([&](Communicator& own, const u32* from, u32* to) {
          if (is_rank_1) throw KernelFailure("a kernel failed");
          own.all_gather(from, 4, to);
        }) == (is_rank_1 ? "a kernel failed" : "exchange 2: rank 1 failed: a kernel failed"));
  CHECK(error_of_run([&](Communicator& own, const u32* from, u32* to) {
          if (!is_rank_1) own.all_gather(from, 4, to);
        }) == (is_rank_1 ? "rank 0 failed: exchange 2: rank 1 ended before it"
                         : "exchange 2: rank 1 ended before it"));
  CHECK(error_of_run([](Communicator&, const u32*, u32*) {}) == "");
}

TEST_CASE("processes know where they are") {
  CHECK(processes().size_on_host() == processes().size());
  CHECK(processes().rank_on_host() == processes().rank());
  MpiProcesses others;  // of the same program, after whose end the first go on
  CHECK(others.size() == processes().size());
}
