// SPDX-License-Identifier: Apache-2.0
// A third of it is the table of metrics. What is made of them stands beside it, as it names the table's
// quantities.
#include <fathom/store/launches/profiler_metrics.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace fathom {
namespace {

constexpr double bytes_per_sector = 32;

// Metrics of the profiler from compute capability 7.0 on. Those of `--set full` stand ahead of others that
// say the same.
//
// Sectors are those that the L1 exchanges with the L2: lts__t_sectors_op_read also has what the halves of the
// L2 send each other, on an H200 half as much again.
constexpr MetricSource sources[] = {
    // The launch.
    {"blocks", "launch__grid_size"},
    {"threads_per_block", "launch__block_size"},
    {"registers", "launch__registers_per_thread"},
    {"static_shared_bytes", "launch__shared_mem_per_block_static"},
    {"dynamic_shared_bytes", "launch__shared_mem_per_block_dynamic"},
    {"carveout_bytes", "launch__shared_mem_config_size"},
    {"blocks_per_cluster", "launch__cluster_size"},
    {"launches_kernels", "launch__uses_cdp"},
    {"measured_s", "gpu__time_duration.sum"},
    {"clock_hz", "smsp__cycles_elapsed.avg.per_second"},
    {"clock_hz", "sm__cycles_elapsed.avg.per_second"},
    {"clock_hz", "gpc__cycles_elapsed.avg.per_second"},
    {"clock_hz", "gpc__cycles_elapsed.max.per_second"},
    {"cycles", "sm__cycles_elapsed.max"},
    {"cycles", "smsp__cycles_elapsed.max"},

    // The GPU.
    {"capability_major", "device__attribute_compute_capability_major"},
    {"capability_minor", "device__attribute_compute_capability_minor"},
    {"multiprocessors", "device__attribute_multiprocessor_count"},
    {"l2_bytes", "device__attribute_l2_cache_size"},

    // Instructions.
    {"instructions", "smsp__inst_executed.sum"},
    {"instructions", "sm__inst_executed.sum"},
    {"instructions", "smsp__inst_issued.sum"},
    {"alu", "sm__inst_executed_pipe_alu.sum"},
    {"alu", "smsp__inst_executed_pipe_alu.sum"},
    {"fma", "sm__inst_executed_pipe_fma.sum"},
    {"fma", "smsp__inst_executed_pipe_fma.sum"},
    {"fma", "sm__inst_executed_pipe_fmaheavy.sum + sm__inst_executed_pipe_fmalite.sum"},
    {"fma", "smsp__inst_executed_pipe_fmaheavy.sum + smsp__inst_executed_pipe_fmalite.sum"},
    {"special", "sm__inst_executed_pipe_xu.sum"},
    {"special", "smsp__inst_executed_pipe_xu.sum"},
    {"tensor", "sm__inst_executed_pipe_tensor.sum"},
    {"tensor", "smsp__inst_executed_pipe_tensor.sum"},
    {"tensor", "sm__inst_executed_pipe_tensor_op_hmma.sum + sm__inst_executed_pipe_tensor_op_imma.sum"},
    {"tensor", "sm__inst_executed_pipe_tensor_op_hmma.sum"},
    {"half_moves", "sass__inst_executed_per_opcode[HFMA2]"},
    {"fp64", "sm__inst_executed_pipe_fp64.sum"},
    {"fp64", "smsp__inst_executed_pipe_fp64.sum"},

    // The load/store unit. Its wavefronts for shared memory have those of shuffles among them.
    {"shared_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"},
    {"shared_wavefronts", "smsp__l1tex_data_pipe_lsu_wavefronts_mem_shared.sum"},
    {"global_lines", "l1tex__data_pipe_lsu_wavefronts.sum - l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"},
    {"global_lines",
     "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum + l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 0.25},

    // Global memory.
    {"sectors_read", "lts__t_sectors_srcunit_tex_op_read.sum"},
    {"sectors_read", "l1tex__m_xbar2l1tex_read_sectors.sum"},
    {"sectors_read",
     "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum - "
     "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"},
    {"sectors_written", "lts__t_sectors_srcunit_tex_op_write.sum"},
    {"sectors_written", "l1tex__m_l1tex2xbar_write_sectors.sum"},
    {"sectors_written", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"},
    {"sectors_of_loads", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
    {"loads", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"},
    {"atomics",
     "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum + l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"},
    {"atomics", "smsp__inst_executed_op_global_atom.sum + smsp__inst_executed_op_global_red.sum"},
    {"atomic_sectors", "lts__t_sectors_srcunit_tex_op_atom.sum + lts__t_sectors_srcunit_tex_op_red.sum"},
    {"atomic_sectors", "lts__t_sectors_op_atom.sum + lts__t_sectors_op_red.sum"},
    {"bytes_read", "dram__bytes_read.sum"},
    {"bytes_read", "dram__sectors_read.sum", bytes_per_sector},
    {"bytes_written", "dram__bytes_write.sum"},
    {"bytes_written", "dram__sectors_write.sum", bytes_per_sector},

    // Warps: of a stall, the warps that wait at a time, per clock with an instruction issued.
    {"barriers", "sass__inst_executed_per_opcode[BAR]"},
    {"issued", "smsp__inst_issued.sum"},
    {"issued", "smsp__issue_active.sum"},
    {"issued", "smsp__inst_executed.sum"},
    {"issuing",
     "smsp__average_warps_issue_stalled_selected_per_issue_active.ratio + "
     "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio + "
     "smsp__average_warps_issue_stalled_branch_resolving_per_issue_active.ratio"},
    {"global", "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"},
    {"shared", "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio"},
    {"barrier_stall", "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio"},
    {"other",
     "smsp__average_warps_issue_stalled_imc_miss_per_issue_active.ratio + "
     "smsp__average_warps_issue_stalled_membar_per_issue_active.ratio + "
     "smsp__average_warps_issue_stalled_sleeping_per_issue_active.ratio + "
     "smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio"},
    {"other",  // some GPUs do not count misses of the constants' cache
     "smsp__average_warps_issue_stalled_membar_per_issue_active.ratio + "
     "smsp__average_warps_issue_stalled_sleeping_per_issue_active.ratio + "
     "smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio"},
    {"compute_percent", "sm__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"memory_percent", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"},
};

/// The terms of a sum, with their signs.
struct Term {
  double sign;
  std::string_view metric;
};
std::vector<Term> terms_of(std::string_view sum) {
  std::vector<Term> terms;
  double sign = 1;
  while (!sum.empty()) {
    const std::size_t end = std::min(sum.find(' '), sum.size());
    const std::string_view word = sum.substr(0, end);
    if (word == "+" || word == "-")
      sign = word == "+" ? 1 : -1;
    else
      terms.push_back({sign, word});
    sum.remove_prefix(std::min(end + 1, sum.size()));
  }
  return terms;
}

std::optional<double> value_of(const MetricSource& source, const ProfiledLaunch& launch) {
  double sum = 0;
  for (const Term& term : terms_of(source.metrics)) {
    const auto value = launch.metric(term.metric);
    if (!value) return std::nullopt;
    sum += term.sign * *value;
  }
  return std::max(0.0, sum * source.factor);  // differences of two passes of the profiler may fall below
}

std::optional<double> quantity(const ProfiledLaunch& launch, std::string_view name) {
  for (const MetricSource& source : sources)
    if (source.quantity == name)
      if (const auto value = value_of(source, launch)) return value;
  return std::nullopt;
}

/// "(256, 2, 1)" → 512
std::optional<double> product(const ProfiledLaunch& launch, std::string_view column) {
  const auto found = launch.texts.find(column);
  if (found == launch.texts.end()) return std::nullopt;
  double all = 1;
  int numbers = 0;
  for (const char* at = found->second.c_str(); *at != '\0';) {
    if (*at < '0' || *at > '9') {
      ++at;
      continue;
    }
    char* end = nullptr;
    all *= std::strtod(at, &end);
    at = end;
    ++numbers;
  }
  return numbers > 0 ? std::optional(all) : std::nullopt;
}

double required_count(const ProfiledLaunch& launch, std::string_view name, std::string_view column,
                      double most, const std::string& where) {
  const std::optional<double> known = quantity(launch, name);
  const std::optional<double> value = known ? known : product(launch, column);
  if (!value || *value < 1 || *value > most || *value != std::floor(*value))
    throw FormatError(
        fmt::format("{}: the launch of '{}' has no valid column \"{}\": print the report with ncu "
                    "--csv --page raw",
                    where, short_kernel_name(launch.kernel), column));
  return *value;
}

/// Clocks of the mean warp; absent unless the report has all.
std::optional<WarpClocks> warp_clocks(const ProfiledLaunch& launch, double warps) {
  const auto of_a_warp = [&](std::string_view stall) -> std::optional<double> {
    const auto waiting = quantity(launch, stall), issued = quantity(launch, "issued");
    if (!waiting || !issued) return std::nullopt;
    return *waiting * *issued / warps;
  };
  const auto issuing = of_a_warp("issuing"), global = of_a_warp("global"), shared = of_a_warp("shared"),
             barriers = of_a_warp("barrier_stall"), other = of_a_warp("other");
  const auto compute = quantity(launch, "compute_percent"), memory = quantity(launch, "memory_percent");
  if (!issuing || !global || !shared || !barriers || !other || !compute || !memory) return std::nullopt;
  return WarpClocks{.issuing = *issuing,
                    .global = *global,
                    .shared = *shared,
                    .barriers = *barriers,
                    .other = *other,
                    .utilization = std::min(1.0, std::max(*compute, *memory) / 100)};
}

/// Sectors that scattered loads read: all, if a load touches more sectors than any contiguous one, whose 32
/// threads read 16 bytes each; or none.
std::optional<double> scattered_sectors(const ProfiledLaunch& launch, std::optional<double> sectors_read) {
  constexpr double most_contiguous = 16;
  const auto touched = quantity(launch, "sectors_of_loads"), loads = quantity(launch, "loads");
  if (!touched || !loads || !sectors_read) return std::nullopt;
  return *touched > most_contiguous * *loads ? *sectors_read : 0.0;
}

/// Distinct bytes written. DRAM sees them when the L2 has no more room; what it writes more than once, the
/// sectors that reach the L2 count more than once.
std::optional<double> bytes_written(const ProfiledLaunch& launch, std::optional<double> sectors_written,
                                    std::optional<double> l2_bytes) {
  if (!sectors_written) return std::nullopt;
  const double all = bytes_per_sector * *sectors_written;
  const auto dram = quantity(launch, "bytes_written");
  return dram && l2_bytes ? std::min(all, *dram + *l2_bytes) : all;
}

/// Of a launch, in the order of all_demands.
class LaunchDemands {
 public:
  std::optional<double>& operator[](double Work::*member) {
    const auto row = std::ranges::find(all_demands, member, &Demand::value);
    return demands_[std::size_t(row - all_demands.begin())];
  }
  ReportedDemands per_block(double blocks) const {
    ReportedDemands result = demands_;
    for (std::optional<double>& demand : result)
      if (demand) *demand /= blocks;
    return result;
  }

 private:
  ReportedDemands demands_{};
};

ReportedDemands demands_of(const ProfiledLaunch& launch, double blocks, double warps,
                           std::optional<double> l2_bytes) {
  LaunchDemands demands;
  for (const Demand& demand : all_demands) demands[demand.value] = quantity(launch, demand.name);
  const auto read = demands[&Work::sectors_read];
  const auto scattered = scattered_sectors(launch, read);
  demands[&Work::scattered_sectors] = scattered;
  constexpr double sectors_per_line = 4;
  if (read) {
    const double alone = std::min(scattered.value_or(0), *read);
    demands[&Work::lines_read] = alone + (*read - alone) / sectors_per_line;
    // With cold caches, what DRAM delivers is distinct as long as the L2 holds it; tables and code come on
    // top.
    if (auto& bytes = demands[&Work::bytes_read]) bytes = std::min(*bytes, bytes_per_sector * *read);
  }
  demands[&Work::bytes_written] = bytes_written(launch, demands[&Work::sectors_written], l2_bytes);
  if (auto& barriers = demands[&Work::barriers]) *barriers *= blocks / warps;  // each warp passes them
  return demands.per_block(blocks);
}

ReportedLaunch reported(const ProfiledLaunch& profiled, std::optional<double> l2_bytes,
                        const std::string& where) {
  ReportedLaunch launch;
  launch.kernel = short_kernel_name(profiled.kernel);
  launch.blocks = required_count(profiled, "blocks", "Grid Size", 0x1p53, where);
  launch.threads_per_block = int(required_count(profiled, "threads_per_block", "Block Size", 1024, where));
  for (const LaunchNumber& number : launch_numbers) launch.*number.value = quantity(profiled, number.name);
  if (!launch.clock_hz && launch.measured_s > 0.0)
    if (const auto cycles = quantity(profiled, "cycles")) launch.clock_hz = *cycles / *launch.measured_s;
  // The tensor pipe of Hopper also executes HFMA2, with which the compiler makes constants.
  if (const auto moves = quantity(profiled, "half_moves"); moves && launch.tensor)
    launch.tensor = std::max(*launch.tensor - *moves, 0.0);
  for (std::optional<double>* of_the_launch : {&launch.tensor, &launch.fp64})
    if (*of_the_launch) **of_the_launch /= launch.blocks;
  const double warps = std::ceil(launch.threads_per_block / 32.0) * launch.blocks;
  launch.warp = warp_clocks(profiled, warps);
  launch.demands = demands_of(profiled, launch.blocks, warps, l2_bytes);
  return launch;
}

std::string text(const ProfiledLaunch& launch, std::string_view name) {
  const auto found = launch.texts.find(name);
  return found == launch.texts.end() ? "" : found->second;
}

std::optional<int> architecture_of(const ProfiledLaunch& launch) {
  auto major = quantity(launch, "capability_major"), minor = quantity(launch, "capability_minor");
  double capability = 0;
  if (major && minor)
    capability = 10 * *major + *minor;
  else if (const auto column = launch.metric("CC"))  // "9.0"
    capability = 10 * *column;
  else
    capability = 10 * std::strtod(text(launch, "CC").c_str(), nullptr);
  if (!(capability >= 10 && capability < 1000)) return std::nullopt;
  return int(std::lround(capability));
}

}  // namespace

std::span<const MetricSource> metric_sources() {
  return sources;
}

std::string short_kernel_name(std::string_view full) {
  constexpr std::size_t longest = 300;
  std::string name;
  int depth = 0;  // of template arguments
  for (std::size_t i = 0; i < full.size(); ++i) {
    const char c = full[i];
    if (c == '<') ++depth;
    if (depth == 0) {
      const bool is_anonymous = full.substr(i).starts_with("(anonymous namespace)");
      if (c == '(' && !is_anonymous) break;  // the parameters
      if (is_anonymous) {
        i += std::string_view("(anonymous namespace)").size() - 1;
        continue;
      }
      if (c == ' ' || c == ':')
        name.clear();  // the result, a scope
      else
        name += c;
    }
    if (c == '>' && depth > 0) --depth;
  }
  return name.empty() ? std::string(full.substr(0, longest)) : name.substr(0, longest);
}

LaunchReport launch_report(const std::vector<ProfiledLaunch>& profiled, const std::string& where) {
  LaunchReport report;
  const ProfiledLaunch& first = profiled.front();
  const auto gpu_of = [](const ProfiledLaunch& launch) {
    return text(launch, "device__attribute_display_name");
  };
  report.provenance.gpu = gpu_of(first);
  report.architecture = architecture_of(first);
  report.multiprocessors = quantity(first, "multiprocessors");
  report.l2_bytes = quantity(first, "l2_bytes");
  for (const ProfiledLaunch& launch : profiled) {
    if (gpu_of(launch) != report.provenance.gpu || architecture_of(launch) != report.architecture)
      throw FormatError(
          fmt::format("{}: has launches of several GPUs: profile those of one, with ncu --devices 0", where));
    report.launches.push_back(reported(launch, report.l2_bytes, where));
  }
  if (!is_in_range(report))
    throw FormatError(fmt::format("{}: a metric is larger than any counter: the report is damaged", where));
  return report;
}

namespace {

bool has(const LaunchReport& report, std::optional<double> ReportedLaunch::*number) {
  return std::ranges::any_of(report.launches,
                             [&](const ReportedLaunch& one) { return (one.*number).has_value(); });
}

/// The metrics of the first source of these quantities.
std::vector<std::string> metrics_for(std::initializer_list<std::string_view> quantities) {
  std::vector<std::string> metrics;
  for (const std::string_view name : quantities)
    for (const Term& term : terms_of(std::ranges::find(sources, name, &MetricSource::quantity)->metrics)) {
      const std::string metric(term.metric.substr(0, term.metric.find('[')));
      if (std::ranges::count(metrics, metric) == 0) metrics.push_back(metric);
    }
  return metrics;
}

}  // namespace

std::vector<Lacking> lacking(const LaunchReport& report) {
  std::vector<Lacking> all;
  const auto number = [&](std::string_view what, std::string_view name) {
    const auto row = std::ranges::find(launch_numbers, name, &LaunchNumber::name);
    if (!has(report, row->value)) all.push_back({what, metrics_for({name})});
  };
  number("registers", "registers");
  number("static shared memory", "static_shared_bytes");
  number("dynamic shared memory", "dynamic_shared_bytes");
  number("carve-out of shared memory", "carveout_bytes");
  number("measured time", "measured_s");
  number("tensor cores", "tensor");
  number("arithmetic on doubles", "fp64");
  if (!has(report, &ReportedLaunch::clock_hz)) all.push_back({"clock", metrics_for({"cycles"})});
  if (report.provenance.gpu.empty()) all.push_back({"GPU", {"device__attribute_display_name"}});
  if (!report.l2_bytes) all.push_back({"size of the L2", metrics_for({"l2_bytes"})});
  for (const Demand& demand : all_demands) {
    const bool is_there = std::ranges::any_of(
        report.launches, [&](const ReportedLaunch& one) { return one.demand(demand.value).has_value(); });
    if (is_there) continue;
    if (demand.value == &Work::scattered_sectors)
      all.push_back({demand.name, metrics_for({"sectors_of_loads", "loads"})});
    else if (std::ranges::count(sources, demand.name, &MetricSource::quantity) > 0)
      all.push_back({demand.name, metrics_for({demand.name})});
  }
  if (!std::ranges::any_of(report.launches, [](const ReportedLaunch& one) { return one.warp.has_value(); }))
    all.push_back({"waits of warps", metrics_for({"issued", "issuing", "global", "shared", "barrier_stall",
                                                  "other", "compute_percent", "memory_percent"})});
  return all;
}

std::string profiler_command(const std::vector<Lacking>& lacking) {
  std::vector<std::string> metrics;
  for (const Lacking& one : lacking)
    for (const std::string& metric : one.metrics)
      if (std::ranges::count(metrics, metric) == 0) metrics.push_back(metric);
  const bool has_instances =
      std::ranges::any_of(metrics, [](const std::string& metric) { return metric.starts_with("sass__"); });
  return fmt::format(
      "ncu --set full --metrics {} {}--clock-control none --csv --page raw --print-units base "
      "PROGRAM > report.csv",
      fmt::join(metrics, ","), has_instances ? "--print-metric-instances details " : "");
}

}  // namespace fathom
