// SPDX-License-Identifier: Apache-2.0
// What NVIDIA's metrics say of a launch, worked by hand for the launch of profiler_csv.h: 1000 blocks of 8
// warps.
#include <fathom/store/launches/profiler_metrics.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "../support/profiler_csv.h"
#include "json_text.h"

using namespace fathom;
using namespace fathom::tests;
using Catch::Matchers::Contains;

namespace {

using Columns = std::vector<ProfilerColumn>;

LaunchReport imported(const std::vector<Columns>& launches) {
  return launch_report(parse_profiler_csv(wide_csv(launches), "mine.csv"), "mine.csv");
}
ReportedLaunch launch_of(const Columns& columns) {
  return imported({columns}).launches.front();
}

std::string error_of(const std::vector<Columns>& launches) {
  return format_error_of([&] { imported(launches); });
}

std::vector<std::string_view> what(const std::vector<Lacking>& lacking) {
  std::vector<std::string_view> all;
  for (const Lacking& one : lacking) all.push_back(one.what);
  return all;
}

}  // namespace

TEST_CASE("kernels go by their names alone", "[profiler]") {
  struct Case {
    const char *full, *name;
  };
  for (const auto& [full, name] :
       {Case{"copy", "copy"},
        {"copy(const float *, float *)", "copy"},
        {"void mine::copy<float>(const T1 *, T1 *, int)", "copy"},
        {"void a::b::Merge<a::Less<int>, (int)5>(T1)", "Merge"},
        {"void (anonymous namespace)::hidden(int)", "hidden"},
        {"void cub::CUB_200302_700_NS::DeviceScanKernel<a<b>, c>(T1, T2)", "DeviceScanKernel"},
        {"", ""},
        {"(int)", "(int)"}}) {
    INFO(full);
    CHECK(short_kernel_name(full) == name);
  }
  CHECK(short_kernel_name(std::string(2000, 'x')) == std::string(300, 'x'));
}

TEST_CASE("the launch and its GPU are taken from the report", "[profiler]") {
  const LaunchReport report = imported({copy_columns()});
  CHECK(report.provenance.gpu == "NVIDIA H200");
  CHECK(report.architecture == 90);
  CHECK(report.multiprocessors == 132.0);
  CHECK(report.l2_bytes == 62914560.0);
  const ReportedLaunch& launch = report.launches.front();
  CHECK(launch.kernel == "copy");
  CHECK(launch.blocks == 1000);
  CHECK(launch.threads_per_block == 256);
  CHECK(launch.registers == 24.0);
  CHECK(launch.static_shared_bytes == 128.0);
  CHECK(*launch.dynamic_shared_bytes == Approx(4100));
  CHECK(*launch.carveout_bytes == Approx(32770));
  CHECK(launch.blocks_per_cluster == 1.0);
  CHECK(launch.launches_kernels == 0.0);
  CHECK(*launch.measured_s == Approx(20e-6));
  CHECK(*launch.clock_hz == Approx(1.8e9));
  CHECK(launch.tensor == 0.0);
  CHECK(launch.fp64 == 0.0);
}

TEST_CASE("constants made on the tensor pipe are no use of tensor cores", "[profiler]") {
  struct Case {
    const char* opcodes;
    double tensor;
  };
  for (const auto& [opcodes, tensor] : {Case{"9000 (BAR: 1000; HFMA2: 8000)", 0.5},
                                        Case{"1000 (BAR: 1000)", 8.5}, Case{"10000 (HFMA2: 10000)", 0}}) {
    INFO(opcodes);
    const Columns columns = with(copy_columns(), "sm__inst_executed_pipe_tensor.sum", "8,500");
    CHECK(*launch_of(with(columns, "sass__inst_executed_per_opcode", opcodes)).tensor == Approx(tensor));
  }
}

TEST_CASE("the demands of a block are the metrics over the blocks", "[profiler]") {
  const ReportedLaunch launch = launch_of(copy_columns());
  struct Case {
    const char* name;
    double Work::*member;
    std::optional<double> value;
  };
  for (const auto& [name, member, value] :
       {Case{"instructions", &Work::instructions, 1600},
        {"alu", &Work::alu, 400},
        {"fma", &Work::fma, 600},
        {"special", &Work::special, 8},
        {"shared_wavefronts", &Work::shared_wavefronts, 80},
        {"global_lines", &Work::global_lines, 520},  // 600 wavefronts, but for those of shared memory
        {"sectors_read", &Work::sectors_read, 1000},
        {"sectors_written", &Work::sectors_written, 1000},
        {"scattered_sectors", &Work::scattered_sectors, 0},  // 4 sectors per load
        {"lines_read", &Work::lines_read, 250},
        {"atomics", &Work::atomics, 2},
        {"atomic_sectors", &Work::atomic_sectors, 1},
        {"bytes_read", &Work::bytes_read, 32000},        // not 32,100: DRAM also read tables and code
        {"bytes_written", &Work::bytes_written, 32000},  // the L2 still holds what DRAM has not got
        {"barriers", &Work::barriers, 2},                // 16,000 by 8000 warps
        {"code_bytes", &Work::code_bytes, std::nullopt},
        {"issue_clocks", &Work::issue_clocks, std::nullopt},
        {"resumed_sectors", &Work::resumed_sectors, std::nullopt}}) {
    INFO(name);
    CHECK(launch.demand(member).has_value() == value.has_value());
    if (value) CHECK(launch.demand(member).value_or(-1) == Approx(*value));
  }
}

TEST_CASE("the clocks of the mean warp are stalls per instruction times its instructions", "[profiler]") {
  const auto warp = launch_of(copy_columns()).warp;  // of 200 instructions
  REQUIRE(warp);
  CHECK(warp->issuing == Approx(200 * (1 + 2.75 + 0.25)));
  CHECK(warp->global == Approx(200 * 12));
  CHECK(warp->shared == Approx(200 * 0.75));
  CHECK(warp->barriers == Approx(200 * 0.5));
  CHECK(warp->other == Approx(200 * (0.25 + 0.25)));
  CHECK(warp->utilization == Approx(0.75));  // of memory, more than 0.2 of the multiprocessors
  CHECK(launch_of(without(copy_columns(), "imc_miss")).warp->other == Approx(200 * 0.25));
  CHECK_FALSE(launch_of(without(copy_columns(), "long_scoreboard")).warp);
  CHECK_FALSE(launch_of(without(copy_columns(), "throughput")).warp);
}

TEST_CASE("loads that touch more sectors than contiguous ones can are scattered", "[profiler]") {
  // 250,000 loads: of 16 sectors each, and of more.
  const std::string touched = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
  CHECK(launch_of(with(copy_columns(), touched, "4,000,000")).demand(&Work::scattered_sectors) == 0.0);
  const ReportedLaunch scattered = launch_of(with(copy_columns(), touched, "4,000,001"));
  CHECK(scattered.demand(&Work::scattered_sectors) == 1000.0);
  CHECK(scattered.demand(&Work::lines_read) == 1000.0);  // a line each
}

TEST_CASE("other metrics stand in for those that a report lacks", "[profiler]") {
  const auto renamed = [](const char* from, Columns to) {
    Columns columns = without(copy_columns(), from);
    columns.insert(columns.end(), to.begin(), to.end());
    return launch_of(columns);
  };
  CHECK(renamed("smsp__inst_executed.sum", {}).demand(&Work::instructions) == 1600.0);  // issued
  CHECK(renamed("pipe_fma", {{"sm__inst_executed_pipe_fmaheavy.sum", "inst", "3,000"},
                             {"sm__inst_executed_pipe_fmalite.sum", "inst", "4,000"}})
            .demand(&Work::fma) == 7.0);
  CHECK(renamed("op_read.sum", {{"l1tex__m_xbar2l1tex_read_sectors.sum", "sector", "5,000"}})
            .demand(&Work::sectors_read) == 5.0);
  CHECK(renamed("op_read.sum",
                {{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", "sector", "400,000"}})
            .demand(&Work::sectors_read) == 600.0);
  CHECK(renamed("dram__bytes_read.sum", {{"dram__sectors_read.sum", "sector", "2,000"}})
            .demand(&Work::bytes_read) == 64.0);
  CHECK(*renamed("cycles_elapsed.avg", {}).clock_hz == Approx(36000 / 20e-6));
  CHECK(renamed("launch__block_size", {}).threads_per_block == 256);
  CHECK(renamed("launch__grid_size", {}).blocks == 1000);
  CHECK(imported({without(copy_columns(), "compute_capability")}).architecture == 90);  // column CC
}

TEST_CASE("what is written more than once counts once where the L2 is known", "[profiler]") {
  const auto bytes = [](const Columns& columns) {
    return launch_of(columns).demand(&Work::bytes_written).value_or(-1);
  };
  // 32,000,000 bytes reach the L2. DRAM got 500,000, and the L2 may hold 1,500,000 more.
  CHECK(bytes(with(copy_columns(), "device__attribute_l2_cache_size", "1,500,000")) == Approx(2000));
  CHECK(bytes(without(copy_columns(), "l2_cache_size")) == Approx(32000));
  CHECK(bytes(without(copy_columns(), "dram__bytes_write")) == Approx(32000));
}

TEST_CASE("what no launch has is listed with the metrics that bring it", "[profiler]") {
  CHECK(what(lacking(imported({copy_columns()}))).empty());

  const auto lacks = lacking(imported({without(without(copy_columns(), "sass__"), "pipe_xu")}));
  REQUIRE(what(lacks) == std::vector<std::string_view>{"special", "barriers"});
  CHECK(lacks[0].metrics == std::vector<std::string>{"sm__inst_executed_pipe_xu.sum"});
  CHECK(lacks[1].metrics == std::vector<std::string>{"sass__inst_executed_per_opcode"});
  CHECK(profiler_command(lacks) ==
        "ncu --set full --metrics sm__inst_executed_pipe_xu.sum,sass__inst_executed_per_opcode "
        "--print-metric-instances details --clock-control none --csv --page raw --print-units base PROGRAM > "
        "report.csv");

  // One launch that has it is enough.
  const Columns with_value = copy_columns(),
                without_value = with(copy_columns(), "dram__bytes_read.sum", "n/a");
  CHECK(what(lacking(imported({without_value, with_value}))).empty());
  CHECK(what(lacking(imported({without_value}))) == std::vector<std::string_view>{"bytes_read"});
}

TEST_CASE("a report of one launch's shape lacks all else, each thing once", "[profiler]") {
  Columns bare;
  for (const ProfilerColumn& column : copy_columns())
    if (column.name.find("__") == std::string::npos) bare.push_back(column);
  const LaunchReport report = imported({bare});
  CHECK(report.launches.front().blocks == 1000);
  CHECK_FALSE(report.launches.front().registers);
  const auto lacks = lacking(report);
  auto names = what(lacks);
  for (const std::string_view name : {"registers",
                                      "static shared memory",
                                      "dynamic shared memory",
                                      "measured time",
                                      "tensor cores",
                                      "arithmetic on doubles",
                                      "clock",
                                      "GPU",
                                      "instructions",
                                      "alu",
                                      "fma",
                                      "special",
                                      "shared_wavefronts",
                                      "global_lines",
                                      "sectors_read",
                                      "sectors_written",
                                      "scattered_sectors",
                                      "atomics",
                                      "bytes_read",
                                      "bytes_written",
                                      "barriers",
                                      "atomic_sectors",
                                      "waits of warps"}) {
    INFO(name);
    CHECK(std::ranges::count(names, name) == 1);
  }
  for (const Lacking& one : lacks) {
    INFO(one.what);
    CHECK_FALSE(one.metrics.empty());
  }
}

TEST_CASE("reports that cannot be imported say why", "[profiler]") {
  struct Case {
    std::vector<Columns> launches;
    const char* says;
  };
  const Columns copy = copy_columns();
  for (const auto& [launches, says] :
       {Case{{without(without(copy, "launch__grid_size"), "Grid Size")},
             "of 'copy' has no valid column \"Grid Size\""},
        {{with(copy, "launch__grid_size", "0")}, "\"Grid Size\""},
        {{with(copy, "launch__grid_size", "1.5")}, "\"Grid Size\""},
        {{with(copy, "launch__block_size", "1,025")}, "\"Block Size\""},
        {{with(copy, "smsp__inst_executed.sum", "1e19")}, "a metric is larger than any counter"},
        {{with(copy, "device__attribute_l2_cache_size", "1e19")}, "a metric is larger than any counter"},
        {{copy, with(copy, "device__attribute_display_name", "NVIDIA A100")}, "launches of several GPUs"},
        {{copy, with(copy, "device__attribute_compute_capability_minor", "3")}, "launches of several GPUs"}})
    CHECK_THAT(error_of(launches), Contains(says) && Contains("mine.csv: "));
}

TEST_CASE("the table's quantities are numbers of launches, demands or known words", "[profiler]") {
  const std::vector<std::string_view> others{
      "blocks",   "threads_per_block", "cycles", "capability_major", "capability_minor", "multiprocessors",
      "l2_bytes", "sectors_of_loads",  "loads",  "issued",           "issuing",          "global",
      "shared",   "barrier_stall",     "other",  "compute_percent",  "memory_percent",   "half_moves"};
  for (const MetricSource& source : metric_sources()) {
    INFO(source.quantity);
    CHECK((std::ranges::count(others, source.quantity) > 0 ||
           std::ranges::count(launch_numbers, source.quantity, &LaunchNumber::name) > 0 ||
           std::ranges::count(all_demands, source.quantity, &Demand::name) > 0));
    CHECK(source.factor > 0);
    CHECK_FALSE(source.metrics.empty());
  }
}
