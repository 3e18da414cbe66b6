// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/gpus/registry.h>
#include <fathom/algorithms/host/registry.h>
#include <fathom/algorithms/host/sort_host.h>
#include <fathom/algorithms/host/steps.h>
#include <fathom/algorithms/make_algorithm.h>

#include <algorithm>

namespace fathom {
namespace {

std::unique_ptr<Call> make_sort(const std::vector<HostStreams>& gpus, const Problem& problem,
                                std::size_t memory_bytes) {
  const std::size_t bytes = bytes_to_use(problem, double(memory_bytes));
  return detail::with_sorted<true>(
      RadixKeys{}, RecordTypes{}, problem,
      [&]<class Element, class Stability>(std::type_identity<Element>, Stability) -> std::unique_ptr<Call> {
        return std::make_unique<SortHost<Element, Stability>>(gpus, problem, bytes);
      });
}

/// The steps are those of the sort that make_sort() makes within what can be used of the device's memory.
std::vector<RankStep> steps_of_sort(const Problem& problem, const PlanDevice& device) {
  const std::size_t bytes = bytes_to_use(problem, usable_memory * device.memory_bytes);
  return detail::with_sorted<true>(
      RadixKeys{}, RecordTypes{}, problem,
      [&]<class Element, class Stability>(std::type_identity<Element>, Stability) {
        using Sort = SortHost<Element, Stability>;
        const HostPlan plan = Sort::plan(problem, device, bytes);
        return plan.one_round ? steps_in_one_round(problem, plan, Sort::tile_of_merge(plan.parts(), device))
                              : steps_in_two_rounds(problem, plan);
      });
}

HostAlgorithm sort_host() {
  return {{.slug = "sort-host",
           .kind = Kind::sort,
           .group = "host",
           .source = "Fathom: parts copied in, sorted, merged and copied out beside each other",
           .parameters = {{"parts",
                           "parts of each GPU that are copied at a time, at least; one round has 16 at most",
                           {1, 2, 4, 8, 16, 32, 64},
                           32},
                          {"memory",
                           "GiB of each GPU's memory to use at most; 0: all that is free",
                           {0, 1, 2, 4, 8, 16, 32, 64, 128},
                           0,
                           true},
                          {"gpus", "GPUs", consecutive(1, most_gpus), 1, true}},
           .types = element_types(RadixKeys{}),
           .pairs = detail::keys_and_values(RecordTypes{}),
           .stable = true,
           .in_host_memory = true,
           .steps = steps_of_sort},
          make_sort};
}

}  // namespace

const std::deque<HostAlgorithm>& host_algorithms() {
  static const std::deque<HostAlgorithm> all{sort_host()};
  return all;
}

const HostAlgorithm* find_host_algorithm(std::string_view slug) {
  const auto found = std::ranges::find(host_algorithms(), slug, &HostAlgorithm::slug);
  return found == host_algorithms().end() ? nullptr : &*found;
}

}  // namespace fathom
