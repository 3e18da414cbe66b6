#include <fathom/algorithms/driver.h>
#include <fathom/model/nearest.h>

#include <array>
#include <stdexcept>

namespace fathom {
namespace {
struct NamedInput {
  Input input;
  std::string_view name;
};
constexpr std::array named_inputs{
    NamedInput{Input::random, "random"},
    NamedInput{Input::sorted, "sorted"},
    NamedInput{Input::reverse, "reverse"},
    NamedInput{Input::nearly_sorted, "nearly-sorted"},
    NamedInput{Input::few_unique, "few-unique"},
    NamedInput{Input::equal, "equal"},
    NamedInput{Input::conflict_heavy, "conflict-heavy"},
    NamedInput{Input::zipf, "zipf"},
};
}  // namespace

std::string_view name(Input input) {
  for (const NamedInput& named : named_inputs)
    if (named.input == input) return named.name;
  throw std::invalid_argument("unknown input pattern");
}

Input parse_input(std::string_view text) {
  std::vector<std::string> names;
  for (const NamedInput& named : named_inputs) {
    if (named.name == text) return named.input;
    names.emplace_back(named.name);
  }
  throw std::invalid_argument("unknown input '" + std::string(text) + "': did you mean " +
                              nearest(text, names) + "? (" + input_names() + ")");
}

std::string input_names() {
  std::string names;
  for (Input input : all_inputs) names.append(names.empty() ? "" : ", ").append(name(input));
  return names;
}

}  // namespace fathom
