// An algorithm and a problem for it, as given on the command line.
#pragma once

#include <fathom/algorithms/registry.h>

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace fathom::cli {

/// Options of a problem, except for its size. Some commands take several types.
struct ProblemOptions {
  std::vector<std::string> types{"u32"};
  bool stable = false;
  std::vector<std::string> set;
};

/// --type, --stable and --set; `set_help` describes --set in this command.
void add_problem_options(CLI::App& command, ProblemOptions& options, const std::string& set_help);
/// The same, with a list of types.
void add_problem_grid_options(CLI::App& command, ProblemOptions& options, const std::string& set_help);

/// One problem with default parameters: for commands that choose them. These functions throw UsageError for
/// invalid text, and std::invalid_argument, from Descriptor::check(), for a problem that the algorithm cannot
/// solve.
Problem problem_without_parameters(const Descriptor& algorithm, double n, const ProblemOptions& options);
/// Every combination of types and parameters at one size.
std::vector<Problem> problem_grid(const Descriptor& algorithm, double n, const ProblemOptions& options);

inline constexpr const char* algorithm_help = "As listed by fathom algorithms, or a file with a formula";

}  // namespace fathom::cli
