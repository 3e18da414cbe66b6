#include "problem.h"

#include <fathom/algorithms/bench.h>
#include <fathom/reports/results.h>
#include <fathom/store/formula_file.h>
#include <fmt/format.h>

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

Problem checked(const Descriptor& algorithm, double n, const std::string& type, bool stable,
                Parameters parameters) {
  Problem problem = algorithm.problem(n, {parse_type_text(type), stable});
  problem.parameters = std::move(parameters);
  algorithm.check(problem);
  return problem;
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

Problem one_problem(const Descriptor& algorithm, double n, const ProblemOptions& options) {
  return checked(algorithm, n, options.types.front(), options.stable,
                 parse_parameters(algorithm.slug, algorithm.parameters, options.set));
}

Problem problem_without_parameters(const Descriptor& algorithm, double n, const ProblemOptions& options) {
  return checked(algorithm, n, options.types.front(), options.stable, algorithm.default_parameters());
}

std::vector<Problem> problem_grid(const Descriptor& algorithm, double n, const ProblemOptions& options) {
  const auto grid = parse_grid(algorithm.slug, algorithm.parameters, options.set);
  std::vector<Problem> problems;
  for (const std::string& type : options.types)
    for (const Parameters& parameters : grid)
      problems.push_back(checked(algorithm, n, type, options.stable, parameters));
  return problems;
}

const Algorithm& algorithm_or_formula(const std::string& name) {
  if (name.find_first_of("./") == name.npos) return algorithm(name);
  Descriptor formula = read_formula(name);
  const std::string slug = formula.slug;
  if (find_descriptor(slug))
    throw std::invalid_argument(fmt::format("{}: the name '{}' is taken: choose another", name, slug));
  add_algorithm({std::move(formula), {}});
  return algorithm(slug);
}

void check_law(const Algorithm& algorithm, LawName law) {
  if (uses_work(law) ? bool(algorithm.plan) : algorithm.formula.has_value()) return;
  const std::string& slug = algorithm.slug;
  if (algorithm.formula)
    throw UsageError(
        fmt::format("{} has no kernels whose work could be counted: choose --law published", slug));
  if (algorithm.plan) throw UsageError(fmt::format("{} has no formula: choose --law counted", slug));
  throw UsageError(fmt::format("{} is a baseline without a formula: measure it with fathom bench", slug));
}

double bytes_needed(const Algorithm& algorithm, const Problem& problem, const Machine<double>& machine) {
  if (!algorithm.make_workload) return reports::input_and_output_bytes(problem);
  return double(device_bytes(algorithm, problem, plan_device(machine, algorithm, problem)));
}

void check_fits(const Algorithm& algorithm, const Problem& problem, const Machine<double>& machine) {
  const double needed = bytes_needed(algorithm, problem, machine), there = machine.global_memory.value;
  if (there > 0 && needed > there)
    throw std::runtime_error(fmt::format(
        "{} with n = {:.0f} {} needs {:.0f} bytes of GPU memory, {} has {:.0f}: choose a smaller n",
        algorithm.slug, problem.n, type_text(problem), needed, machine.name, there));
}

}  // namespace fathom::cli
