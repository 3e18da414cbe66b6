#include <fathom/core/nearest.h>
#include <fathom/model/what_if.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace fathom {
namespace {

struct Group {
  std::string_view name;
  std::array<std::string_view, 6> constants;  ///< empty: none
};
// The first of each is the one that formulas know.
constexpr std::array groups{
    Group{"dram.bandwidth",
          {"global.bandwidth", "dram.read", "dram.write", "dram.copy", "dram.scattered", "dram.resumed"}},
    Group{"l2.bandwidth", {"l2.bandwidth", "l2.read", "l2.write", "l2.copy", "l2.scattered"}}};

constexpr Range clocks_hz{1e6, 1e11}, multiprocessors{1, 1 << 20};

std::string text_of(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

double changed(const WhatIf& change, double before, const Range& range) {
  const double after = change.is_factor ? before * change.value : change.value;
  if (!range.holds(after))
    throw std::invalid_argument("`what_if` " + change.constant + ": " + text_of(after) +
                                " is impossible: choose a value from " + text_of(range.lowest) + " to " +
                                text_of(range.highest));
  return after;
}

const Group* find_group(std::string_view name) {
  const auto found = std::ranges::find(groups, name, &Group::name);
  return found == groups.end() ? nullptr : &*found;
}

}  // namespace

WhatIf parse_what_if(std::string_view text) {
  const std::size_t equals = text.find('=');
  const auto fail = [&] {
    throw std::invalid_argument("`what_if` '" + std::string(text) +
                                "': write NAME=1.5x to multiply, or NAME=VALUE to replace a constant");
  };
  if (equals == 0 || equals == text.npos) fail();
  WhatIf change{.constant = std::string(text.substr(0, equals))};
  std::string_view number = text.substr(equals + 1);
  change.is_factor = number.ends_with('x');
  if (change.is_factor) number.remove_suffix(1);
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), change.value);
  if (error != std::errc() || end != number.data() + number.size() || !std::isfinite(change.value) ||
      change.value < 0)
    fail();
  return change;
}

std::vector<std::string> what_if_names() {
  std::vector<std::string> names{"clock", "multiprocessors"};
  for (const Group& group : groups) names.emplace_back(group.name);
  const Machine<double> machine;
  for_each_constant(machine, [&](std::string_view name, const auto&) {
    if (!find_group(name)) names.emplace_back(name);
  });
  return names;
}

std::vector<std::string> apply(const WhatIf& change, Machine<double>& machine) {
  if (change.constant == "clock") {
    machine.clock.value = changed(change, machine.clock.value, clocks_hz);
    return {};
  }
  if (change.constant == "multiprocessors") {
    machine.multiprocessors = int(std::round(changed(change, machine.multiprocessors, multiprocessors)));
    return {};
  }
  const std::vector<std::string> known = what_if_names();
  if (std::ranges::find(known, change.constant) == known.end())
    throw std::invalid_argument("there is no constant '" + change.constant + "': did you mean '" +
                                nearest(change.constant, known) + "'?");
  const Group* group = find_group(change.constant);
  if (group && !change.is_factor)
    throw std::invalid_argument("`what_if` " + change.constant +
                                " stands for several constants: give a factor, such as 1.5x");
  std::vector<std::string> names;
  for_each_constant(machine, [&](std::string_view name, std::optional<double>& value) {
    const bool is_meant =
        group ? std::ranges::find(group->constants, name) != group->constants.end() : name == change.constant;
    if (!is_meant || !value) return;
    value = changed(change, *value, physical_range(name));
    names.emplace_back(name);
  });
  if (names.empty())
    throw std::invalid_argument("machine '" + machine.name + "' has no value for the constant " +
                                change.constant + ": there is nothing to change");
  return names;
}

}  // namespace fathom
