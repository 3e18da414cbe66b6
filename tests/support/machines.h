// Fully known machines for the tests.
#pragma once

#include <fathom/model/descriptor.h>
#include <fathom/model/machine.h>

namespace fathom::tests {

inline Machine<double> published_machine(std::string name, int multiprocessors, int cores, double megahertz,
                                         double shared_kibibytes, double B_g, double B_s, double L_g,
                                         double L_s, double L_r) {
  Machine<double> machine;
  machine.name = name;
  machine.multiprocessors = multiprocessors;
  machine.cores_per_multiprocessor = cores / multiprocessors;
  machine.clock = Hertz{megahertz * 1e6};
  machine.limits.shared_bytes_per_multiprocessor = shared_kibibytes * 1024 / multiprocessors;
  machine.limits.shared_bytes_per_block = 48 * 1024;
  machine.at(Level::global).bandwidth = B_g;
  machine.at(Level::global).latency = L_g;
  machine.at(Level::shared).bandwidth = B_s;
  machine.at(Level::shared).latency = L_s;
  machine.at(Level::registers).bandwidth = 1;
  machine.at(Level::registers).latency = L_r;
  return machine;
}

// The three GPUs of karsin2018 (its table of constants).
inline Machine<double> m4000() {
  return published_machine("m4000", 13, 1664, 780, 1248, 0.0301, 0.233, 269.5, 85.84, 6);
}
inline Machine<double> gtx770() {
  return published_machine("gtx770", 8, 1536, 1046, 512, 0.0279, 0.130, 267.6, 123.1, 10);
}
inline Machine<double> k40m() {
  return published_machine("k40m", 15, 2880, 745, 960, 0.0275, 0.131, 291.2, 111.9, 10);
}

/// A fictitious GPU of today's proportions with every constant.
inline Machine<double> complete_machine() {
  Machine<double> machine;
  machine.name = "complete";
  machine.multiprocessors = 132;
  machine.cores_per_multiprocessor = 128;
  machine.clock = Hertz{1.8e9};
  machine.limits.shared_bytes_per_multiprocessor = 228 * 1024;
  machine.limits.shared_bytes_per_block = 227 * 1024;
  machine.limits.shared_bytes_reserved = 1024;
  machine.at(Level::global) = {600.0, 0.035, 8.0, 3.0};
  machine.at(Level::l2) = {280.0, 0.10, 6.0, 4.0};
  machine.at(Level::shared) = {30.0, 0.25, 4.0, 12.0};
  machine.at(Level::registers) = {4.5, 0.9, 0.5, 20.0};
  machine.launch_overhead = 2.5e-6;
  machine.kernel_gap = 1e-6;
  machine.block_start = 150;
  machine.warp_start = 10;
  machine.l2_half = 40e6;
  machine.l2_half_reading = 45e6;
  machine.l2_steepness = 3;
  machine.dram_start = 1e-6;
  machine.rates = {.dram_read = 4.5e12,
                   .dram_write = 3.5e12,
                   .dram_copy = 4e12,
                   .dram_scattered = 4e10,
                   .l2_read = 8e12,
                   .l2_write = 7e12,
                   .l2_copy = 7.5e12,
                   .l2_scattered = 2e11,
                   .dram_resumed = 1.5e10,
                   .l2_partial = 3e10,
                   .atomics_line = 2e9,
                   .atomics_kib = 4e9,
                   .atomics_64_kib = 8e10,
                   .alu = 2,
                   .fma = 4,
                   .issue = 4,
                   .wavefronts = 1,
                   .barriers = 0.5,
                   .dram_latency = 700,
                   .l2_latency = 280,
                   .shared_latency = 23,
                   .barrier_latency = 20,
                   .loaded_latency = 1500,
                   .turnover = 350,
                   .sleep = 1.6,
                   .fetch = 5,
                   .overlap = 6,
                   .knee = 2.5,
                   .phase_share = 0.6,
                   .phase_decay = 1.5};
  return machine;
}

}  // namespace fathom::tests
