// Makes a registry entry from a solver: its plan and its workload, for every element type that it is
// instantiated with.
//
// A solver is a class template Solver<T, …> with
//     Solver(Executor&, Index n, int parameter…);
//     static Plan plan(Index n, int parameter…, const PlanDevice&);
//     void run(Span<const T> input, Span<T> output);
//     std::vector<KernelResources> kernels() const;
// and, for sums, Index depth() const: the longest chain of additions that an element passes through. `names`
// are the parameters' names, in the order in which the solver takes their values.
#pragma once

#include <fathom/algorithms/check/check.h>
#include <fathom/algorithms/registry.h>
#include <fathom/algorithms/scan/scan_kind.h>

#include <utility>

namespace fathom {

/// `Solver` has run(Span<const T>, Span<T>) and kernels(). `fill(executor, span)` makes the input, and
/// `check(executor, input, output)` throws KernelFailure for a wrong output, of `outputs` elements.
template <class T, class Solver, class Fill, class Check>
class ArrayWorkload final : public Workload {
 public:
  ArrayWorkload(Executor& executor, std::size_t n, std::size_t outputs, Solver solver, Fill fill, Check check)
      : executor_(&executor),
        input_(executor, n),
        output_(executor, outputs),
        solver_(std::move(solver)),
        check_(std::move(check)) {
    fill(executor, input_.span());
    executor.synchronize();
  }

  void run() override { solver_.run(input(), output_.span()); }

  void check() override {
    executor_->fill(output_.data(), 0xa5, output_.bytes());  // unwritten output must not look right
    run();
    check_(*executor_, input(), Span<const T>{output_.data(), output_.size()});
  }

  std::vector<KernelResources> kernels() const override { return solver_.kernels(); }

 private:
  Span<const T> input() const { return {input_.data(), input_.size()}; }

  Executor* executor_;
  DeviceArray<T> input_, output_;
  Solver solver_;
  Check check_;
};

template <class T, class Solver>
std::unique_ptr<Workload> sort_workload(Executor& executor, const Problem& problem, Input input,
                                        Solver solver) {
  const auto fill = [&](Executor& on, Span<T> keys) { fill_keys<T>(on, keys, input, tile_shape(problem)); };
  const std::size_t n = std::size_t(problem.n);
  return std::make_unique<ArrayWorkload<T, Solver, decltype(fill), decltype(&check_sorted<T, Less>)>>(
      executor, n, n, std::move(solver), fill, check_sorted<T, Less>);
}

template <class T, class Solver>
std::unique_ptr<Workload> scan_workload(Executor& executor, const Problem& problem, Input input, Index depth,
                                        Solver solver) {
  const auto fill = [&](Executor& on, Span<T> elements) { fill_summands<T>(on, elements, input); };
  const auto check = exclusive_scan_check<T, Plus>(input, depth);
  const std::size_t n = std::size_t(problem.n);
  return std::make_unique<ArrayWorkload<T, Solver, decltype(fill), decltype(check)>>(
      executor, n, n, std::move(solver), fill, check);
}

template <class T, class Solver>
std::unique_ptr<Workload> reduce_workload(Executor& executor, const Problem& problem, Input input,
                                          Index depth, Solver solver) {
  const auto fill = [&](Executor& on, Span<T> elements) { fill_summands<T>(on, elements, input); };
  const auto check = reduction_check<T, Plus>(input, depth);
  return std::make_unique<ArrayWorkload<T, Solver, decltype(fill), decltype(check)>>(
      executor, std::size_t(problem.n), 1, std::move(solver), fill, check);
}

namespace detail {

/// `plan_of` and `workload_of` receive the type and the values of the named parameters.
template <class Types, class PlanOf, class WorkloadOf, class... Names>
Algorithm with_solver(Descriptor descriptor, Kind kind, Types types, PlanOf plan_of, WorkloadOf workload_of,
                      Names... names) {
  descriptor.kind = kind;
  descriptor.types = element_types(types);
  descriptor.plan = [=](const Problem& problem, const PlanDevice& device) {
    return with_element_type(types, problem.type, [&](auto type) {
      return plan_of(type, Index(problem.n), problem.parameters.at(names)..., device);
    });
  };
  return {std::move(descriptor), [=](Executor& executor, const Problem& problem, Input input) {
            return with_element_type(types, problem.type, [&](auto type) {
              return workload_of(type, executor, problem, input, problem.parameters.at(names)...);
            });
          }};
}

}  // namespace detail

/// A sort by `Solver<Key, LessThan>`.
template <template <class, class> class Solver, class Types, class... Names>
Algorithm make_sort(Descriptor descriptor, Types types, Names... names) {
  return detail::with_solver(
      std::move(descriptor), Kind::sort, types,
      []<class Key>(std::type_identity<Key>, auto... arguments) {
        return Solver<Key, Less>::plan(arguments...);
      },
      []<class Key>(std::type_identity<Key>, Executor& executor, const Problem& problem, Input input,
                    auto... parameters) {
        return sort_workload<Key>(executor, problem, input,
                                  Solver<Key, Less>(executor, Index(problem.n), parameters...));
      },
      names...);
}

using SummandTypes = Types<u32, u64, f32, f64, Pair>;

/// An exclusive scan by `Solver<T, Operator, Kind>`.
template <template <class, class, class> class Solver, class... Names>
Algorithm make_scan(Descriptor descriptor, Names... names) {
  return detail::with_solver(
      std::move(descriptor), Kind::scan, SummandTypes{},
      []<class T>(std::type_identity<T>, auto... arguments) {
        return Solver<T, Plus, Exclusive>::plan(arguments...);
      },
      []<class T>(std::type_identity<T>, Executor& executor, const Problem& problem, Input input,
                  auto... parameters) {
        Solver<T, Plus, Exclusive> solver(executor, Index(problem.n), parameters...);
        const Index depth = solver.depth();
        return scan_workload<T>(executor, problem, input, depth, std::move(solver));
      },
      names...);
}

/// A reduction by `Solver<T, Operator>`.
template <template <class, class> class Solver, class... Names>
Algorithm make_reduction(Descriptor descriptor, Names... names) {
  return detail::with_solver(
      std::move(descriptor), Kind::reduce, SummandTypes{},
      []<class T>(std::type_identity<T>, auto... arguments) { return Solver<T, Plus>::plan(arguments...); },
      []<class T>(std::type_identity<T>, Executor& executor, const Problem& problem, Input input,
                  auto... parameters) {
        Solver<T, Plus> solver(executor, Index(problem.n), parameters...);
        const Index depth = solver.depth();
        return reduce_workload<T>(executor, problem, input, depth, std::move(solver));
      },
      names...);
}

}  // namespace fathom
