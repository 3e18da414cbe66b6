// SPDX-License-Identifier: Apache-2.0
#include <fathom/reports/plot/gnuplot.h>

#include <fathom/core/system/run_program.h>
#include <fmt/format.h>

#include <sys/wait.h>
#include <cerrno>
#include <system_error>

namespace fathom::reports {
namespace {

/// -d: its user's start-up files would change the figures.
ProgramResult start(const std::string& commands) try {
  return run_program({"gnuplot", "-d"}, commands);
} catch (const std::system_error& error) {
  if (error.code() == std::errc::no_such_file_or_directory || error.code() == std::errc::permission_denied)
    throw GnuplotMissing("gnuplot is not in PATH: install the package gnuplot-nox to draw figures");
  throw;
}

/// gnuplot's own words stay out of the message: they name lines of a script that the user never sees.
GnuplotError failure(const Figure& figure, const std::string& why) {
  return GnuplotError(fmt::format("gnuplot could not draw '{}': {}; gnuplot 5 is needed", figure.title, why));
}

}  // namespace

std::string run_gnuplot(const Figure& figure, const GnuplotScript& script) {
  const ProgramResult gnuplot = start(script.commands);
  if (WIFSIGNALED(gnuplot.status))
    throw failure(figure, fmt::format("it was ended by signal {}", WTERMSIG(gnuplot.status)));
  if (WEXITSTATUS(gnuplot.status) != 0)
    throw failure(figure, fmt::format("exit status {}", WEXITSTATUS(gnuplot.status)));
  if (gnuplot.output.empty()) throw failure(figure, "it drew nothing");
  return gnuplot.output;
}

std::optional<std::string> why_not_drawn() try {
  start("exit\n");
  return std::nullopt;
} catch (const GnuplotMissing& missing) {
  return missing.what();
}

}  // namespace fathom::reports
