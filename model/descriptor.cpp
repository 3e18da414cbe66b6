// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/text/nearest.h>
#include <fathom/model/descriptor.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace fathom {

namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

/// "3..47" if every value in between is allowed, else "64, 128, 256, 512".
std::string range_text(const std::vector<int>& values) {
  if (values.size() > 2 && values.back() - values.front() + 1 == int(values.size()))
    return std::to_string(values.front()) + ".." + std::to_string(values.back());
  std::vector<std::string> words;
  for (int value : values) words.push_back(std::to_string(value));
  return joined(words);
}

template <class Infos>
std::vector<std::string> names_of(const Infos& infos) {
  std::vector<std::string> names;
  for (const auto& info : infos) names.push_back(info.name);
  return names;
}

std::string names_of(const std::vector<KeyAndValue>& types) {
  std::vector<std::string> names;
  for (const KeyAndValue& type : types) names.push_back(type_text(type));
  return joined(names);
}

void check_types(const Descriptor& algorithm, const Problem& problem) {
  const KeyAndValue asked{problem.type, problem.value_type};
  const bool has_values = problem.value_type && !algorithm.pairs.empty();
  const bool has_kernel = has_values ? std::ranges::count(algorithm.pairs, asked) > 0
                                     : std::ranges::count(algorithm.types, problem.type) > 0;
  const bool has_kernels = !algorithm.types.empty() || !algorithm.pairs.empty();
  if (has_kernels && !has_kernel)
    throw std::invalid_argument(algorithm.slug + " has no kernel for " + type_text(asked) + ": choose from " +
                                names_of(algorithm.all_types()));
  if (is_sort(algorithm.kind) && !is_key_type(problem.type))
    throw std::invalid_argument(algorithm.slug + " cannot sort " + std::string(name(problem.type)) +
                                ", which has no order: choose a type of ordered keys, such as u32");
  if (problem.value_type && !has_values)
    throw std::invalid_argument(
        algorithm.slug +
        (is_sort(algorithm.kind) ? " sorts keys without values" : " does not support values") +
        ": give the type as " + std::string(name(problem.type)));
}

/// Checks a problem that names bits of the keys.
void check_bits(const Descriptor& algorithm, const Problem& problem) {
  const auto [begin, end] = problem.key_bits;
  const int all = 8 * size_in_bytes(problem.type);
  if (!algorithm.by_bits)
    throw std::invalid_argument(algorithm.slug + " compares all bits of keys: omit the bits");
  if (begin < 0 || end > all || begin >= end)
    throw std::invalid_argument("bits " + std::to_string(begin) + " to " + std::to_string(end) + ": " +
                                std::string(name(problem.type)) + " has bits 0 to " + std::to_string(all));
}

/// Checks a problem that asks for stability.
void check_stability(const Descriptor& algorithm, const Problem& problem) {
  if (!is_sort(algorithm.kind))
    throw std::invalid_argument(algorithm.slug + " has no equal keys to keep in order: omit `stable`");
  if (!algorithm.stable)
    throw std::invalid_argument(
        algorithm.slug + " is not stable: omit `stable` (fathom algorithms shows which sorts are stable)");
  if (problem.value_type) return;
  if (are_equal_keys_identical(problem.type))
    throw std::invalid_argument("equal " + std::string(name(problem.type)) +
                                " keys without values cannot be told apart: omit `stable`");
  throw std::invalid_argument(algorithm.slug +
                              " keeps the order of equal keys only if they have values: omit `stable`, or "
                              "choose from " +
                              names_of(algorithm.pairs));
}

/// Throws for values that are none of these; `what` they are is named in the error.
void check_values(const std::string& slug, const std::string& what, const std::vector<ParameterInfo>& infos,
                  const Parameters& given) {
  for (const auto& [name, value] : given) {
    const auto info = std::ranges::find(infos, name, &ParameterInfo::name);
    if (info == infos.end()) {
      const std::vector<std::string> names = names_of(infos);
      throw std::invalid_argument(
          slug + " has no " + what + " '" + name + "'" +
          (names.empty() ? ": it has none" : did_you_mean(name, names) + " (it has " + joined(names) + ")"));
    }
    if (!std::ranges::binary_search(info->values, value))
      throw std::invalid_argument(what + " " + name + " of " + slug + " is " + std::to_string(value) +
                                  ": choose from " + range_text(info->values));
  }
}

}  // namespace

bool OtherDefaults::apply_to(double n, const KeyAndValue& type) const {
  const int values = type.value ? size_in_bytes(*type.value) : 0;
  return n <= most_n && key_bytes.value_or(size_in_bytes(type.key)) == size_in_bytes(type.key) &&
         value_bytes.value_or(values) == values;
}

Problem Descriptor::problem(double n, const Instantiation& of) const {
  return {.kind = kind,
          .n = n,
          .type = of.type.key,
          .value_type = of.type.value,
          .stable = of.stable,
          .parameters = default_parameters(n, of.type)};
}

int Descriptor::range_of_defaults(double n) const {
  return int(std::ranges::count_if(other_defaults, [&](const OtherDefaults& one) {
    return std::isfinite(one.most_n) && n <= one.most_n;
  }));
}

Parameters Descriptor::default_parameters(double n, const KeyAndValue& type) const {
  Parameters defaults = default_parameters();
  for (auto one = other_defaults.rbegin(); one != other_defaults.rend(); ++one)
    if (one->apply_to(n, type))
      for (const auto& [name, value] : one->parameters) defaults.set(name, value);
  return defaults;
}
Parameters Descriptor::default_parameters(const Problem& problem) const {
  return default_parameters(problem.n, {problem.type, problem.value_type});
}

std::vector<Parameters> Descriptor::all_default_parameters(const KeyAndValue& type) const {
  std::vector<Parameters> all{default_parameters(std::numeric_limits<double>::infinity(), type)};
  for (const OtherDefaults& one : other_defaults) {
    const Parameters parameters = default_parameters(one.most_n, type);
    if (std::ranges::find(all, parameters) == all.end()) all.push_back(parameters);
  }
  return all;
}

Problem Descriptor::with_path(Problem problem, const Input& input, const PlanDevice& device) const {
  if (skew) {
    const KeySkew found = skew(problem, input, device);
    problem.skewed = found.skewed;
    problem.frequent = found.frequent;
  }
  if (shared_bits) problem.shared_bits = shared_bits(problem, input);
  return problem;
}

std::vector<KeyAndValue> Descriptor::all_types() const {
  std::vector<KeyAndValue> all;
  for (const ElementType type : types) all.push_back({type, {}});
  all.insert(all.end(), pairs.begin(), pairs.end());
  return all;
}

std::vector<Instantiation> Descriptor::instantiations() const {
  std::vector<Instantiation> all;
  for (const KeyAndValue& type : all_types()) {
    all.emplace_back(type, false);
    if (type.value && stable) all.emplace_back(type, true);
  }
  return all;
}

const ParameterInfo* Descriptor::find_parameter(std::string_view name) const {
  for (const ParameterInfo& parameter : parameters)
    if (parameter.name == name) return &parameter;
  return nullptr;
}

void Descriptor::check(const Parameters& given) const {
  check_values(slug, "parameter", parameters, given);
}

void Descriptor::check_options(const Parameters& given) const {
  check_values(slug, "option", options(), given);
}

std::vector<ParameterInfo> Descriptor::options() const {
  if (!formula) return {};
  std::vector<ParameterInfo> all = formula->options;
  all.push_back(
      {"resident-threads",
       "1: X is at most the threads that a core holds; 0: as many as shared memory has room for, as "
       "the papers print",
       {0, 1},
       1});
  return all;
}

void Descriptor::check(const Problem& problem) const {
  if (problem.kind != kind)
    throw std::invalid_argument(slug + " solves a " + std::string(name(kind)) + ", not a " +
                                std::string(name(problem.kind)));
  if (!(problem.n >= 1)) throw std::invalid_argument(slug + " needs at least one element");
  check_types(*this, problem);
  if (problem.order != Order::ascending && !by_bits)
    throw std::invalid_argument(
        slug + (is_sort(kind) ? " sorts in ascending order only" : " keeps the order of its elements") +
        ": omit the order");
  if (!problem.key_bits.are_all()) check_bits(*this, problem);
  if (problem.stable) check_stability(*this, problem);
  check(problem.parameters);
}

PlanDevice plan_device(int multiprocessors, const OccupancyLimits& limits,
                       std::function<double(const Launch&)> registers) {
  return {multiprocessors, limits.shared_bytes_per_multiprocessor, limits.shared_bytes_reserved,
          [limits, registers = std::move(registers)](const Launch& launch) {
            return resident_blocks(limits, launch.shape, registers ? registers(launch) : unknown_registers);
          },
          limits.shared_bytes_per_block};
}

PlanDevice plan_device(const Machine<double>& machine) {
  PlanDevice device = plan_device(machine.multiprocessors, machine.limits);
  if (machine.global_memory.value > 0) device.memory_bytes = machine.global_memory.value;
  return device;
}

}  // namespace fathom
