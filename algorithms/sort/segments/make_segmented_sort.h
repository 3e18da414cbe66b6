// SPDX-License-Identifier: Apache-2.0
// Makes a registry entry from the solver of a segmented sort: its plan, its lists and its check.
#pragma once

#include <fathom/algorithms/make_algorithm.h>

#include <cmath>

namespace fathom {

/// The mean length of the lists: a part of the problem.
inline ParameterInfo mean_length() {
  return {.name = "length",
          .meaning = "mean length of a list, a part of the problem",
          .values = {4, 8, 16, 32, 64, 128, 256, 512, 1000, 2000, 4000, 10000, 30000, 100000},
          .default_value = 1000,
          .of_problem = true};
}
inline Index lists_of(const Problem& problem) {
  if (problem.lists > 0) return Index(problem.lists);
  return max(Index(1), Index(std::llround(problem.n / problem.parameters.at("length"))));
}

/// A sort of each list by itself. `Solver` has run(ConstListOf<Element>, Span<const Index> begins,
/// ListOf<Element>) and kernels().
template <class Element, class Solver>
class SegmentedSortWorkload final : public Workload {
 public:
  SegmentedSortWorkload(Executor& executor, const Problem& problem, Input input, Solver solver)
      : executor_(&executor),
        stable_(problem.stable),
        begins_(executor, std::size_t(lists_of(problem)) + 1),
        input_(executor, std::size_t(problem.n)),
        output_(executor, std::size_t(problem.n)),
        solver_(std::move(solver)) {
    cut_lists(executor, begins_.span(), Index(problem.n), problem.parameters.at("length"));
    fill_keys<KeyOf<Element>>(executor, keys_of(input_.list()), input, tile_shape(problem));
    if constexpr (has_values<Element>) fill_values(executor, input_.list().values);
    executor.synchronize();
  }

  void run() override { solver_.run(read_only(input_.list()), read_only(begins_.span()), output_.list()); }

  void check() override {
    output_.fill(*executor_, 0xa5);  // unwritten output must not look right
    run();
    const auto in = read_only(input_.list()), out = read_only(output_.list());
    const auto begins = read_only(begins_.span());
    if constexpr (has_values<Element>)
      check_sorted_lists_of_pairs<KeyOf<Element>, ValueOf<Element>, Less>(*executor_, begins, in.keys,
                                                                          out.keys, out.values, stable_);
    else
      check_sorted_lists<Element, Less>(*executor_, begins, in, out);
  }

  std::vector<KernelResources> kernels() const override { return solver_.kernels(); }

 private:
  Executor* executor_;
  bool stable_;
  DeviceArray<Index> begins_;
  DeviceList<Element> input_, output_;
  Solver solver_;
};

template <class Element, class Solver>
std::unique_ptr<Workload> segmented_sort_workload(Executor& executor, const Problem& problem, Input input,
                                                  Solver solver) {
  return std::make_unique<SegmentedSortWorkload<Element, Solver>>(executor, problem, input,
                                                                  std::move(solver));
}

/// A segmented sort of keys and records, stable, asked or not, by
///     Solver<Element>(Executor&, Index n, Index lists, int parameter…);
///     static Plan plan(Index n, Index lists, int parameter…, const PlanDevice&);
/// The descriptor has mean_length() among its parameters.
template <template <class> class Solver, class... Names>
Algorithm make_segmented_sort(Descriptor descriptor, Names... names) {
  descriptor.kind = Kind::segmented_sort;
  descriptor.types = element_types(RadixKeys{});
  descriptor.pairs = detail::keys_and_values(RecordTypes{});
  descriptor.stable = true;
  descriptor.plan = [=](const Problem& problem, const PlanDevice& device) {
    return detail::with_sorted<true>(
        RadixKeys{}, RecordTypes{}, problem, [&]<class Element>(std::type_identity<Element>, auto) {
          return Solver<Element>::plan(Index(problem.n), lists_of(problem),
                                       detail::argument(problem, names)..., device);
        });
  };
  const auto solver_of = [=]<class Element>(std::type_identity<Element>, Executor& executor,
                                            const Problem& problem) {
    return Solver<Element>(executor, Index(problem.n), lists_of(problem),
                           detail::argument(problem, names)...);
  };
  Algorithm algorithm{std::move(descriptor), [=](Executor& executor, const Problem& problem, Input input) {
                        return detail::with_sorted<true>(
                            RadixKeys{}, RecordTypes{}, problem,
                            [&]<class Element>(std::type_identity<Element> element, auto) {
                              return segmented_sort_workload<Element>(executor, problem, input,
                                                                      solver_of(element, executor, problem));
                            });
                      }};
  algorithm.make_call = [=](Executor& executor, const Problem& problem) {
    return detail::with_sorted<true>(RadixKeys{}, RecordTypes{}, problem,
                                     [&]<class Element>(std::type_identity<Element> element, auto) {
                                       return detail::solver_call<Element>(
                                           problem, solver_of(element, executor, problem), lists_of(problem));
                                     });
  };
  return with_fitting_defaults(std::move(algorithm));
}

}  // namespace fathom
