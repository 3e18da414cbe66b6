// An algorithm and a problem for it, as given on the command line.
#pragma once

#include <fathom/algorithms/registry.h>

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace fathom::cli {

/// What the options say of a problem besides its size. Some commands take several types.
struct ProblemOptions {
  std::vector<std::string> types{"u32"};
  bool stable = false;
  std::vector<std::string> set;
};

/// --type, --stable and --set; `set_help` says what --set does in this command.
void add_problem_options(CLI::App& command, ProblemOptions& options, const std::string& set_help);
/// The same, with a list of types.
void add_problem_grid_options(CLI::App& command, ProblemOptions& options, const std::string& set_help);

/// One problem, for options that name one type and one value per parameter. This and what follows throws
/// UsageError for what cannot be understood, and std::invalid_argument as Descriptor::check() does for what
/// the algorithm cannot solve.
Problem one_problem(const Descriptor& algorithm, double n, const ProblemOptions& options);
/// One problem whose parameters are left at their defaults: for commands that choose them.
Problem problem_without_parameters(const Descriptor& algorithm, double n, const ProblemOptions& options);
/// Of one size, every combination of types and parameters.
std::vector<Problem> problem_grid(const Descriptor& algorithm, double n, const ProblemOptions& options);

/// Throws std::invalid_argument for an unknown algorithm, UsageError for one without a formula.
const Algorithm& predictable_algorithm(const std::string& slug);

/// Bytes of device memory, work space included; for an algorithm without kernels its input and output.
double bytes_needed(const Algorithm& algorithm, const Problem& problem, const Machine<double>& machine);

/// Throws std::runtime_error with needed and available bytes when the problem does not fit in the machine's
/// memory.
void check_fits(const Algorithm& algorithm, const Problem& problem, const Machine<double>& machine);

}  // namespace fathom::cli
