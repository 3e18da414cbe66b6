// SPDX-License-Identifier: Apache-2.0
// What limits a launch under the laws `counted` and `fitted`: one row per resource.
#pragma once

#include <array>
#include <string_view>

namespace fathom {

/// Each has its own rate. A new resource is a value here, a row of `resource_rows`, its demand in a block's
/// clocks (laws/launch_time.cpp), and the rates that name it (constants.h).
enum class Resource {
  dram,
  l2,
  shared,
  alu,
  fma,
  issue,
  barriers,
  in_flight,
  atomics,
  starts,
  waiting,
  link
};

struct ResourceRow {
  Resource resource;
  std::string_view name;   ///< in files, JSON and options
  std::string_view words;  ///< in text and figures
};
inline constexpr std::array resource_rows{
    ResourceRow{Resource::dram, "dram", "DRAM"},
    ResourceRow{Resource::l2, "l2", "L2"},
    ResourceRow{Resource::shared, "shared", "shared memory"},
    ResourceRow{Resource::alu, "alu", "ALU"},
    ResourceRow{Resource::fma, "fma", "FMA"},
    ResourceRow{Resource::issue, "issue", "instruction issue"},
    ResourceRow{Resource::barriers, "barriers", "barriers"},
    ResourceRow{Resource::in_flight, "in-flight", "loads in flight"},  // the room that the L1 has for them
    ResourceRow{Resource::atomics, "atomics", "atomics"},  // the slices of the L2 that change the words
    ResourceRow{Resource::starts, "starts", "block starts"},
    ResourceRow{Resource::waiting, "waiting", "waiting"},
    ResourceRow{Resource::link, "link", "links"}};  // of exchanges: no launch uses them

inline constexpr std::array all_resources = [] {
  std::array<Resource, resource_rows.size()> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = resource_rows[i].resource;
  return all;
}();
static_assert(
    [] {
      for (std::size_t i = 0; i < all_resources.size(); ++i)
        if (std::size_t(all_resources[i]) != i) return false;
      return true;
    }(),
    "rows stand in the order of the values");

constexpr std::string_view name(Resource resource) {
  return resource_rows[std::size_t(resource)].name;
}
constexpr std::string_view in_words(Resource resource) {
  return resource_rows[std::size_t(resource)].words;
}

}  // namespace fathom
