#include "problem.h"

#include <fathom/calls/predicting/problem.h>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "arguments.h"
#include "options.h"

namespace fathom::cli {
namespace {

constexpr const char* types_help = "u32, u64, f32, …, and u32:u64 for keys with values";

void add_set_and_stable(CLI::App& command, ProblemOptions& options, const std::string& set_help) {
  command.add_flag("--stable", options.stable, "Keep the order of equal keys");
  command.add_option("--set", options.set, set_help)->allow_extra_args(false);
}

}  // namespace

void add_problem_options(CLI::App& command, ProblemOptions& options, const std::string& set_help) {
  command.add_option("--type", options.types.front(), std::string("Type: ") + types_help)
      ->capture_default_str();
  add_set_and_stable(command, options, set_help);
}

void add_problem_grid_options(CLI::App& command, ProblemOptions& options, const std::string& set_help) {
  add_list_option(command, "--type", options.types, std::string("Types, separated by commas: ") + types_help);
  add_set_and_stable(command, options, set_help);
}

Problem problem_without_parameters(const Descriptor& algorithm, double n, const ProblemOptions& options) {
  return calls::checked_problem(algorithm, n, options.types.front(), options.stable,
                                algorithm.default_parameters());
}

std::vector<Problem> problem_grid(const Descriptor& algorithm, double n, const ProblemOptions& options) {
  const auto grid = parse_grid(algorithm.slug, algorithm.parameters, options.set);
  std::vector<Problem> problems;
  for (const std::string& type : options.types)
    for (const Parameters& parameters : grid)
      problems.push_back(calls::checked_problem(algorithm, n, type, options.stable, parameters));
  return problems;
}

}  // namespace fathom::cli
