// SPDX-License-Identifier: Apache-2.0
// Fully known machines for the tests.
#pragma once

#include <fathom/model/constants.h>
#include <fathom/model/descriptor.h>

#include <sstream>
#include <stdexcept>
#include <string>

namespace fathom::tests {

/// Sets constants by their names in files: "dram.read 4e12 fetch 5". Throws std::invalid_argument for an
/// unknown name.
inline void set_constants(Machine<double>& machine, const std::string& names_and_values) {
  std::istringstream words(names_and_values);
  std::string name;
  for (double value; words >> name >> value;) constant_named(name).member.of(machine) = value;
  if (!words.eof()) throw std::invalid_argument("no value of " + name);
}

inline Machine<double> machine_of(const char* name, int multiprocessors, int cores_per_multiprocessor,
                                  double clock_hz, const std::string& constants) {
  Machine<double> machine;
  machine.name = name;
  machine.multiprocessors = multiprocessors;
  machine.cores_per_multiprocessor = cores_per_multiprocessor;
  machine.clock = Hertz{clock_hz};
  set_constants(machine, constants);
  return machine;
}

// The three GPUs of karsin2018 (its table of constants).
inline Machine<double> published_machine(const char* name, int multiprocessors, int cores, double megahertz,
                                         double shared_kibibytes, const std::string& constants) {
  Machine<double> machine =
      machine_of(name, multiprocessors, cores / multiprocessors, megahertz * 1e6, constants);
  machine.limits.shared_bytes_per_multiprocessor = shared_kibibytes * 1024 / multiprocessors;
  machine.limits.shared_bytes_per_block = 48 * 1024;
  return machine;
}
inline Machine<double> m4000() {
  return published_machine("m4000", 13, 1664, 780, 1248,
                           "global.bandwidth 0.0301 shared.bandwidth 0.233 register.bandwidth 1 "
                           "global.latency 269.5 shared.latency 85.84 register.latency 6");
}
inline Machine<double> gtx770() {
  return published_machine("gtx770", 8, 1536, 1046, 512,
                           "global.bandwidth 0.0279 shared.bandwidth 0.130 register.bandwidth 1 "
                           "global.latency 267.6 shared.latency 123.1 register.latency 10");
}
inline Machine<double> k40m() {
  return published_machine("k40m", 15, 2880, 745, 960,
                           "global.bandwidth 0.0275 shared.bandwidth 0.131 register.bandwidth 1 "
                           "global.latency 291.2 shared.latency 111.9 register.latency 10");
}

/// A fictitious GPU of today's proportions with every constant.
inline Machine<double> complete_machine() {
  Machine<double> machine = machine_of("complete", 132, 128, 1.8e9, R"(
      global.latency 600 global.bandwidth 0.035 global.issue 8 global.sharpness 3
      l2.latency 280 l2.bandwidth 0.10 l2.issue 6 l2.sharpness 4
      shared.latency 30 shared.bandwidth 0.25 shared.issue 4 shared.sharpness 12
      register.latency 4.5 register.bandwidth 0.9 register.issue 0.5 register.sharpness 20
      launch_overhead 2.5e-6 kernel_gap 1e-6 block_start 150 warp_start 10
      l2_half 40e6 l2_half_reading 45e6 l2_steepness 3 dram_start 1e-6
      dram.read 4.5e12 dram.write 3.5e12 dram.copy 4e12 dram.copy_by_grid 3.8e12 dram.scattered 4e10 dram.resumed 1.5e10
      l2.read 8e12 l2.write 7e12 l2.copy 7.5e12 l2.scattered 2e11 l2.partial 3e10
      atomics.line 2e9 atomics.kib 4e9 atomics.64_kib 8e10
      pipe.alu 2 pipe.fma 4 pipe.issue 4 pipe.wavefronts 1 pipe.barriers 0.5
      wait.dram 700 wait.l2 280 wait.shared 23 wait.barrier 20 wait.loaded 1500 wait.turnover 350
      sleep 1.6 fetch 5 overlap 6 knee 2.5 phase.share 0.6 phase.decay 1.5)");
  machine.limits.shared_bytes_per_multiprocessor = 228 * 1024;
  machine.limits.shared_bytes_per_block = 227 * 1024;
  machine.limits.shared_bytes_reserved = 1024;
  return machine;
}

/// Two multiprocessors at 1 GHz: a clock is a nanosecond. Nothing overlaps (q = s = 1), nothing is held by
/// the L2. DRAM reads 4 bytes per clock, 2 of them for each multiprocessor.
inline Machine<double> simple_machine() {
  Machine<double> machine = machine_of("simple", 2, 128, 1e9, R"(
      dram.read 4e9 dram.write 2e9 dram.copy 3e9 dram.copy_by_grid 2.5e9 dram.scattered 1e8 dram.resumed 1e7
      l2.read 8e9 l2.write 4e9 l2.copy 6e9 l2.scattered 5e8
      atomics.line 1e6 atomics.kib 2e6 atomics.64_kib 1e8
      pipe.alu 2 pipe.fma 4 pipe.issue 4 pipe.wavefronts 1 pipe.barriers 0.5
      wait.dram 600 wait.l2 200 wait.shared 30 wait.barrier 10 wait.loaded 1000 wait.turnover 0
      fetch 0 overlap 1 knee 1 phase.share 0 phase.decay 1 kernel_gap 0)");
  machine.limits.shared_bytes_per_multiprocessor = 228 * 1024;
  machine.limits.shared_bytes_reserved = 1024;
  return machine;
}

}  // namespace fathom::tests
