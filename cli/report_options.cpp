#include "report_options.h"

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "arguments.h"
#include "options.h"

namespace fathom::cli {

void add_report_options(CLI::App& command, ReportArguments& arguments) {
  add_dataset_arguments(command, arguments.datasets);
  command.add_option(
      "--device", arguments.device,
      "Profile: a name or a path [default: of the GPU measured, else of the GPU present, else h200]");
  command.add_option("--law", arguments.law, "counted, fitted or published [default: counted and published]");
}

calls::ReportOptions report_options(const ReportArguments& arguments) {
  calls::ReportOptions options{arguments.datasets, arguments.device, {}};
  if (!arguments.law.empty()) options.law = parse_law(arguments.law);
  return options;
}

}  // namespace fathom::cli
