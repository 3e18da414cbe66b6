// SPDX-License-Identifier: Apache-2.0
// The command line: registers the commands, and turns their errors into one line on stderr and an exit
// code, 2 for bad usage and 1 for failure.
#include <fathom/calls/measuring/provenance.h>
#include <fathom/cli/main.h>
#include <fathom/core/text/escape.h>
#include <fathom/core/text/nearest.h>
#include <fathom/counting/work.h>
#include <fathom/device/code/disassembly.h>
#include <fathom/device/group/communicator.h>
#include <fathom/model/laws/predict.h>
#include <fathom/reports/plot/plot.h>
#include <fathom/store/profile.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <typeinfo>
#include <vector>

#include "arguments.h"
#include "commands.h"
#include "help.h"
#include "terminal.h"

namespace {

constexpr int failure = 1, bad_usage = 2;

int complain(int code, std::string_view message) {
  std::string text = fathom::cli::as_typed(message);
  // Always one line: a compiler's log has many.
  while (!text.empty() && text.back() == '\n') text.pop_back();
  for (std::size_t at; (at = text.find('\n')) != text.npos;) text.replace(at, 1, "; ");
  fathom::cli::clear_progress();
  // Not fmt::print(), which throws where stderr is closed or full.
  std::fputs(fmt::format("fathom: {}\n", fathom::line_for_terminal(text)).c_str(), stderr);
  return code;
}

/// An empty value would stand for a default, and comes from an unset variable in a script.
void check_not_empty(const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    const bool is_option = argument.starts_with('-') && argument.ends_with('=');
    if (!argument.empty() && !is_option) continue;
    const std::string before = i > 0 ? arguments[i - 1] : "";
    throw fathom::cli::UsageError(is_option ? fmt::format("{} is empty: give a value", argument)
                                  : before.starts_with('-')
                                      ? fmt::format("{} '' is empty: give a value", before)
                                      : fmt::format("argument {} is empty: omit it, or give a value", i + 1));
  }
}

/// CLI11 would report an unexpected argument; a suggestion is more helpful.
void check_command(const CLI::App& fathom, const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front().starts_with('-')) return;
  std::vector<std::string> names;
  for (const CLI::App* command : fathom.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  if (std::find(names.begin(), names.end(), arguments.front()) == names.end())
    throw fathom::cli::UsageError(fmt::format("unknown command '{}'{} (fathom --help lists them)",
                                              arguments.front(),
                                              fathom::did_you_mean(arguments.front(), names)));
}

std::string help_command(const CLI::App& fathom) {
  for (const CLI::App* command : fathom.get_subcommands()) return "fathom " + command->get_name() + " --help";
  return "fathom --help";
}

/// CLI11's texts, which begin with the option's name, in the words of the other messages.
std::string in_words(const CLI::ParseError& error) {
  const std::string text = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error)) {
    const std::string option = text.substr(0, text.find(':'));
    if (text.ends_with("missing")) return option + " needs a value";
    if (option == "--compare") return "--compare takes two files, or two names of profiles";
    return option + " is given more than once";
  }
  if (dynamic_cast<const CLI::ConversionError*>(&error))  // of a flag: all other options take text
    return text.substr(text.find(": ") + 2) + ": this option takes no value";
  return text;
}

template <class... Types>
bool is_one_of(const std::exception& error) {
  return (dynamic_cast<const Types*>(&error) || ...);
}

/// Errors that the project throws with a text for the user. Libraries derive their own types from the
/// standard ones, which are therefore compared exactly.
bool is_own(const std::exception& error) {
  using namespace fathom;
  return typeid(error) == typeid(std::runtime_error) ||
         is_one_of<DeviceUnavailable, DisassemblerUnavailable, OutOfDeviceMemory, KernelFailure,
                   ExchangeFailure, FormatError, MissingConstant, ImpossibleTime, WorkUnavailable,
                   reports::GnuplotError>(error);
}

/// The exit code for the exception being handled, after a line about it.
int complain_about_exception(const CLI::App& app, const std::string& command_line) try {
  throw;
} catch (const fathom::cli::SaidByFirstProcess&) {
  return failure;
} catch (const fathom::Interrupted& interrupted) {
  return complain(failure, interrupted.what());
} catch (const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return app.exit(error);  // --help and --version
  return complain(bad_usage, fmt::format("{} (see {})", in_words(error), help_command(app)));
} catch (const fathom::cli::UsageError& error) {
  return complain(bad_usage, error.what());
} catch (const std::bad_alloc&) {
  return complain(failure, "out of memory on the host: choose a smaller n, or fewer or smaller datasets");
} catch (const std::filesystem::filesystem_error& error) {
  return complain(failure, fmt::format("{}: {}", error.path1().string(), error.code().message()));
} catch (const std::system_error& error) {
  return complain(failure, error.what());
} catch (const std::exception& error) {
  // An unknown name or value, from a lower layer.
  if (typeid(error) == typeid(std::invalid_argument) || is_one_of<fathom::BlockTooLarge>(error))
    return complain(bad_usage, error.what());
  if (is_own(error)) return complain(failure, error.what());
  return complain(failure, fmt::format("internal error: {}: please report it with the command: {}",
                                       error.what(), command_line));
} catch (...) {
  return complain(failure,
                  fmt::format("internal error: please report it with the command: {}", command_line));
}

/// As in the command line. A parent may start a program without even a name.
std::string program_name(int count, char** values) {
  return count > 0 ? std::filesystem::path(values[0]).filename().string() : "fathom";
}

}  // namespace

int fathom::cli::main(int count, char** values) {
  std::signal(SIGCHLD, SIG_DFL);  // ignored by some parents: gnuplot's exit status would be lost
  fathom::cli::catch_signals();
  const fathom::Interruptible interruptible(fathom::cli::check_interrupted);
  const std::vector<std::string> arguments(values + std::min(count, 1), values + count);
  const std::string command_line = fmt::format("{}{}{}", program_name(count, values),
                                               arguments.empty() ? "" : " ", fmt::join(arguments, " "));

  CLI::App app("Measures a GPU, models an algorithm and predicts its time.", program_name(count, values));
  app.formatter(fathom::cli::help_formatter());
  app.require_subcommand(1);
  app.set_version_flag("--version", fmt::format("{} ({})", FATHOM_VERSION, fathom::calls::built_from()));
  fathom::cli::add_devices(app);
  fathom::cli::add_algorithms(app);
  fathom::cli::add_calibrate(app, command_line);
  fathom::cli::add_predict(app);
  fathom::cli::add_import(app, command_line);
  fathom::cli::add_tune(app);
  fathom::cli::add_bench(app, command_line);
  fathom::cli::add_count(app);
  fathom::cli::add_fit(app);
  fathom::cli::add_validate(app);
  fathom::cli::add_plot(app);
  fathom::cli::add_report(app);
  fathom::cli::add_completion(app);
  fathom::cli::add_manual(app);

  try {
    check_not_empty(arguments);
    check_command(app, arguments);
    app.parse(count, values);
    return 0;
  } catch (...) {
    return complain_about_exception(app, command_line);
  }
}
