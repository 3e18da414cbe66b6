// SPDX-License-Identifier: Apache-2.0
// The lists of algorithms together: each has calls of a kind of its own, but a name means one algorithm.
#pragma once

#include <fathom/algorithms/gpus/registry.h>
#include <fathom/algorithms/host/registry.h>
#include <fathom/algorithms/registry.h>

#include <array>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

namespace fathom {

/// An algorithm of one of the lists.
using AnyAlgorithm = std::variant<const Algorithm*, const GroupAlgorithm*, const HostAlgorithm*>;

/// This is said of all algorithms of a list.
struct ListInfo {
  std::string_view runs_on;   ///< "several GPUs"
  std::string_view json_key;  ///< of the list in JSON
};
/// In the order of the types of AnyAlgorithm.
inline constexpr std::array<ListInfo, std::variant_size_v<AnyAlgorithm>> algorithm_lists{
    {{"one GPU", "algorithms"},
     {"several GPUs", "on_several_gpus"},
     {"data in host memory", "on_data_in_host_memory"}}};

const Descriptor& descriptor(AnyAlgorithm algorithm);
/// Tells whether this build has a kernel of the algorithm.
bool has_kernel(AnyAlgorithm algorithm);
/// Returns what is said of the list that the algorithm is in.
const ListInfo& list_info(AnyAlgorithm algorithm);

/// List after list.
std::vector<AnyAlgorithm> all_algorithms();
/// Those of one list, numbered as in algorithm_lists.
std::vector<AnyAlgorithm> of_list(std::size_t list, const std::vector<AnyAlgorithm>& algorithms);
/// Empty if there is no such algorithm.
std::optional<AnyAlgorithm> find_in_all_lists(std::string_view slug);
/// Its description; nullptr if there is no such algorithm.
const Descriptor* find_listed(std::string_view slug);

}  // namespace fathom
