// SPDX-License-Identifier: Apache-2.0
// Tables as NVIDIA Nsight Compute prints them, written by hand.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace fathom::tests {

/// Of a kernel that copies 32,000,000 bytes in 1000 blocks of 256 threads, all that is imported, with the
/// units and separators that ncu chooses itself: name, unit, value.
struct ProfilerColumn {
  std::string name, unit, value;
};
inline std::vector<ProfilerColumn> copy_columns() {
  const std::string stalled = "smsp__average_warps_issue_stalled_", per_issue = "_per_issue_active.ratio";
  return {
      {"ID", "", "0"},
      {"Process ID", "", "4711"},
      {"Process Name", "", "mine"},
      {"Host Name", "", "127.0.0.1"},
      {"Kernel Name", "", "void mine::copy<float>(const T1 *, T1 *, int)"},
      {"Context", "", "1"},
      {"Stream", "", "7"},
      {"Block Size", "", "(256, 1, 1)"},
      {"Grid Size", "", "(500, 2, 1)"},
      {"Device", "", "0"},
      {"CC", "", "9.0"},
      {"device__attribute_compute_capability_major", "", "9"},
      {"device__attribute_compute_capability_minor", "", "0"},
      {"device__attribute_display_name", "", "NVIDIA H200"},
      {"device__attribute_l2_cache_size", "", "62,914,560"},
      {"device__attribute_multiprocessor_count", "", "132"},
      {"dram__bytes_read.sum", "Mbyte", "32.10"},
      {"dram__bytes_write.sum", "Kbyte", "500.00"},
      {"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "%", "75.00"},
      {"gpu__time_duration.sum", "usecond", "20.00"},
      {"l1tex__data_pipe_lsu_wavefronts.sum", "", "600,000"},
      {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "", "80,000"},
      {"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "", "0"},
      {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "request", "250,000"},
      {"l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", "", "2,000"},
      {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sector", "1,000,000"},
      {"launch__block_size", "", "256"},
      {"launch__cluster_size", "", "1"},
      {"launch__grid_size", "", "1,000"},
      {"launch__registers_per_thread", "register/thread", "24"},
      {"launch__shared_mem_config_size", "Kbyte", "32.77"},
      {"launch__shared_mem_per_block_dynamic", "Kbyte/block", "4.10"},
      {"launch__shared_mem_per_block_static", "byte/block", "128"},
      {"launch__uses_cdp", "", "0"},
      {"lts__t_sectors_srcunit_tex_op_atom.sum", "sector", "0"},
      {"lts__t_sectors_srcunit_tex_op_read.sum", "sector", "1,000,000"},
      {"lts__t_sectors_srcunit_tex_op_red.sum", "sector", "1,000"},
      {"lts__t_sectors_srcunit_tex_op_write.sum", "sector", "1,000,000"},
      {"sass__inst_executed_per_opcode", "inst", "1,600,000 (BAR: 16,000; LDG: 250,000; FFMA: 1,334,000)"},
      {"sm__cycles_elapsed.max", "cycle", "36,000"},
      {"sm__inst_executed_pipe_alu.sum", "inst", "400,000"},
      {"sm__inst_executed_pipe_fma.sum", "inst", "600,000"},
      {"sm__inst_executed_pipe_fp64.sum", "inst", "0"},
      {"sm__inst_executed_pipe_tensor.sum", "inst", "0"},
      {"sm__inst_executed_pipe_xu.sum", "inst", "8,000"},
      {"sm__throughput.avg.pct_of_peak_sustained_elapsed", "%", "20.00"},
      {stalled + "barrier" + per_issue, "inst", "0.50"},
      {stalled + "branch_resolving" + per_issue, "inst", "0.25"},
      {stalled + "imc_miss" + per_issue, "inst", "0.25"},
      {stalled + "long_scoreboard" + per_issue, "inst", "12.00"},
      {stalled + "membar" + per_issue, "inst", "0"},
      {stalled + "no_instruction" + per_issue, "inst", "0.25"},
      {stalled + "selected" + per_issue, "inst", "1.00"},
      {stalled + "short_scoreboard" + per_issue, "inst", "0.75"},
      {stalled + "sleeping" + per_issue, "inst", "0"},
      {stalled + "wait" + per_issue, "inst", "2.75"},
      {"smsp__cycles_elapsed.avg.per_second", "cycle/nsecond", "1.80"},
      {"smsp__inst_executed.sum", "inst", "1,600,000"},
      {"smsp__inst_issued.sum", "inst", "1,600,000"}};
}

inline std::string csv_row(const std::vector<std::string>& fields) {
  std::string row;
  for (const std::string& field : fields) row += (row.empty() ? "\"" : ",\"") + field + '"';
  return row + '\n';
}

/// `ncu --csv --page raw`: a row per launch.
inline std::string wide_csv(const std::vector<std::vector<ProfilerColumn>>& launches) {
  std::vector<std::string> names, units;
  for (const ProfilerColumn& column : launches.front()) {
    names.push_back(column.name);
    units.push_back(column.unit);
  }
  std::string table = csv_row(names) + csv_row(units);
  for (const auto& launch : launches) {
    std::vector<std::string> values;
    for (const ProfilerColumn& column : launch) values.push_back(column.value);
    table += csv_row(values);
  }
  return table;
}

/// `ncu --csv --metrics …`: a row per metric. The first eleven columns are of the launch.
inline std::string long_csv(const std::vector<std::vector<ProfilerColumn>>& launches) {
  constexpr std::ptrdiff_t of_the_launch = 11;
  std::vector<std::string> header;
  for (const ProfilerColumn& column : launches.front()) header.push_back(column.name);
  header.resize(of_the_launch);
  for (const char* name : {"Section Name", "Metric Name", "Metric Unit", "Metric Value"})
    header.push_back(name);
  std::string table = csv_row(header);
  for (const auto& launch : launches) {
    std::vector<std::string> common;
    for (const ProfilerColumn& column : launch) common.push_back(column.value);
    common.resize(of_the_launch);
    for (auto column = launch.begin() + of_the_launch; column != launch.end(); ++column) {
      std::vector<std::string> row = common;
      row.insert(row.end(), {"Command line profiler metrics", column->name, column->unit, column->value});
      table += csv_row(row);
    }
  }
  return table;
}

/// The columns without those whose names contain `part`.
inline std::vector<ProfilerColumn> without(std::vector<ProfilerColumn> columns, const std::string& part) {
  std::erase_if(columns, [&](const ProfilerColumn& one) { return one.name.find(part) != std::string::npos; });
  return columns;
}
/// The columns with another value of one.
inline std::vector<ProfilerColumn> with(std::vector<ProfilerColumn> columns, const std::string& name,
                                        const std::string& value) {
  for (ProfilerColumn& column : columns)
    if (column.name == name) column.value = value;
  return columns;
}

}  // namespace fathom::tests
