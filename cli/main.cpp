// The command `fathom`: registers the commands, and turns their errors into one line on stderr and an exit
// code, 2 for bad usage and 1 for failure.
#include <fathom/core/escape.h>
#include <fathom/core/nearest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <csignal>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "arguments.h"
#include "commands.h"

namespace {

constexpr int failure = 1, bad_usage = 2;

int complain(int code, std::string text) {
  // Always one line: a compiler's log has many.
  while (!text.empty() && text.back() == '\n') text.pop_back();
  for (std::size_t at; (at = text.find('\n')) != text.npos;) text.replace(at, 1, "; ");
  // Not fmt::print(), which throws where stderr is closed or full.
  std::fputs(fmt::format("fathom: {}\n", fathom::line_for_terminal(text)).c_str(), stderr);
  return code;
}

/// CLI11 would report an unexpected argument; a suggestion is more helpful.
void check_command(const CLI::App& fathom, const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front().starts_with('-')) return;
  std::vector<std::string> names;
  for (const CLI::App* command : fathom.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  if (std::find(names.begin(), names.end(), arguments.front()) == names.end())
    throw fathom::cli::UsageError(
        fmt::format("unknown command '{}': did you mean '{}'? (fathom --help lists them)", arguments.front(),
                    fathom::nearest(arguments.front(), names)));
}

std::string help_command(const CLI::App& fathom) {
  for (const CLI::App* command : fathom.get_subcommands()) return "fathom " + command->get_name() + " --help";
  return "fathom --help";
}

}  // namespace

int main(int count, char** values) {
  std::signal(SIGCHLD, SIG_DFL);  // ignored by some parents: gnuplot's exit status would be lost
  const std::vector<std::string> arguments(values + 1, values + count);
  const std::string command_line =
      fmt::format("fathom{}{}", arguments.empty() ? "" : " ", fmt::join(arguments, " "));

  CLI::App app("Measures a GPU, models an algorithm and predicts its time.", "fathom");
  app.require_subcommand(1);
  app.set_version_flag("--version", FATHOM_VERSION);
  fathom::cli::add_devices(app);
  fathom::cli::add_algorithms(app);
  fathom::cli::add_calibrate(app, command_line);
  fathom::cli::add_predict(app);
  fathom::cli::add_tune(app);
  fathom::cli::add_bench(app, command_line);
  fathom::cli::add_count(app);
  fathom::cli::add_fit(app);
  fathom::cli::add_validate(app);
  fathom::cli::add_plot(app);
  fathom::cli::add_report(app);

  try {
    check_command(app, arguments);
    app.parse(count, values);
    return 0;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help and --version
    return complain(bad_usage, fmt::format("{} (see {})", error.what(), help_command(app)));
  } catch (const fathom::cli::UsageError& error) {
    return complain(bad_usage, error.what());
  } catch (const std::invalid_argument& error) {  // an unknown name or value, from a lower layer
    return complain(bad_usage, error.what());
  } catch (const std::bad_alloc&) {
    return complain(failure, "out of memory on the host: choose a smaller n");
  } catch (const std::exception& error) {
    return complain(failure, error.what());
  }
}
