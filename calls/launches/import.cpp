// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/launches/import.h>

#include <fathom/calls/measuring/provenance.h>
#include <fathom/calls/output_files.h>
#include <fathom/core/system/run_program.h>
#include <fathom/core/system/whole_file.h>
#include <fathom/store/launches/profiler_metrics.h>
#include <fmt/format.h>

#include <sys/wait.h>
#include <system_error>

namespace fathom::calls {
namespace {

namespace fs = std::filesystem;

/// print_table exits with this code if NVIDIA's package is not there.
constexpr int no_package = 3;
/// This program prints the table of a *.ncu-rep.
constexpr const char* print_table = R"python(
import csv, sys
try:
    import ncu_report
except ImportError:
    sys.exit(3)
table = csv.writer(sys.stdout, quoting=csv.QUOTE_ALL)
table.writerow(["ID", "Kernel Name", "Metric Name", "Metric Unit", "Metric Value"])
report = ncu_report.load_report(sys.argv[1])
launches = 0
for i in range(report.num_ranges()):
    part = report.range_by_idx(i)
    for j in range(part.num_actions()):
        launch = part.action_by_idx(j)
        for name in launch.metric_names():
            metric = launch.metric_by_name(name)
            if metric is None or metric.value() is None:
                continue
            value = str(metric.value())
            if name.startswith("sass__inst_executed_per_opcode") and metric.has_correlation_ids():
                opcodes = metric.correlation_ids()
                value += " (" + "; ".join(f"{opcodes.value(k)}: {metric.value(k)}"
                                          for k in range(metric.num_instances())) + ")"
            table.writerow([launches, launch.name(ncu_report.IAction.NameBase_DEMANGLED), name, metric.unit(), value])
        launches += 1
if launches == 0:  # of a damaged report, too, the package only says so
    sys.exit(1)
)python";

/// Its exit code; -1 if a signal ended it.
int exit_code(const ProgramResult& result) {
  return WIFEXITED(result.status) ? WEXITSTATUS(result.status) : -1;
}

/// The way out of everything that keeps a report from being read.
std::runtime_error unreadable(const fs::path& report, std::string_view why) {
  return std::runtime_error(fmt::format(
      "{0}: {1} import the table that ncu --import {0} --csv --page raw --print-units base prints",
      report.string(), why));
}

ProgramResult read_by_package(const fs::path& report) try {
  return run_program({"python3", "-c", print_table, fs::absolute(report).string()}, "");
} catch (const ProgramLimitExceeded& exceeded) {
  throw unreadable(report, fmt::format("{}:", exceeded.what()));
} catch (const std::system_error&) {
  throw unreadable(report, "python3 reads it, which was not found: install it, or");
}

std::string table_of(const fs::path& report) {
  read_whole(report);  // throws if there is no such file
  const ProgramResult printed = read_by_package(report);
  const int code = exit_code(printed);
  if (code == no_package)
    throw unreadable(report,
                     "NVIDIA's package ncu-report reads it, which python3 does not have: run pip install "
                     "ncu-report, or");
  if (code != 0)
    throw unreadable(report,
                     "NVIDIA's package ncu-report finds no launches in it: none was profiled, or it is "
                     "damaged, or newer than the package: update that, or");
  return printed.output;
}

std::vector<ProfiledLaunch> profiled_launches(const fs::path& report) {
  const bool is_binary = report.extension() == ".ncu-rep" || report.extension() == ".ncu-repz";
  return parse_profiler_csv(is_binary ? table_of(report) : read_whole(report), report.string());
}

}  // namespace

reports::ImportReport import_report(const fs::path& report, const fs::path& file,
                                    const std::string& command) {
  if (!is_launch_report(file.string()))
    throw std::invalid_argument(fmt::format("{}: choose a name that ends in {}, by which predict knows it",
                                            file.string(), launch_report_extension));
  const OutputFile output = claim(file, {report});
  reports::ImportReport imported{.report = report.string(),
                                 .file = file.string(),
                                 .launches = launch_report(profiled_launches(report), report.string())};
  GpuInfo profiled;
  profiled.name = imported.launches.provenance.gpu;
  imported.launches.provenance = provenance(profiled, command);
  output.write(to_json(imported.launches));
  return imported;
}

}  // namespace fathom::calls
