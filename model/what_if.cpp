// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/text/nearest.h>
#include <fathom/core/text/number.h>
#include <fathom/model/constants.h>
#include <fathom/model/what_if.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>

namespace fathom {
namespace {

constexpr Range clocks_hz{1e6, 1e11}, multiprocessors{1, 1 << 20};

std::string text_of(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

void check_possible(const std::string& constant, double after, const Range& range) {
  if (!range.holds(after))
    throw std::invalid_argument("`what_if` " + constant + ": " + text_of(after) +
                                " is impossible: choose a value from " + text_of(range.lowest) + " to " +
                                text_of(range.highest));
}

double changed(const WhatIf& change, double before, const Range& range) {
  const double after = change.is_factor ? before * change.value : change.value;
  check_possible(change.constant, after, range);
  return after;
}

constexpr std::string_view link_bandwidth = "link.bandwidth", link_latency = "link.latency",
                           link_hosts = "link.hosts";

void check_is_factor(const WhatIf& change) {
  if (!change.is_factor)
    throw std::invalid_argument("`what_if` " + change.constant +
                                " stands for several constants: give a factor, such as 1.5x");
}

[[noreturn]] void throw_nothing_to_change(const WhatIf& change, const std::string& machine) {
  throw std::invalid_argument("machine '" + machine + "' has no value for the constant " + change.constant +
                              ": there is nothing to change");
}

std::vector<std::string> apply_to_links(const WhatIf& change, Machine<double>& machine) {
  check_is_factor(change);
  if (!machine.links) throw_nothing_to_change(change, machine.name);
  const bool is_latency = change.constant == link_latency;
  Links links = scaled(*machine.links, is_latency ? change.value : 1, is_latency ? 1 : change.value);
  for (const LinkCurve& curve : links.curves)
    for (const LinkRange& range : curve.ranges) {
      check_possible(change.constant, range.latency.value, line_latencies);
      check_possible(change.constant, range.per_byte.value, seconds_per_byte_of_links);
    }
  machine.links = std::move(links);
  return {change.constant};
}

void set_hosts(const WhatIf& change, Machine<double>& machine) {
  if (!machine.links) throw_nothing_to_change(change, machine.name);
  int& hosts = machine.links->hosts;
  hosts = int(std::round(changed(change, hosts, numbers_of_hosts)));
}

/// The names of groups, each once, in the order of the rows.
std::vector<std::string_view> groups() {
  std::vector<std::string_view> names;
  for (const ConstantInfo& constant : constants<double>())
    if (!constant.group.empty() && std::ranges::find(names, constant.group) == names.end())
      names.push_back(constant.group);
  return names;
}

bool is_group(std::string_view name) {
  return std::ranges::any_of(constants<double>(),
                             [&](const ConstantInfo& constant) { return constant.group == name; });
}

/// The names in one line, as a shell abbreviates them: "clock, dram.{read,write}".
std::string abbreviated(const std::vector<std::string>& names) {
  std::vector<std::string> families;  // before the dot, or whole names
  std::map<std::string, std::string> members;
  for (const std::string& name : names) {
    const std::size_t dot = std::min(name.find('.'), name.size());
    const std::string family = name.substr(0, dot);
    if (std::ranges::find(families, family) == families.end()) families.push_back(family);
    if (dot == name.size()) continue;
    std::string& of_family = members[family];
    of_family += (of_family.empty() ? "" : ",") + name.substr(dot + 1);
  }
  std::string text;
  for (const std::string& family : families) {
    text += (text.empty() ? "" : ", ") + family;
    const auto found = members.find(family);
    if (found == members.end()) continue;
    const bool is_one = found->second.find(',') == std::string::npos;
    text += is_one ? "." + found->second : ".{" + found->second + "}";
  }
  return text;
}

[[noreturn]] void throw_unknown(const std::string& constant, const std::vector<std::string>& known) {
  const std::string suggestion = did_you_mean(constant, known);
  throw std::invalid_argument("there is no constant '" + constant + "'" +
                              (suggestion.empty() ? ": choose from " + abbreviated(known) : suggestion));
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
  const std::optional<double> value = number_in<double>(number);
  if (!value || !std::isfinite(*value) || *value < 0) fail();
  change.value = *value;
  return change;
}

std::vector<std::string> what_if_names() {
  std::vector<std::string> names{"clock", "multiprocessors", std::string(link_bandwidth),
                                 std::string(link_latency), std::string(link_hosts)};
  for (const std::string_view group : groups()) names.emplace_back(group);
  for (const ConstantInfo& constant : constants<double>())
    if (!is_group(constant.name)) names.emplace_back(constant.name);
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
  if (std::ranges::find(known, change.constant) == known.end()) throw_unknown(change.constant, known);
  if (change.constant == link_bandwidth || change.constant == link_latency)
    return apply_to_links(change, machine);
  if (change.constant == link_hosts) {
    set_hosts(change, machine);
    return {};
  }
  const bool of_group = is_group(change.constant);
  if (of_group) check_is_factor(change);
  std::vector<std::string> names;
  for (const ConstantRow<double>& constant : constants<double>()) {
    std::optional<double>& value = constant.member.of(machine);
    if (!value || (of_group ? constant.group : constant.name) != change.constant) continue;
    value = changed(change, *value, constant.range);
    names.emplace_back(constant.name);
  }
  if (names.empty()) throw_nothing_to_change(change, machine.name);
  return names;
}

}  // namespace fathom
