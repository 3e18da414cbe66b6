// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/gpus/reduce_gpus.h>
#include <fathom/algorithms/gpus/registry.h>
#include <fathom/algorithms/gpus/scan_gpus.h>
#include <fathom/algorithms/gpus/sort_gpus.h>
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/core/text/nearest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace fathom {
namespace {

/// Each GPU sends so many bytes to all others.
Exchange all_gather(double bytes, int gpus) {
  return {ExchangeKind::all_gather, bytes * (gpus - 1)};
}

/// One element of each GPU.
std::vector<Exchange> exchanges_of_sums(const Problem& problem, int gpus) {
  return {all_gather(problem.bytes_per_element(), gpus)};
}

std::vector<Exchange> exchanges_of_sort(const Problem& problem, int gpus) {
  if (gpus == 1) return {};
  const double of_gpu = problem.n / gpus;
  const double samples = std::min(std::ceil(of_gpu), double(most_samples));
  const Division division = division_of(problem, gpus, Index(std::ceil(of_gpu)));
  // The bits and the places of samples, where parts begin, then keys and values.
  std::vector<Exchange> exchanges{
      all_gather(samples * sizeof(u64), gpus), all_gather(samples * sizeof(u64), gpus),
      all_gather(division.slices * (gpus * division.pieces + 1) * sizeof(Index), gpus)};
  const auto move = [&](double elements) {
    exchanges.push_back({ExchangeKind::all_to_all, elements * size_in_bytes(problem.type)});
    if (problem.value_type)
      exchanges.push_back({ExchangeKind::all_to_all, elements * size_in_bytes(*problem.value_type)});
  };
  const int moves = division.slices * division.pieces;
  for (int i = 0; i < moves; ++i) move(of_gpu * (gpus - 1) / gpus / moves);
  // Few elements move, since parts are within 5 % of equal ones. None are counted: the exchange takes its
  // latency.
  if (problem.parameters.at("equal_parts") != 0) move(0);
  return exchanges;
}

GroupAlgorithm reduce_gpus() {
  return {
      {.slug = "reduce-gpus",
       .kind = Kind::reduce,
       .group = "gpus",
       .source = "Fathom: local sums, gathered and summed",
       .types = element_types(SummandTypes{})},
      [](Communicator& own, const Problem& problem) { return std::make_unique<ReduceGpus>(own, problem); },
      exchanges_of_sums};
}

GroupAlgorithm scan_gpus() {
  const Algorithm& local = algorithm("scan-matrix");
  return {{.slug = "scan-gpus",
           .kind = Kind::scan,
           .group = "gpus",
           .source = "Fathom: a matrix scan with the sums of the GPUs before",
           .parameters = local.parameters,
           .types = local.types},
          [](Communicator& own, const Problem& problem) -> std::unique_ptr<GroupCall> {
            return with_element_type(SummandTypes{}, problem.type,
                                     [&]<class T>(std::type_identity<T>) -> std::unique_ptr<GroupCall> {
                                       return std::make_unique<ScanGpus<T>>(own, Index(problem.n),
                                                                            problem.parameters.at("t"),
                                                                            problem.parameters.at("alpha"));
                                     });
          },
          exchanges_of_sums};
}

std::unique_ptr<GroupCall> make_sort(Communicator& own, const Problem& problem) {
  if (problem.stable && SortScheme(problem.parameters.at("scheme")) == SortScheme::split_first)
    throw std::invalid_argument(
        "sort-gpus keeps the order of equal keys if it sorts before it splits: choose scheme 1");
  return detail::with_sorted<true>(RadixKeys{}, RecordTypes{}, problem,
                                   [&]<class Element, class Stability>(
                                       std::type_identity<Element>, Stability) -> std::unique_ptr<GroupCall> {
                                     return std::make_unique<SortGpus<Element, Stability>>(own, problem);
                                   });
}

GroupAlgorithm sort_gpus() {
  return {{.slug = "sort-gpus",
           .kind = Kind::sort,
           .group = "gpus",
           .source = "Fathom: parts by samples of all GPUs, each element exchanged once",
           .parameters = {{"scheme", "1: sort, split, exchange, merge; 2: split, exchange, sort", {1, 2}, 1},
                          {"pieces",
                           "of a GPU's output; each is merged while the next one is exchanged (scheme 1)",
                           {1, 2, 4, 8, 16},
                           4},
                          {"equal_parts", "1: equal parts of the output, by a second exchange", {0, 1}, 0}},
           .types = element_types(RadixKeys{}),
           .pairs = detail::keys_and_values(RecordTypes{}),
           .stable = true},
          make_sort,
          exchanges_of_sort};
}

}  // namespace

const std::deque<GroupAlgorithm>& group_algorithms() {
  static const std::deque<GroupAlgorithm> all{sort_gpus(), reduce_gpus(), scan_gpus()};
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
  throw std::invalid_argument("unknown algorithm for several GPUs '" + std::string(slug) +
                              "': did you mean " + nearest(slug, slugs) + "?");
}

}  // namespace fathom
