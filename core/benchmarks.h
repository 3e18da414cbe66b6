// SPDX-License-Identifier: Apache-2.0
// The microbenchmarks by name: what a series of each measures and along which coordinates. Benchmarks
// (microbench/) make series by these descriptors, and fits (calibration/fits/) find them by the same.
#pragma once

#include <fathom/core/exchange.h>
#include <fathom/core/measurement.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace fathom {

/// A coordinate of a series.
struct Coordinate {
  const char* name;  ///< in the profile's file
  operator std::string() const { return name; }
};
namespace along {
inline constexpr Coordinate X{"X"};                ///< resident threads per core
inline constexpr Coordinate I{"I"};                ///< independent accesses in flight per thread
inline constexpr Coordinate accesses{"accesses"};  ///< of each thread
inline constexpr Coordinate degree{"degree"};      ///< of a bank conflict
inline constexpr Coordinate bytes{"bytes"};        ///< read and written, walked over, or exchanged (Exchange)
inline constexpr Coordinate launches{"launches"};  ///< in a sequence
inline constexpr Coordinate kernels{"kernels"};    ///< in a sequence
inline constexpr Coordinate threads{"threads"};    ///< per block
inline constexpr Coordinate blocks{"blocks"};      ///< of a launch; of mixes, resident on each multiprocessor
inline constexpr Coordinate width{"width"};        ///< of an access, bytes
inline constexpr Coordinate warps{"warps"};        ///< per multiprocessor
inline constexpr Coordinate carveout{"carveout"};  ///< for shared memory, bytes per multiprocessor
inline constexpr Coordinate sectors{"sectors"};    ///< of 32 bytes that were accessed
inline constexpr Coordinate chains{"chains"};      ///< of dependent instructions per warp
inline constexpr Coordinate instructions{"instructions"};  ///< of a warp
inline constexpr Coordinate loads{"loads"};                ///< per thread and iteration
inline constexpr Coordinate stores{"stores"};              ///< per thread and iteration
inline constexpr Coordinate shared{"shared"};              ///< loads per thread and iteration
inline constexpr Coordinate alu{"alu"};                    ///< instructions per thread and iteration
inline constexpr Coordinate fma{"fma"};                    ///< instructions per thread and iteration
inline constexpr Coordinate iterations{"iterations"};      ///< of a block
inline constexpr Coordinate evicted{"evicted"};            ///< 1: other code ran in between
inline constexpr Coordinate flushed{"flushed"};            ///< 1: the L2 was overwritten in between
inline constexpr Coordinate addresses{"addresses"};        ///< different words
inline constexpr Coordinate lanes{"lanes"};                ///< of a warp that add
inline constexpr Coordinate random{"random"};              ///< 1: random words
inline constexpr Coordinate returning{"returning"};        ///< 1: the result is used
inline constexpr Coordinate atomics{"atomics"};            ///< of a thread
inline constexpr Coordinate counting{"counting"};          ///< 1: additions of a constant 1
inline constexpr Coordinate partner{"partner"};            ///< block on the other side
inline constexpr Coordinate nanoseconds{"nanoseconds"};    ///< that a warp asks to sleep
inline constexpr Coordinate cut{"cut"};                    ///< 1: runs meet within sectors
inline constexpr Coordinate meetings{"meetings"};          ///< of two runs within a sector
inline constexpr Coordinate parts{"parts"};                ///< of sectors, written one at a time
inline constexpr Coordinate gpus{"gpus"};                  ///< that exchange data
inline constexpr Coordinate hosts{"hosts"};                ///< on which as many of them are
}  // namespace along

struct Benchmark {
  std::string_view name;                     ///< in the profile's file
  std::string_view unit;                     ///< of the samples: "s", "clocks", "Hz" or "percent"
  std::array<const char*, 8> coordinates{};  ///< of each of its series; the rest is null
};

namespace benchmarks {
inline constexpr Benchmark global_copy{
    "global-copy", "s", {along::X.name, along::I.name, along::accesses.name}};
inline constexpr Benchmark l2_copy{"l2-copy", "s", {along::X.name, along::I.name, along::accesses.name}};
inline constexpr Benchmark shared_copy{
    "shared-copy", "s", {along::X.name, along::I.name, along::accesses.name}};
inline constexpr Benchmark register_ops{
    "register-ops", "s", {along::X.name, along::I.name, along::accesses.name}};
inline constexpr Benchmark conflict{
    "conflict", "s", {along::degree.name, along::X.name, along::accesses.name}};
inline constexpr Benchmark footprint_copy{"footprint-copy", "s", {along::bytes.name, along::launches.name}};
inline constexpr Benchmark footprint_read{"footprint-read", "s", {along::bytes.name, along::launches.name}};
inline constexpr Benchmark cold_copy{"cold-copy", "s", {along::bytes.name}};
inline constexpr Benchmark cold_read{"cold-read", "s", {along::bytes.name}};
inline constexpr Benchmark device_copy{"device-copy", "s", {along::bytes.name}};
inline constexpr Benchmark launch_host{"launch-host", "s"};
inline constexpr Benchmark launch_empty{"launch-empty", "s"};
inline constexpr Benchmark launch_gap{"launch-gap", "s", {along::kernels.name}};
inline constexpr Benchmark launch_start{"launch-start", "s", {along::threads.name, along::blocks.name}};
inline constexpr Benchmark block_start{"block-start", "s", {along::threads.name, along::blocks.name}};
inline constexpr Benchmark block_turnover{"block-turnover", "s", {along::blocks.name}};
inline constexpr Benchmark chase_shared{"chase-shared", "clocks", {along::bytes.name}};
inline constexpr Benchmark chase_l1{"chase-l1", "clocks", {along::bytes.name}};
inline constexpr Benchmark chase_l2{"chase-l2", "clocks", {along::bytes.name}};
inline constexpr Benchmark chase_dram{"chase-dram", "clocks", {along::bytes.name}};
inline constexpr Benchmark stream_dram_read{
    "stream-dram-read", "s", {along::width.name, along::I.name, along::bytes.name}};
inline constexpr Benchmark stream_dram_write{
    "stream-dram-write", "s", {along::width.name, along::I.name, along::bytes.name}};
inline constexpr Benchmark stream_dram_copy{
    "stream-dram-copy", "s", {along::width.name, along::I.name, along::bytes.name}};
inline constexpr Benchmark tiles_dram_read{
    "tiles-dram-read", "s", {along::threads.name, along::I.name, along::bytes.name}};
inline constexpr Benchmark tiles_dram_write{
    "tiles-dram-write", "s", {along::threads.name, along::I.name, along::bytes.name}};
inline constexpr Benchmark tiles_dram_copy{
    "tiles-dram-copy", "s", {along::threads.name, along::I.name, along::bytes.name}};
inline constexpr Benchmark stream_l2_read{
    "stream-l2-read", "s", {along::width.name, along::I.name, along::bytes.name}};
inline constexpr Benchmark stream_l2_write{
    "stream-l2-write", "s", {along::width.name, along::I.name, along::bytes.name}};
inline constexpr Benchmark stream_l2_copy{
    "stream-l2-copy", "s", {along::width.name, along::I.name, along::bytes.name}};
inline constexpr Benchmark in_flight_read{
    "in-flight-read", "s", {along::warps.name, along::I.name, along::carveout.name, along::bytes.name}};
inline constexpr Benchmark in_flight_copy{
    "in-flight-copy", "s", {along::warps.name, along::I.name, along::carveout.name, along::bytes.name}};
inline constexpr Benchmark random_sectors{
    "random-sectors", "s", {along::warps.name, along::I.name, along::bytes.name, along::sectors.name}};
inline constexpr Benchmark pipe_lop3{
    "pipe-lop3", "s", {along::warps.name, along::chains.name, along::instructions.name}};
inline constexpr Benchmark pipe_min{
    "pipe-min", "s", {along::warps.name, along::chains.name, along::instructions.name}};
inline constexpr Benchmark pipe_select{
    "pipe-select", "s", {along::warps.name, along::chains.name, along::instructions.name}};
inline constexpr Benchmark pipe_select64{
    "pipe-select64", "s", {along::warps.name, along::chains.name, along::instructions.name}};
inline constexpr Benchmark pipe_ffma{
    "pipe-ffma", "s", {along::warps.name, along::chains.name, along::instructions.name}};
inline constexpr Benchmark pipe_imad{
    "pipe-imad", "s", {along::warps.name, along::chains.name, along::instructions.name}};
inline constexpr Benchmark pipe_lop3_ffma{
    "pipe-lop3-ffma", "s", {along::warps.name, along::chains.name, along::instructions.name}};
inline constexpr Benchmark pipe_shuffle{
    "pipe-shuffle", "s", {along::warps.name, along::chains.name, along::instructions.name}};
inline constexpr Benchmark pipe_lds4{
    "pipe-lds4", "s", {along::warps.name, along::chains.name, along::instructions.name}};
inline constexpr Benchmark pipe_lds8{
    "pipe-lds8", "s", {along::warps.name, along::chains.name, along::instructions.name}};
inline constexpr Benchmark pipe_lds16{
    "pipe-lds16", "s", {along::warps.name, along::chains.name, along::instructions.name}};
inline constexpr Benchmark pipe_barrier{
    "pipe-barrier", "s", {along::warps.name, along::chains.name, along::instructions.name}};
inline constexpr Benchmark overlap{
    "overlap",
    "s",
    {along::loads.name, along::stores.name, along::shared.name, along::alu.name, along::fma.name,
     along::warps.name, along::blocks.name, along::iterations.name}};
inline constexpr Benchmark phases{
    "phases",
    "s",
    {along::loads.name, along::stores.name, along::shared.name, along::alu.name, along::fma.name,
     along::warps.name, along::blocks.name, along::iterations.name}};
inline constexpr Benchmark instruction_fetch{"instruction-fetch",
                                             "clocks",
                                             {along::bytes.name, along::instructions.name, along::warps.name,
                                              along::evicted.name, along::flushed.name}};
inline constexpr Benchmark global_atomics{"global-atomics",
                                          "s",
                                          {along::addresses.name, along::lanes.name, along::random.name,
                                           along::returning.name, along::warps.name, along::atomics.name}};
inline constexpr Benchmark shared_atomics{"shared-atomics",
                                          "s",
                                          {along::addresses.name, along::counting.name, along::returning.name,
                                           along::warps.name, along::atomics.name}};
inline constexpr Benchmark global_atomic_chase{"global-atomic-chase", "clocks"};
inline constexpr Benchmark shared_atomic_chase{"shared-atomic-chase", "clocks"};
inline constexpr Benchmark flag_flight{"flag-flight", "clocks", {along::partner.name}};
inline constexpr Benchmark sleep{"sleep", "clocks", {along::nanoseconds.name}};
inline constexpr Benchmark written_runs{
    "written-runs", "s", {along::cut.name, along::bytes.name, along::meetings.name}};
inline constexpr Benchmark partial_sectors{
    "partial-sectors", "s", {along::cut.name, along::bytes.name, along::parts.name}};
inline constexpr Benchmark link_peer_copy{"link-peer-copy", "s", {along::gpus.name, along::bytes.name}};
inline constexpr Benchmark link_send_receive{"link-send-receive", "s", {along::gpus.name, along::bytes.name}};
inline constexpr Benchmark link_all_to_all{"link-all-to-all", "s", {along::gpus.name, along::bytes.name}};
inline constexpr Benchmark link_all_gather{"link-all-gather", "s", {along::gpus.name, along::bytes.name}};
inline constexpr Benchmark link_all_reduce{"link-all-reduce", "s", {along::gpus.name, along::bytes.name}};
inline constexpr Benchmark link_host_to_device{
    "link-host-to-device", "s", {along::gpus.name, along::bytes.name}};
inline constexpr Benchmark link_device_to_host{
    "link-device-to-host", "s", {along::gpus.name, along::bytes.name}};
inline constexpr Benchmark link_host_both_ways{
    "link-host-both-ways", "s", {along::gpus.name, along::bytes.name}};
inline constexpr Benchmark link_send_receive_between_hosts{
    "link-send-receive-between-hosts", "s", {along::hosts.name, along::gpus.name, along::bytes.name}};
inline constexpr Benchmark link_all_to_all_between_hosts{
    "link-all-to-all-between-hosts", "s", {along::hosts.name, along::gpus.name, along::bytes.name}};
inline constexpr Benchmark link_all_gather_between_hosts{
    "link-all-gather-between-hosts", "s", {along::hosts.name, along::gpus.name, along::bytes.name}};
inline constexpr Benchmark link_all_reduce_between_hosts{
    "link-all-reduce-between-hosts", "s", {along::hosts.name, along::gpus.name, along::bytes.name}};
inline constexpr Benchmark clock{"clock", "Hz"};
/// The share of the GPU that other processes took while the others ran: made by `fathom calibrate`.
inline constexpr Benchmark other_load{"other-load", "percent"};

/// Those of exchanges, in the order of ExchangeKind.
inline constexpr std::array of_links{&link_peer_copy,      &link_send_receive,  &link_all_to_all,
                                     &link_all_gather,     &link_all_reduce,    &link_host_to_device,
                                     &link_device_to_host, &link_host_both_ways};
constexpr const Benchmark& of(ExchangeKind kind) {
  return *of_links[std::size_t(kind)];
}

/// Those of exchanges among GPUs of several hosts, which files of nccl-tests have.
inline constexpr std::array between_hosts{
    std::pair(ExchangeKind::send_receive, &link_send_receive_between_hosts),
    std::pair(ExchangeKind::all_to_all, &link_all_to_all_between_hosts),
    std::pair(ExchangeKind::all_gather, &link_all_gather_between_hosts),
    std::pair(ExchangeKind::all_reduce, &link_all_reduce_between_hosts)};

/// Every benchmark that microbench/ measures on one GPU.
inline constexpr std::array all{&global_copy,
                                &l2_copy,
                                &shared_copy,
                                &register_ops,
                                &conflict,
                                &footprint_copy,
                                &footprint_read,
                                &cold_copy,
                                &cold_read,
                                &device_copy,
                                &launch_host,
                                &launch_empty,
                                &launch_gap,
                                &launch_start,
                                &block_start,
                                &block_turnover,
                                &chase_shared,
                                &chase_l1,
                                &chase_l2,
                                &chase_dram,
                                &stream_dram_read,
                                &stream_dram_write,
                                &stream_dram_copy,
                                &tiles_dram_read,
                                &tiles_dram_write,
                                &tiles_dram_copy,
                                &stream_l2_read,
                                &stream_l2_write,
                                &stream_l2_copy,
                                &in_flight_read,
                                &in_flight_copy,
                                &random_sectors,
                                &pipe_lop3,
                                &pipe_min,
                                &pipe_select,
                                &pipe_select64,
                                &pipe_ffma,
                                &pipe_imad,
                                &pipe_lop3_ffma,
                                &pipe_shuffle,
                                &pipe_lds4,
                                &pipe_lds8,
                                &pipe_lds16,
                                &pipe_barrier,
                                &overlap,
                                &phases,
                                &instruction_fetch,
                                &global_atomics,
                                &shared_atomics,
                                &global_atomic_chase,
                                &shared_atomic_chase,
                                &flag_flight,
                                &sleep,
                                &written_runs,
                                &partial_sectors,
                                &clock};
}  // namespace benchmarks

/// An empty series. Throws std::logic_error if the coordinates are not those of the benchmark.
Series series_of(const Benchmark& benchmark, std::map<std::string, double> coordinates);

}  // namespace fathom
