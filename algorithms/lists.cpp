// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/lists.h>

#include <algorithm>
#include <iterator>

namespace fathom {

const Descriptor& descriptor(AnyAlgorithm algorithm) {
  return std::visit([](const auto* one) -> const Descriptor& { return *one; }, algorithm);
}

bool has_kernel(AnyAlgorithm algorithm) {
  if (const auto* on_one = std::get_if<const Algorithm*>(&algorithm)) return bool((*on_one)->make_workload);
  const auto* on_several = std::get_if<const GroupAlgorithm*>(&algorithm);
  return !on_several || bool((*on_several)->make_call);
}

const ListInfo& list_info(AnyAlgorithm algorithm) {
  return algorithm_lists[algorithm.index()];
}

std::vector<AnyAlgorithm> all_algorithms() {
  std::vector<AnyAlgorithm> all;
  const auto add = [&](const auto& list) {
    for (const auto& one : list) all.emplace_back(&one);
  };
  add(algorithms());
  add(group_algorithms());
  add(host_algorithms());
  return all;
}

std::vector<AnyAlgorithm> of_list(std::size_t list, const std::vector<AnyAlgorithm>& algorithms) {
  std::vector<AnyAlgorithm> own;
  std::ranges::copy_if(algorithms, std::back_inserter(own),
                       [&](const AnyAlgorithm& one) { return one.index() == list; });
  return own;
}

std::optional<AnyAlgorithm> find_in_all_lists(std::string_view slug) {
  for (const AnyAlgorithm& one : all_algorithms())
    if (descriptor(one).slug == slug) return one;
  return std::nullopt;
}

const Descriptor* find_listed(std::string_view slug) {
  const auto found = find_in_all_lists(slug);
  return found ? &descriptor(*found) : nullptr;
}

}  // namespace fathom
