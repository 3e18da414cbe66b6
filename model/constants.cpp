// SPDX-License-Identifier: Apache-2.0
#include <fathom/model/constants.h>
#include <fathom/model/laws/dual.h>

#include <algorithm>
#include <stdexcept>

namespace fathom {
namespace {

constexpr Range latencies{1e-2, 1e7}, delays{0, 1e7}, fetches{0, 1e5};      // clocks
constexpr Range times{0, 10};                                               // seconds
constexpr Range footprints{1, 1e15};                                        // bytes
constexpr Range bandwidths{1e-8, 1e3};                                      // words per clock and core
constexpr Range pipe_rates{1e-3, 1e3};                                      // per clock
constexpr Range memory_rates{1e5, 1e17};                                    // bytes or sectors per second
constexpr Range shapes{0.1, 100}, exponents{1, 100}, multiples{0.01, 100};  // numbers
constexpr Range shares{0, 1}, decays{0, 10};

template <class Real>
constexpr ConstantRow<Real> rows[] = {
    ConstantRow<Real>{{Level::global, &LevelConstants<Real>::latency},
                      {"global.latency", "L of global accesses", Unit::clocks, latencies, 1, Better::lower}},
    ConstantRow<Real>{{Level::global, &LevelConstants<Real>::bandwidth},
                      {"global.bandwidth",
                       "B of global accesses",
                       Unit::words_per_clock_per_core,
                       bandwidths,
                       1,
                       Better::higher,
                       {},
                       "dram.bandwidth"}},
    ConstantRow<Real>{{Level::global, &LevelConstants<Real>::issue},
                      {"global.issue", "c of global accesses", Unit::clocks, delays, 1, Better::lower}},
    ConstantRow<Real>{{Level::global, &LevelConstants<Real>::sharpness},
                      {"global.sharpness", "s of global accesses", Unit::number, shapes, 1, Better::neither}},
    ConstantRow<Real>{{Level::l2, &LevelConstants<Real>::latency},
                      {"l2.latency", "L of L2 accesses", Unit::clocks, latencies, 1, Better::lower}},
    ConstantRow<Real>{{Level::l2, &LevelConstants<Real>::bandwidth},
                      {"l2.bandwidth",
                       "B of L2 accesses",
                       Unit::words_per_clock_per_core,
                       bandwidths,
                       1,
                       Better::higher,
                       {},
                       "l2.bandwidth"}},
    ConstantRow<Real>{{Level::l2, &LevelConstants<Real>::issue},
                      {"l2.issue", "c of L2 accesses", Unit::clocks, delays, 1, Better::lower}},
    ConstantRow<Real>{{Level::l2, &LevelConstants<Real>::sharpness},
                      {"l2.sharpness", "s of L2 accesses", Unit::number, shapes, 1, Better::neither}},
    ConstantRow<Real>{{Level::shared, &LevelConstants<Real>::latency},
                      {"shared.latency", "L of shared accesses", Unit::clocks, latencies, 1, Better::lower}},
    ConstantRow<Real>{{Level::shared, &LevelConstants<Real>::bandwidth},
                      {"shared.bandwidth", "B of shared accesses", Unit::words_per_clock_per_core, bandwidths,
                       1, Better::higher}},
    ConstantRow<Real>{{Level::shared, &LevelConstants<Real>::issue},
                      {"shared.issue", "c of shared accesses", Unit::clocks, delays, 1, Better::lower}},
    ConstantRow<Real>{{Level::shared, &LevelConstants<Real>::sharpness},
                      {"shared.sharpness", "s of shared accesses", Unit::number, shapes, 1, Better::neither}},
    ConstantRow<Real>{
        {Level::registers, &LevelConstants<Real>::latency},
        {"register.latency", "L of register accesses", Unit::clocks, latencies, 1, Better::lower}},
    ConstantRow<Real>{{Level::registers, &LevelConstants<Real>::bandwidth},
                      {"register.bandwidth", "B of register accesses", Unit::words_per_clock_per_core,
                       bandwidths, 1, Better::higher}},
    ConstantRow<Real>{{Level::registers, &LevelConstants<Real>::issue},
                      {"register.issue", "c of register accesses", Unit::clocks, delays, 1, Better::lower}},
    ConstantRow<Real>{
        {Level::registers, &LevelConstants<Real>::sharpness},
        {"register.sharpness", "s of register accesses", Unit::number, shapes, 1, Better::neither}},
    ConstantRow<Real>{
        &Machine<Real>::launch_overhead,
        {"launch_overhead", "launch overhead", Unit::seconds, times, 1, Better::lower, speeds_launches}},
    ConstantRow<Real>{
        &Machine<Real>::kernel_gap,
        {"kernel_gap", "gap between kernels", Unit::seconds, times, 1, Better::lower, speeds_launches}},
    ConstantRow<Real>{
        &Machine<Real>::block_start,
        {"block_start", "block start", Unit::clocks, delays, 1, Better::lower, speeds(Resource::starts)}},
    ConstantRow<Real>{&Machine<Real>::warp_start,
                      {"warp_start", "block start, per warp", Unit::clocks, delays, 1, Better::lower,
                       speeds(Resource::starts)}},
    ConstantRow<Real>{
        &Machine<Real>::l2_half,
        {"l2_half", "footprint served half by the L2", Unit::bytes, footprints, 1, Better::higher}},
    ConstantRow<Real>{
        &Machine<Real>::l2_half_reading,
        {"l2_half_reading", "the same for read-only launches", Unit::bytes, footprints, 1, Better::higher}},
    ConstantRow<Real>{
        &Machine<Real>::l2_steepness,
        {"l2_steepness", "steepness of the L2 share", Unit::number, shapes, 1, Better::neither}},
    ConstantRow<Real>{
        &Machine<Real>::dram_start,
        {"dram_start", "DRAM read startup", Unit::seconds, times, 1, Better::lower, speeds_launches}},
    ConstantRow<Real>{&Rates<Real>::dram_read,
                      {"dram.read", "DRAM, read", Unit::bytes_per_second, memory_rates, 2, Better::higher,
                       speeds(Resource::dram), "dram.bandwidth"}},
    ConstantRow<Real>{&Rates<Real>::dram_write,
                      {"dram.write", "DRAM, written", Unit::bytes_per_second, memory_rates, 2, Better::higher,
                       speeds(Resource::dram), "dram.bandwidth"}},
    ConstantRow<Real>{&Rates<Real>::dram_copy,
                      {"dram.copy", "DRAM, copied", Unit::bytes_per_second, memory_rates, 2, Better::higher,
                       speeds(Resource::dram), "dram.bandwidth"}},
    ConstantRow<Real>{&Rates<Real>::dram_copy_by_grid,
                      {"dram.copy_by_grid", "DRAM, copied by a fixed grid", Unit::bytes_per_second,
                       memory_rates, 5, Better::higher, speeds(Resource::dram), "dram.bandwidth"}},
    ConstantRow<Real>{&Rates<Real>::dram_scattered,
                      {"dram.scattered", "DRAM, scattered sectors", Unit::sectors_per_second, memory_rates, 2,
                       Better::higher, speeds(Resource::dram), "dram.bandwidth"}},
    ConstantRow<Real>{&Rates<Real>::l2_read,
                      {"l2.read", "L2, read", Unit::bytes_per_second, memory_rates, 2, Better::higher,
                       speeds(Resource::l2), "l2.bandwidth"}},
    ConstantRow<Real>{&Rates<Real>::l2_write,
                      {"l2.write", "L2, written", Unit::bytes_per_second, memory_rates, 2, Better::higher,
                       speeds(Resource::l2), "l2.bandwidth"}},
    ConstantRow<Real>{&Rates<Real>::l2_copy,
                      {"l2.copy", "L2, copied", Unit::bytes_per_second, memory_rates, 2, Better::higher,
                       speeds(Resource::l2), "l2.bandwidth"}},
    ConstantRow<Real>{&Rates<Real>::l2_scattered,
                      {"l2.scattered", "L2, scattered sectors", Unit::sectors_per_second, memory_rates, 2,
                       Better::higher, speeds(Resource::l2), "l2.bandwidth"}},
    ConstantRow<Real>{&Rates<Real>::alu,
                      {"pipe.alu", "ALU instructions", Unit::per_clock, pipe_rates, 2, Better::higher,
                       speeds(Resource::alu)}},
    ConstantRow<Real>{&Rates<Real>::fma,
                      {"pipe.fma", "FMA instructions", Unit::per_clock, pipe_rates, 2, Better::higher,
                       speeds(Resource::fma)}},
    ConstantRow<Real>{&Rates<Real>::issue,
                      {"pipe.issue", "instructions of all pipes", Unit::per_clock, pipe_rates, 2,
                       Better::higher, speeds(Resource::issue)}},
    ConstantRow<Real>{&Rates<Real>::wavefronts,
                      {"pipe.wavefronts", "wavefronts of shared memory", Unit::per_clock, pipe_rates, 2,
                       Better::higher, speeds(Resource::shared)}},
    ConstantRow<Real>{&Rates<Real>::barriers,
                      {"pipe.barriers", "warps that pass a barrier", Unit::per_clock, pipe_rates, 2,
                       Better::higher, speeds(Resource::barriers)}},
    ConstantRow<Real>{&Rates<Real>::dram_latency,
                      {"wait.dram", "latency of DRAM", Unit::clocks, latencies, 2, Better::lower,
                       speeds(Resource::waiting)}},
    ConstantRow<Real>{&Rates<Real>::l2_latency,
                      {"wait.l2", "latency of the L2", Unit::clocks, latencies, 2, Better::lower,
                       speeds(Resource::waiting)}},
    ConstantRow<Real>{&Rates<Real>::shared_latency,
                      {"wait.shared", "latency of shared memory", Unit::clocks, latencies, 2, Better::lower,
                       speeds(Resource::waiting)}},
    ConstantRow<Real>{&Rates<Real>::barrier_latency,
                      {"wait.barrier", "latency of a barrier", Unit::clocks, latencies, 2, Better::lower,
                       speeds(Resource::waiting)}},
    ConstantRow<Real>{&Rates<Real>::loaded_latency,
                      {"wait.loaded", "latency of a saturated DRAM", Unit::clocks, latencies, 2,
                       Better::lower, speeds(Resource::in_flight)}},
    ConstantRow<Real>{&Rates<Real>::turnover,
                      {"wait.turnover", "turnover of a block", Unit::clocks, latencies, 2, Better::lower,
                       speeds(Resource::starts)}},
    ConstantRow<Real>{&Rates<Real>::sleep,
                      {"sleep", "sleep, as a multiple of what is asked", Unit::number, multiples, 2,
                       Better::lower, speeds(Resource::waiting)}},
    ConstantRow<Real>{
        &Rates<Real>::fetch,
        {"fetch", "first fetch of an instruction", Unit::clocks, fetches, 2, Better::lower, speeds_launches}},
    ConstantRow<Real>{&Rates<Real>::overlap,
                      {"overlap", "overlap of resources, q", Unit::number, exponents, 2, Better::neither}},
    ConstantRow<Real>{&Rates<Real>::knee,
                      {"knee", "overlap with waiting, s", Unit::number, exponents, 2, Better::neither}},
    ConstantRow<Real>{&Rates<Real>::phase_share,
                      {"phase.share", "share of a lone block that nothing overlaps", Unit::number, shares, 2,
                       Better::neither}},
    ConstantRow<Real>{
        &Rates<Real>::phase_decay,
        {"phase.decay", "decay of that share with more blocks", Unit::number, decays, 2, Better::neither}},
    ConstantRow<Real>{&Rates<Real>::dram_resumed,
                      {"dram.resumed", "DRAM, sectors written in two parts", Unit::sectors_per_second,
                       memory_rates, 3, Better::higher, speeds(Resource::dram), "dram.bandwidth"}},
    // No law uses this one yet.
    ConstantRow<Real>{&Rates<Real>::l2_partial,
                      {"l2.partial", "L2, partial-sector writes", Unit::sectors_per_second, memory_rates, 4,
                       Better::higher}},
    ConstantRow<Real>{&Rates<Real>::atomics_line,
                      {"atomics.line", "atomics on 128 bytes", Unit::sectors_per_second, memory_rates, 3,
                       Better::higher, speeds(Resource::atomics)}},
    ConstantRow<Real>{&Rates<Real>::atomics_kib,
                      {"atomics.kib", "atomics on 1 KiB", Unit::sectors_per_second, memory_rates, 3,
                       Better::higher, speeds(Resource::atomics)}},
    ConstantRow<Real>{&Rates<Real>::atomics_64_kib,
                      {"atomics.64_kib", "atomics on 64 KiB", Unit::sectors_per_second, memory_rates, 3,
                       Better::higher, speeds(Resource::atomics)}}};

}  // namespace

template <class Real>
std::span<const ConstantRow<Real>> constants() {
  return rows<Real>;
}
template std::span<const ConstantRow<double>> constants();
template std::span<const ConstantRow<Dual>> constants();

const ConstantRow<double>& constant_named(std::string_view name) {
  const auto all = constants<double>();
  const auto found = std::ranges::find(all, name, &ConstantInfo::name);
  if (found == all.end()) throw std::invalid_argument("unknown constant '" + std::string(name) + "'");
  return *found;
}

std::string_view suffix(Unit unit) {
  switch (unit) {
    case Unit::clocks:
      return "_clocks";
    case Unit::seconds:
      return "_s";
    case Unit::bytes:
      return "_bytes";
    case Unit::words_per_clock_per_core:
      return "_words_per_clock_per_core";
    case Unit::per_clock:
      return "_per_clock";
    case Unit::bytes_per_second:
      return "_bytes_per_s";
    case Unit::sectors_per_second:
      return "_sectors_per_s";
    case Unit::number:
      return "";
  }
  throw std::logic_error("a unit has no suffix");
}

}  // namespace fathom
