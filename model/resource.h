// What limits a launch under the laws `counted` and `fitted`.
#pragma once

#include <array>
#include <string_view>

namespace fathom {

/// Each has its own rate; `in_flight` is the room that the L1 has for loads in flight, `atomics` the slices
/// of the L2 that have the words changed.
enum class Resource { dram, l2, shared, alu, fma, issue, barriers, in_flight, atomics, starts, waiting };
inline constexpr std::array all_resources{Resource::dram,     Resource::l2,        Resource::shared,
                                          Resource::alu,      Resource::fma,       Resource::issue,
                                          Resource::barriers, Resource::in_flight, Resource::atomics,
                                          Resource::starts,   Resource::waiting};
std::string_view name(Resource resource);  ///< "dram", …, "in-flight", "atomics", "starts", "waiting"

}  // namespace fathom
