// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/predicting/problem.h>

#include <fathom/algorithms/bench.h>
#include <fathom/calibration/predictor.h>
#include <fathom/reports/quantities.h>
#include <fathom/reports/results.h>
#include <fathom/store/formula_file.h>
#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <map>
#include <system_error>

namespace fathom::calls {

namespace {

const Algorithm& of_formula(const std::string& name) {
  static std::map<std::filesystem::path, std::string> slugs;  // of the files read, however they are named
  std::error_code unreadable;                                 // which reading it explains
  const std::filesystem::path file = std::filesystem::weakly_canonical(name, unreadable);
  if (const auto known = slugs.find(file); known != slugs.end()) return algorithm(known->second);
  Descriptor formula = read_formula(name);
  const std::string slug = formula.slug;
  if (find_listed(slug))
    throw std::invalid_argument(fmt::format("{}: the name '{}' is taken: choose another", name, slug));
  add_algorithm({std::move(formula), {}});
  slugs.emplace(file, slug);
  return algorithm(slug);
}

}  // namespace

AnyAlgorithm any_algorithm(const std::string& name) {
  if (name.find_first_of("./") != name.npos) return &of_formula(name);
  if (const auto found = find_in_all_lists(name)) return *found;
  return &algorithm(name);  // throws, naming the nearest
}

const Algorithm& algorithm_or_formula(const std::string& name) {
  const AnyAlgorithm found = any_algorithm(name);
  if (const auto* on_one = std::get_if<const Algorithm*>(&found)) return **on_one;
  throw std::invalid_argument(
      fmt::format("{} runs on {}: predict, tune or bench it by itself", name, list_info(found).runs_on));
}

namespace {

/// Throws for an algorithm that the law cannot predict.
void check_law(const Descriptor& algorithm, LawName law) {
  if (definition(law).applies_to(algorithm)) return;
  const std::string& slug = algorithm.slug;
  if (algorithm.steps)
    throw std::invalid_argument(fmt::format("{} runs on {}, which the law counted alone predicts: omit `law`",
                                            slug, algorithm.runs_on()));
  if (algorithm.formula)
    throw std::invalid_argument(
        fmt::format("{} has no kernels whose work could be counted: choose `law=published`", slug));
  if (algorithm.plan)
    throw std::invalid_argument(fmt::format("{} has no formula: choose `law=counted`", slug));
  throw std::invalid_argument(
      fmt::format("{} is {}: measure it with fathom bench", slug,
                  algorithm.baseline ? "a baseline without a formula" : "an algorithm that no law predicts"));
}

/// Sets the option that the text names: "register-factor=2".
void set_option(const std::string& text, Parameters& options) {
  const std::size_t equals = text.find('=');
  const char *const begin = text.data() + equals + 1, *const end = text.data() + text.size();
  int value = 0;
  if (equals == text.npos || equals == 0 || std::from_chars(begin, end, value).ptr != end || begin == end)
    throw std::invalid_argument(
        fmt::format("`option` '{}': write NAME=NUMBER, such as register-factor=2", text));
  options.set(text.substr(0, equals), value);
}

}  // namespace

Law law_of(const PredictionOptions& options, const Descriptor& algorithm) {
  const LawName usual =
      definition(LawName::counted).applies_to(algorithm) ? LawName::counted : LawName::published;
  Law law{.law = options.law.empty() ? usual : parse_law(options.law),
          .ceiling = parse_ceiling(options.ceiling)};
  check_law(algorithm, law.law);
  const bool is_read =
      options.compose != "sum" || law.ceiling != Ceiling::as_printed || !options.option.empty();
  if (is_read && !definition(law.law).has_readings)
    throw std::invalid_argument(fmt::format(
        "the law {} has no `ceiling`, `compose` and `option`: choose `law=published`", name(law.law)));
  for (const std::string& text : options.option) set_option(text, law.options);
  algorithm.check_options(law.options);
  law.composition = parse_composition(options.compose);
  return law;
}

Input input_of(const PredictionOptions& options, LawName law, const Descriptor& algorithm) {
  const Input input = parse_input(options.input);
  check_input(algorithm, law, input);
  return input;
}

const Algorithm& countable(const Algorithm& algorithm) {
  if (algorithm.is_countable()) return algorithm;
  if (algorithm.cuda_kernel)
    throw std::invalid_argument(
        algorithm.slug +
        " is plain CUDA, which runs on a GPU only: predict it by its machine code, or write it in "
        "the block contract to have it counted");
  throw std::invalid_argument(algorithm.slug +
                              (algorithm.baseline ? " is a baseline, whose code cannot be counted on the CPU"
                                                  : " has no kernel to count") +
                              ": fathom algorithms lists those with kernels");
}

void check_has_kernel(AnyAlgorithm algorithm) {
  if (has_kernel(algorithm)) return;
  const Descriptor& one = descriptor(algorithm);
  throw std::invalid_argument(fmt::format("{} has no kernel{}: fathom algorithms lists those with kernels",
                                          one.slug,
                                          one.baseline ? " in a build without the CUDA toolkit" : ""));
}

Problem checked_problem(const Descriptor& algorithm, double n, const std::string& type, bool stable,
                        const Parameters& given) {
  Problem problem = algorithm.problem(n, {parse_type_text(type), stable});
  for (const auto& [name, value] : given) problem.parameters.set(name, value);
  algorithm.check(problem);
  return problem;
}

double bytes_needed(const Descriptor& of, const Problem& problem, const Machine<double>& machine) {
  if (of.in_host_memory) return 0;
  if (of.steps) return reports::input_and_output_bytes(problem) / of.gpus_of(problem);
  const Algorithm& one = algorithm(of.slug);
  if (!one.make_workload) return reports::input_and_output_bytes(problem);
  return double(device_bytes(one, problem, plan_device(machine)));
}

void check_fits(const Descriptor& algorithm, const Problem& problem, const Machine<double>& machine) {
  const double needed = bytes_needed(algorithm, problem, machine), there = machine.global_memory.value;
  if (there > 0 && needed > there)
    throw std::runtime_error(
        fmt::format("{} with n = {} {} needs {} of {}memory, {} has {}: choose a smaller n{}", algorithm.slug,
                    reports::elements(problem.n), type_text(problem), reports::bytes(needed),
                    algorithm.for_several_gpus() ? "each GPU's " : "GPU ", machine.name,
                    reports::bytes(there), algorithm.for_several_gpus() ? ", or more GPUs" : ""));
}

}  // namespace fathom::calls
