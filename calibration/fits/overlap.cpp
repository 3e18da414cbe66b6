// SPDX-License-Identifier: Apache-2.0
#include <fathom/calibration/fits/fits.h>
#include <fathom/calibration/least_squares.h>
#include <fathom/model/laws/counted.h>

#include <array>
#include <cmath>

namespace fathom::fits {
namespace {

constexpr int resamples_of_overlap = 10;
constexpr Bounded overlaps{1, 40}, shares{0.01, 1}, decays{0.1, 8};

/// Without all that a long launch of mixes does not see.
Machine<double> mixing_machine(Machine<double> machine) {
  machine.kernel_gap = 0;
  machine.dram_start.reset();
  machine.block_start.reset();
  machine.warp_start.reset();
  machine.rates.turnover = 0;
  machine.l2_half.reset();
  machine.l2_half_reading.reset();
  machine.rates.fetch = 0;
  machine.rates.loaded_latency = 0;
  return machine;
}

/// One iteration of the mix (microbench/cores/mixed_loop.cpp) of all resident blocks.
double seconds_of_iteration(const Series& mix, const Machine<double>& machine) {
  const double warps = at(mix, along::warps) / at(mix, along::blocks);
  const double loads = at(mix, along::loads), stores = at(mix, along::stores),
               shared = at(mix, along::shared), alu = at(mix, along::alu), fma = at(mix, along::fma);
  constexpr double lines = 4, sectors = 16, bytes = 512, chains = 4, barriers = 3;  // 16 bytes per lane
  Work work;
  work.alu = warps * alu;
  work.fma = warps * fma;
  work.instructions = warps * (alu + fma + shared + loads + stores);
  work.shared_wavefronts = warps * shared;
  work.global_lines = warps * lines * (loads + stores);
  work.lines_read = warps * lines * loads;
  work.sectors_read = warps * sectors * loads;
  work.sectors_written = warps * sectors * stores;
  work.bytes_read = warps * bytes * loads;
  work.bytes_written = warps * bytes * stores;
  work.global_waits = loads > 0 ? 1 : 0;
  work.shared_waits = shared / chains;
  work.issue_clocks = alu / *machine.rates.alu * 4 + fma + shared;  // four schedulers share a pipe's rate
  work.barriers = barriers;
  const double resident = at(mix, along::blocks);
  return launch_time(work,
                     {.blocks = resident * machine.multiprocessors,
                      .threads_per_block = int(32 * warps),
                      .resident = int(resident),
                      .fixed_grid = true},
                     machine)
      .busy;
}

}  // namespace

/// q, and the phases' share and decay, from mixes of resources in blocks that come and go. The law itself
/// predicts them.
void overlap(Fitting& fit) {
  const Rates<double>& rates = fit.machine.rates;
  const SeriesList series =
      fit.clocked(benchmarks::phases, {along::alu, along::blocks, along::fma, along::iterations, along::loads,
                                       along::shared, along::stores, along::warps});
  for (const auto* needed :
       {&rates.dram_read, &rates.dram_write, &rates.dram_copy_by_grid, &rates.l2_read, &rates.l2_write,
        &rates.l2_copy, &rates.alu, &rates.fma, &rates.issue, &rates.wavefronts, &rates.barriers,
        &rates.dram_latency, &rates.l2_latency, &rates.shared_latency, &rates.barrier_latency, &rates.knee})
    if (!*needed) return;
  SeriesList mixes;
  for (const Series* one : series)
    if ((at(*one, along::loads) > 0) + (at(*one, along::shared) > 0) + (at(*one, along::alu) > 0) +
            (at(*one, along::fma) > 0) >
        1)
      mixes.push_back(one);
  if (mixes.size() < 8) return;
  const auto fitted = [&](const TimeOf& time) {
    const auto residuals = [&](const Eigen::VectorXd& x, Eigen::VectorXd& result) {
      Machine<double> machine = mixing_machine(fit.machine);
      machine.rates.overlap = overlaps.value(x[0]);
      machine.rates.phase_share = shares.value(x[1]);
      machine.rates.phase_decay = decays.value(x[2]);
      Eigen::Index i = 0;
      for (const Series* one : mixes)
        result[i++] =
            std::log(seconds_of_iteration(*one, machine) * at(*one, along::iterations) / time(*one));
    };
    Eigen::VectorXd start(3);
    start << overlaps.free(5), shares.free(0.4), decays.free(1.5);
    return minimise(residuals, int(mixes.size()), {start}, 200).x;
  };
  const Eigen::VectorXd found = fitted(median);
  std::array<std::vector<double>, 3> draws;
  for (int i = 0; i < resamples_of_overlap; ++i) {
    if (fit.progress) fit.progress("fitting how resources overlap", std::size_t(i), resamples_of_overlap);
    const Eigen::VectorXd drawn = fitted(fit.resampled(mixes));
    draws[0].push_back(overlaps.value(drawn[0]));
    draws[1].push_back(shares.value(drawn[1]));
    draws[2].push_back(decays.value(drawn[2]));
  }
  set_constant(fit.profile, "overlap", overlaps.value(found[0]), draws[0]);
  set_constant(fit.profile, "phase.share", shares.value(found[1]), draws[1]);
  set_constant(fit.profile, "phase.decay", decays.value(found[2]), draws[2]);
}

}  // namespace fathom::fits
