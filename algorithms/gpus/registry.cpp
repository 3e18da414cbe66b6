// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/gpus/exchanged.h>
#include <fathom/algorithms/gpus/prefix/sort_gpus_by_prefix.h>
#include <fathom/algorithms/gpus/reduce_gpus.h>
#include <fathom/algorithms/gpus/registry.h>
#include <fathom/algorithms/gpus/scan_gpus.h>
#include <fathom/algorithms/gpus/schemes.h>
#include <fathom/algorithms/gpus/sort_gpus.h>
#include <fathom/algorithms/gpus/steps.h>
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/core/text/nearest.h>

#include <algorithm>
#include <stdexcept>

namespace fathom {

GroupAlgorithm cub_sort_gpus();

namespace {

/// The algorithm with the number of GPUs as its last parameter.
GroupAlgorithm with_gpus(GroupAlgorithm algorithm) {
  algorithm.parameters.push_back({"gpus", "GPUs", consecutive(1, most_gpus), 2});
  return algorithm;
}

GroupAlgorithm reduce_gpus() {
  return {
      {.slug = "reduce-gpus",
       .kind = Kind::reduce,
       .group = "gpus",
       .source = "Fathom: local sums, gathered and summed",
       .parameters = {},
       .types = element_types(SummandTypes{}),
       .steps = steps_of_reduction},
      [](Communicator& own, const Problem& problem) { return std::make_unique<ReduceGpus>(own, problem); }};
}

GroupAlgorithm scan_gpus() {
  const Algorithm& local = algorithm("scan-matrix");
  return {{.slug = "scan-gpus",
           .kind = Kind::scan,
           .group = "gpus",
           .source = "Fathom: a matrix scan with the sums of the GPUs before",
           .parameters = local.parameters,
           .types = local.types,
           .steps = steps_of_scan},
          [](Communicator& own, const Problem& problem) -> std::unique_ptr<GroupCall> {
            return with_element_type(SummandTypes{}, problem.type,
                                     [&]<class T>(std::type_identity<T>) -> std::unique_ptr<GroupCall> {
                                       return std::make_unique<ScanGpus<T>>(own, Index(problem.n),
                                                                            problem.parameters.at("t"),
                                                                            problem.parameters.at("alpha"));
                                     });
          }};
}

std::unique_ptr<GroupCall> make_sort(Communicator& own, const Problem& problem) {
  const Index n = Index(problem.n);
  std::vector<Index> n_of = gathered(own.beside(), std::span<const Index>(&n, 1));
  const SortScheme scheme = scheme_of(problem, own.size());
  return detail::with_sorted<true>(
      RadixKeys{}, RecordTypes{}, problem,
      [&]<class Element, class Stability>(std::type_identity<Element>,
                                          Stability) -> std::unique_ptr<GroupCall> {
        using ByPrefix = SortGpusByPrefix<Element, Stability>;
        if (scheme == SortScheme::split_first && ByPrefix::fits(n_of, own.executor().plan_device()))
          return std::make_unique<ByPrefix>(own, problem, std::move(n_of));
        return std::make_unique<SortGpus<Element, Stability>>(own, problem, std::move(n_of));
      });
}

GroupAlgorithm sort_gpus() {
  return {
      {.slug = "sort-gpus",
       .kind = Kind::sort,
       .group = "gpus",
       .source = "Fathom: parts by samples or by first bits of all GPUs' keys, each element exchanged once",
       .parameters =
           {{"scheme",
             "1: sort, cut, exchange, merge; 2: split by first bits, exchange, sort; 0: 2 of two GPUs, "
             "1 of more",
             {0, 1, 2},
             0},
            {"pieces",
             "of a GPU's output; each is merged or sorted while the next one is exchanged; 0: by n",
             {0, 1, 2, 4, 8, 16},
             0},
            {"slices",
             "of a GPU's input; each is exchanged while the next one is sorted (scheme 1, 16 runs "
             "at most); 0: by n",
             {0, 1, 2},
             0},
            {"equal_parts", "1: equal parts of the output, by a second exchange", {0, 1}, 0, true}},
       .types = element_types(RadixKeys{}),
       .pairs = detail::keys_and_values(RecordTypes{}),
       .stable = true,
       .steps = steps_of_sort},
      make_sort};
}

}  // namespace

const std::deque<GroupAlgorithm>& group_algorithms() {
  static const std::deque<GroupAlgorithm> all{with_gpus(sort_gpus()), with_gpus(reduce_gpus()),
                                              with_gpus(scan_gpus()), with_gpus(cub_sort_gpus())};
  return all;
}

const GroupAlgorithm* find_group_algorithm(std::string_view slug) {
  const auto found = std::ranges::find(group_algorithms(), slug, &GroupAlgorithm::slug);
  return found == group_algorithms().end() ? nullptr : &*found;
}

const GroupAlgorithm& group_algorithm(std::string_view slug) {
  if (const GroupAlgorithm* found = find_group_algorithm(slug)) return *found;
  std::vector<std::string> slugs;
  for (const GroupAlgorithm& each : group_algorithms()) slugs.push_back(each.slug);
  throw std::invalid_argument("unknown algorithm for several GPUs '" + std::string(slug) + "'" +
                              did_you_mean(slug, slugs) + " (fathom algorithms lists them)");
}

}  // namespace fathom
