// SPDX-License-Identifier: Apache-2.0
#include <fathom/model/laws/reported_launches.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace fathom {
namespace {

constexpr double bytes_per_sector = 32, bytes_per_register = 4;

double shared_bytes(const ReportedLaunch& launch) {
  return launch.static_shared_bytes.value_or(0) + launch.dynamic_shared_bytes.value_or(0);
}

double warps_of(const ReportedLaunch& launch, const Machine<double>& machine) {
  return std::ceil(double(launch.threads_per_block) / machine.warp_width);
}

/// λ of the mean warp, in the demands that make it up.
void set_waits(const WarpClocks& warp, const Machine<double>& on, Work& work) {
  const Rates<double>& rates = on.rates;
  const auto clocks = [&](const std::optional<double>& latency, std::string_view name) {
    return required(latency, name, on.name);
  };
  const double service = 1 - std::clamp(warp.utilization, 0.0, 1.0);
  const double near = clocks(rates.shared_latency, "wait.shared");
  work.issue_clocks = std::max(work.issue_clocks, warp.issuing);
  work.global_waits =
      std::max(work.global_waits, service * warp.global / clocks(rates.dram_latency, "wait.dram"));
  work.shared_waits = service * warp.shared / near;
  // Warps that come to a barrier late have more to do than the mean one: the slowest does all that the others
  // wait for.
  const double late = service * warp.barriers - work.barriers * clocks(rates.barrier_latency, "wait.barrier");
  work.other_waits = (service * warp.other + std::max(0.0, late)) / near;
}

}  // namespace

std::optional<double> ReportedLaunch::demand(double Work::*member) const {
  for (std::size_t i = 0; i < all_demands.size(); ++i)
    if (all_demands[i].value == member) return demands[i];
  return std::nullopt;
}

std::string_view name(Caches caches) {
  return caches == Caches::cold ? "cold" : "warm";
}

Caches parse_caches(std::string_view text) {
  for (const Caches caches : {Caches::cold, Caches::warm})
    if (name(caches) == text) return caches;
  throw std::invalid_argument("unknown caches '" + std::string(text) + "': choose cold or warm");
}

std::string why_not_priced(const ReportedLaunch& launch) {
  struct Needed {
    std::string_view name;
    bool is_there;
  };
  const auto has = [&](double Work::*member) { return launch.demand(member).has_value(); };
  for (const Needed& needed : {Needed{"its registers", launch.registers.has_value()},
                               Needed{"its shared memory", launch.static_shared_bytes.has_value() &&
                                                               launch.dynamic_shared_bytes.has_value()},
                               Needed{"its instructions", has(&Work::instructions)},
                               Needed{"the sectors that it reads", has(&Work::sectors_read)},
                               Needed{"the sectors that it writes", has(&Work::sectors_written)},
                               Needed{"the bytes that it reads from DRAM", has(&Work::bytes_read)}})
    if (!needed.is_there) return "the report does not have " + std::string(needed.name);
  // A hundredth of the instructions may hide behind the others.
  const double negligible = 0.01 * *launch.demand(&Work::instructions);
  if (launch.tensor.value_or(0) > 0.1 * negligible)  // each keeps its pipe for many clocks
    return "it uses the tensor cores, for which the law has no rate";
  if (launch.fp64.value_or(0) > negligible) return "it computes with doubles, for which the law has no rate";
  if (launch.launches_kernels.value_or(0) > 0)
    return "it may launch kernels itself, which the report does not list";
  return {};
}

bool reads_again(const ReportedLaunch& launch) {
  const double held =
      bytes_per_register * launch.registers.value_or(0) * launch.threads_per_block + shared_bytes(launch);
  return bytes_per_sector * launch.demand(&Work::sectors_read).value_or(0) > held;
}

Work work_of(const ReportedLaunch& launch, const Machine<double>& measured_on) {
  Work work;
  for (std::size_t i = 0; i < all_demands.size(); ++i)
    work.*all_demands[i].value = launch.demands[i].value_or(0);
  if (!launch.demand(&Work::issue_clocks))
    work.issue_clocks = work.instructions / warps_of(launch, measured_on);
  if (!launch.demand(&Work::global_waits)) work.global_waits = work.sectors_read > 0 ? 1 : 0;
  if (launch.warp) set_waits(*launch.warp, measured_on, work);
  return work;
}

CountedLaunch counted_launch(const ReportedLaunch& launch, const Machine<double>& machine,
                             const Machine<double>& measured_on) {
  const double shared = shared_bytes(launch);
  const int resident = resident_blocks(machine.limits, launch.threads_per_block, *launch.registers, shared);
  if (resident == 0)
    throw BlockTooLarge("no multiprocessor of '" + machine.name + "' holds a block of " + launch.kernel +
                        ": " + std::to_string(launch.threads_per_block) + " threads with " +
                        std::to_string((long long)shared) + " bytes of shared memory");
  return {.kernel = launch.kernel,
          .work = work_of(launch, measured_on),
          .once = {},
          .shape = {.blocks = launch.blocks,
                    .threads_per_block = launch.threads_per_block,
                    .shared_bytes_per_block = shared,
                    .resident = resident,
                    .carveout = std::min(launch.carveout_bytes.value_or(0),
                                         machine.limits.shared_bytes_per_multiprocessor),
                    .fixed_grid = reads_again(launch)}};
}

void set_reach(std::vector<CountedLaunch>& launches, Caches caches) {
  constexpr double beyond_any_cache = 1e15;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const CountedLaunch& before = launches[(i + launches.size() - 1) % launches.size()];
    launches[i].shape.reach_bytes =
        caches == Caches::cold ? beyond_any_cache : bytes_touched(before.work, before.shape);
  }
}

}  // namespace fathom
