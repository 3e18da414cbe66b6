// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/predicting/import.h>

#include <fathom/calls/measuring/provenance.h>
#include <fathom/calls/output_files.h>
#include <fathom/core/system/run_program.h>
#include <fathom/core/system/whole_file.h>
#include <fathom/store/profiler_metrics.h>
#include <fmt/format.h>

#include <sys/wait.h>
#include <system_error>

namespace fathom::calls {
namespace {

namespace fs = std::filesystem;

/// Prints the table of a *.ncu-rep. Exits with 3 without NVIDIA's package.
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
)python";

std::string table_of(const fs::path& report) {
  const std::string way_out = fmt::format(
      "run pip install ncu-report, or import the table that ncu --import {} --csv --page raw --print-units "
      "base "
      "prints",
      report.string());
  read_whole(report);  // throws if there is no such file
  try {
    const ProgramResult printed =
        run_program({"python3", "-c", print_table, fs::absolute(report).string()}, "");
    if (WIFEXITED(printed.status) && WEXITSTATUS(printed.status) == 0) return printed.output;
    const bool is_missing = WIFEXITED(printed.status) && WEXITSTATUS(printed.status) == 3;
    throw std::runtime_error(is_missing
                                 ? fmt::format("{}: NVIDIA's package ncu-report reads it, which python3 "
                                               "does not have: {}",
                                               report.string(), way_out)
                                 : fmt::format("{}: NVIDIA's package ncu-report cannot read it: it is "
                                               "damaged, or newer than the package: {}",
                                               report.string(), way_out));
  } catch (const ProgramLimitExceeded& exceeded) {
    throw std::runtime_error(fmt::format("{}: {}: {}", report.string(), exceeded.what(), way_out));
  } catch (const std::system_error&) {
    throw std::runtime_error(
        fmt::format("{}: python3 reads it, which was not found: {}", report.string(), way_out));
  }
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
  Provenance& provenance = imported.launches.provenance;
  provenance.date = now_utc();
  provenance.command = command;
  output.write(to_json(imported.launches));
  return imported;
}

}  // namespace fathom::calls
