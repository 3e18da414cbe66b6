#include <fathom/model/formula.h>
#include <fathom/model/nearest.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace fathom {

namespace {

struct TypeInfo {
  std::string_view name;
  int bytes;
};
constexpr std::array<TypeInfo, 5> types{{{"u32", 4}, {"u64", 8}, {"f32", 4}, {"f64", 8}, {"pair", 8}}};

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::vector<std::string> parameter_names(const Formula& formula) {
  std::vector<std::string> names;
  for (const ParameterInfo& parameter : formula.parameters) names.push_back(parameter.name);
  return names;
}

/// "3..47" where every value between is allowed, else "64, 128, 256, 512".
std::string range_text(const std::vector<int>& values) {
  if (values.size() > 2 && values.back() - values.front() + 1 == int(values.size()))
    return std::to_string(values.front()) + ".." + std::to_string(values.back());
  std::vector<std::string> words;
  for (int value : values) words.push_back(std::to_string(value));
  return joined(words);
}

}  // namespace

std::string_view name(ElementType type) {
  return types[std::size_t(type)].name;
}

int size_in_bytes(ElementType type) {
  return types[std::size_t(type)].bytes;
}

ElementType parse_element_type(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (types[i].name == text) return ElementType(i);
    names.emplace_back(types[i].name);
  }
  throw std::invalid_argument("unknown element type '" + std::string(text) + "': choose one of " +
                              joined(names));
}

int Parameters::at(std::string_view name) const {
  for (const auto& [known, value] : values_)
    if (known == name) return value;
  throw std::out_of_range("parameter '" + std::string(name) + "' has no value");
}

void Parameters::set(std::string_view name, int value) {
  for (auto& [known, old] : values_)
    if (known == name) {
      old = value;
      return;
    }
  values_.emplace_back(name, value);
}

bool Parameters::contains(std::string_view name) const {
  return std::any_of(values_.begin(), values_.end(),
                     [name](const auto& entry) { return entry.first == name; });
}

Parameters Formula::default_parameters() const {
  Parameters standard;
  for (const ParameterInfo& parameter : parameters) standard.set(parameter.name, parameter.standard);
  return standard;
}

ConstantValues<double> Formula::standard_constants() const {
  ConstantValues<double> values;
  for (const ConstantInfo& constant : constants) values.push_back(constant.standard);
  return values;
}

const ParameterInfo* Formula::find_parameter(std::string_view name) const {
  for (const ParameterInfo& parameter : parameters)
    if (parameter.name == name) return &parameter;
  return nullptr;
}

void Formula::check(const Parameters& given) const {
  for (const auto& [name, value] : given) {
    const ParameterInfo* parameter = find_parameter(name);
    if (!parameter) {
      const std::vector<std::string> names = parameter_names(*this);
      throw std::invalid_argument(slug + " has no parameter '" + name + "': did you mean '" +
                                  nearest(name, names) + "'? (it has " + joined(names) + ")");
    }
    if (!std::binary_search(parameter->values.begin(), parameter->values.end(), value))
      throw std::invalid_argument("parameter " + name + " of " + slug + " is " + std::to_string(value) +
                                  ": choose from " + range_text(parameter->values));
  }
}

}  // namespace fathom
