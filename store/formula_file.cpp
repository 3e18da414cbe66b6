// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/system/whole_file.h>
#include <fathom/core/text/nearest.h>
#include <fathom/store/formula_file.h>
#include <fathom/store/json_fields.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace fathom {
namespace {

constexpr std::string_view schema = "fathom.formula";
constexpr int version = 1;

// Far more than any paper has. They bound the time that a file can take.
constexpr std::size_t most_phases = 100, most_definitions = 100, most_parameters = 10;
constexpr double most_choices = 1e5;  // of parameters together
constexpr std::size_t most_characters =
    50'000;  // of expressions together: a tenth of a second for a prediction

/// A misspelled member would be ignored, and its default used instead.
void check_members(const Field& object, const std::vector<std::string>& known) {
  for (const auto& [name, value] : object.members())
    if (std::ranges::count(known, name) == 0)
      value.fail(fmt::format("is unknown{} ({})", did_you_mean(name, known), fmt::join(known, ", ")));
}

/// `work()`, whose std::invalid_argument is about the field.
template <class Work>
void of_field(const Field& field, Work work) {
  try {
    work();
  } catch (const std::invalid_argument& error) {
    field.fail_because(error.what());
  }
}

std::string parse_slug(const std::string& text) {
  const auto allowed = [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; };
  if (text.empty() || text.front() == '-' || !std::ranges::all_of(text, allowed))
    throw std::invalid_argument(fmt::format("'{}' is no name: use letters, digits, '-' and '_'", text));
  return text;
}

/// The elements of an array that may have so many.
std::vector<Field> some_of(const Field& field, std::size_t most) {
  std::vector<Field> elements = field.elements();
  if (elements.size() > most)
    field.fail(fmt::format("has {} entries: {} are the most", elements.size(), most));
  return elements;
}

constexpr int largest_value = 1 << 20;

std::vector<int> parse_range(const std::string& text) {
  int first = 0, last = 0;
  const char* const end = text.data() + text.size();
  const auto low = std::from_chars(text.data(), end, first);
  const bool dotted = std::string_view(low.ptr, end).starts_with("..");
  const auto high = std::from_chars(dotted ? low.ptr + 2 : end, end, last);
  if (low.ec != std::errc() || !dotted || high.ec != std::errc() || high.ptr != end || first < 0 ||
      last < first || last > largest_value || last - first >= 4096)
    throw std::invalid_argument(fmt::format("'{}' is no range of at most 4096 values: write 3..47", text));
  return consecutive(first, last);
}

std::vector<int> parse_values(const Field& field) {
  if (field.is_text()) return field.parsed(parse_range);
  std::vector<int> values;
  for (const Field& value : field.elements()) {
    values.push_back(value.integer(0, largest_value));
    if (values.size() > 1 && values[values.size() - 2] >= values.back())
      value.fail("must be larger than the one before");
  }
  if (values.empty()) field.fail("must have a value");
  return values;
}

ParameterInfo parse_parameter(const Field& field) {
  check_members(field, {"name", "meaning", "values", "default"});
  ParameterInfo info{field.at("name").text(), field.at("meaning").text(), parse_values(field.at("values")),
                     field.at("default").integer()};
  if (std::ranges::count(info.values, info.default_value) == 0)
    field.at("default").fail("must be one of the values");
  return info;
}

std::vector<ParameterInfo> parse_parameters(const Field& field) {
  std::vector<ParameterInfo> infos;
  ExpressionScope scope = formula_scope({}, {.n = 1});
  double choices = 1;
  for (const Field& one : some_of(field, most_parameters)) {
    infos.push_back(parse_parameter(one));
    of_field(one.at("name"), [&] { scope.define(infos.back().name, 1); });
    choices *= double(infos.back().values.size());
  }
  if (choices > most_choices)
    field.fail(fmt::format("has {} choices together: {} are the most", choices, most_choices));
  return infos;
}

/// A number, or an expression over the names in `scope`.
std::string parse_expression(const Field& field, ExpressionScope& scope) {
  const std::string text = field.is_text() ? field.text() : fmt::format("{}", field.number());
  of_field(field, [&] { scope.value_of(text); });
  return text;
}

Level parse_level(const std::string& text) {
  std::vector<std::string> names;
  for (const Level level : formula_levels) {
    if (name(level) == text) return level;
    names.emplace_back(name(level));
  }
  throw std::invalid_argument(
      fmt::format("unknown level '{}'{} ({})", text, did_you_mean(text, names), fmt::join(names, ", ")));
}

bool flag(const Field& object, std::string_view name) {
  const auto field = object.find(name);
  return field && field->boolean();
}

WrittenFormula::Access parse_access(const Field& field, ExpressionScope& scope) {
  check_members(field, {"level", "words", "I", "beta", "ceiling", "saturated"});
  WrittenFormula::Access access{.level = field.at("level").parsed(parse_level),
                                .count = parse_expression(field.at("words"), scope),
                                .ceiling = flag(field, "ceiling"),
                                .saturated = flag(field, "saturated")};
  if (const auto I = field.find("I")) access.parallelism = parse_expression(*I, scope);
  if (const auto beta = field.find("beta")) access.conflict = parse_expression(*beta, scope);
  return access;
}

WrittenFormula::Phase parse_phase(const Field& field, ExpressionScope& scope) {
  check_members(field, {"name", "launches", "X", "overlap", "accesses"});
  WrittenFormula::Phase phase{.name = field.at("name").text(),
                              .multiplicity = parse_expression(field.at("X"), scope),
                              .overlap = flag(field, "overlap")};
  if (const auto launches = field.find("launches")) phase.launches = parse_expression(*launches, scope);
  for (const Field& access : some_of(field.at("accesses"), most_phases))
    phase.accesses.push_back(parse_access(access, scope));
  if (phase.accesses.empty()) field.at("accesses").fail("must have an access");
  return phase;
}

std::size_t characters(const WrittenFormula& written) {
  std::size_t all = 0;
  for (const auto& [name, expression] : written.definitions) all += expression.size();
  for (const WrittenFormula::Phase& phase : written.phases) {
    all += phase.launches.size() + phase.multiplicity.size();
    for (const WrittenFormula::Access& access : phase.accesses)
      all += access.count.size() + access.parallelism.size() + access.conflict.size();
  }
  return all;
}

}  // namespace

Descriptor parse_formula(const std::string& json, const std::string& where) {
  const auto parsed = parse_json(json, where);
  const Field document(parsed, where);
  checked_version(document, schema, version);
  check_members(document,
                {"schema", "version", "name", "kind", "source", "parameters", "definitions", "phases"});

  Descriptor descriptor{.slug = document.at("name").parsed(parse_slug),
                        .kind = document.at("kind").parsed(parse_kind),
                        .group = "file",
                        .source = document.at("source").text()};
  if (const auto parameters = document.find("parameters"))
    descriptor.parameters = parse_parameters(*parameters);

  // Any value will do here: it only matters that an expression is valid and knows its names.
  ExpressionScope scope = formula_scope({}, descriptor.problem(1));
  WrittenFormula written{.origin = where};
  if (const auto definitions = document.find("definitions")) {
    const auto members = definitions->members();
    if (members.size() > most_definitions)
      definitions->fail(fmt::format("has {} entries: {} are the most", members.size(), most_definitions));
    for (const auto& [name, field] : members) {
      written.definitions.emplace_back(name, parse_expression(field, scope));
      of_field(field, [&, &name = name] { scope.define(name, 1); });
    }
  }
  for (const Field& phase : some_of(document.at("phases"), most_phases))
    written.phases.push_back(parse_phase(phase, scope));
  if (written.phases.empty()) document.at("phases").fail("must have a phase");
  if (const std::size_t all = characters(written); all > most_characters)
    document.fail(
        fmt::format("its expressions have {} characters together: {} are the most", all, most_characters));
  descriptor.formula = formula_of(std::move(written));
  return descriptor;
}

Descriptor read_formula(const std::filesystem::path& file) {
  return parse_formula(read_whole(file), file.string());
}

}  // namespace fathom
