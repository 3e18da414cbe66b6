// SPDX-License-Identifier: Apache-2.0
// Makes a registry entry from a solver: its plan and its workload, for every element type that it is
// instantiated with.
//
// A solver is a class template Solver<T, …> with
//     Solver(Executor&, Index n, int parameter…);
//     static Plan plan(Index n, int parameter…, const PlanDevice&);
//     void run(Span<const T> input, Span<T> output);
//     std::vector<KernelResources> kernels() const;
// A sort's T is a key or a record of key and value (block/records.h), and its spans are ConstListOf<T> and
// ListOf<T>. Sums also have Index depth() const: the longest chain of additions that an element passes
// through. A solver of any other problem brings its input and its check: see make_algorithm(). `names` are
// the parameters' names, in the order in which the solver takes their values.
//
// All makers are in this file, since they share how type, order and stability of a problem choose a
// template's arguments.
#pragma once

#include <fathom/algorithms/block/digits.h>
#include <fathom/algorithms/check/check.h>
#include <fathom/algorithms/fitting.h>
#include <fathom/algorithms/registry.h>
#include <fathom/algorithms/scan/scan_kind.h>
#include <fathom/algorithms/sort/device_list.h>

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

/// A sort of keys or records. Records must stay together and, for a problem that asks for it, in the order of
/// the input if their keys are equal.
template <class Element, class Solver>
class SortWorkload final : public Workload {
 public:
  SortWorkload(Executor& executor, const Problem& problem, Input input, Solver solver)
      : executor_(&executor),
        stable_(problem.stable),
        input_(executor, std::size_t(problem.n)),
        output_(executor, std::size_t(problem.n)),
        solver_(std::move(solver)) {
    fill_keys<KeyOf<Element>>(executor, keys_of(input_.list()), input, tile_shape(problem));
    if constexpr (has_values<Element>) fill_values(executor, input_.list().values);
    executor.synchronize();
  }

  void run() override { solver_.run(read_only(input_.list()), output_.list()); }

  void check() override {
    output_.fill(*executor_, 0xa5);  // unwritten output must not look right
    run();
    const auto in = read_only(input_.list()), out = read_only(output_.list());
    if constexpr (has_values<Element>)
      check_sorted_pairs<KeyOf<Element>, ValueOf<Element>, Less>(*executor_, in.keys, out.keys, out.values,
                                                                 stable_);
    else
      check_sorted<Element, Less>(*executor_, in, out);
  }

  std::vector<KernelResources> kernels() const override { return solver_.kernels(); }

 private:
  Executor* executor_;
  bool stable_;
  DeviceList<Element> input_, output_;
  Solver solver_;
};

template <class Element, class Solver>
std::unique_ptr<Workload> sort_workload(Executor& executor, const Problem& problem, Input input,
                                        Solver solver) {
  return std::make_unique<SortWorkload<Element, Solver>>(executor, problem, input, std::move(solver));
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

/// `plan_of` and `solver_of` receive the type and the values of the named parameters; `workload_of` the type
/// and the solver.
template <class Types, class PlanOf, class SolverOf, class WorkloadOf, class... Names>
Algorithm with_solver(Descriptor descriptor, Kind kind, Types types, PlanOf plan_of, SolverOf solver_of,
                      WorkloadOf workload_of, Names... names) {
  descriptor.kind = kind;
  descriptor.types = element_types(types);
  descriptor.plan = [=](const Problem& problem, const PlanDevice& device) {
    return with_element_type(types, problem.type, [&](auto type) {
      return plan_of(type, Index(problem.n), problem.parameters.at(names)..., device);
    });
  };
  Algorithm algorithm{std::move(descriptor), [=](Executor& executor, const Problem& problem, Input input) {
                        return with_element_type(types, problem.type, [&](auto type) {
                          return workload_of(
                              type, executor, problem, input,
                              solver_of(type, executor, Index(problem.n), problem.parameters.at(names)...));
                        });
                      }};
  if (kind != Kind::other)
    algorithm.make_call = [=](Executor& executor, const Problem& problem) {
      return with_element_type(types, problem.type, [&]<class T>(std::type_identity<T> type) {
        return solver_call<T>(problem,
                              solver_of(type, executor, Index(problem.n), problem.parameters.at(names)...));
      });
    };
  return with_fitting_defaults(std::move(algorithm));
}

}  // namespace detail

/// A sort of keys alone by `Solver<Key, LessThan>`.
template <template <class, class> class Solver, class Types, class... Names>
Algorithm make_sort(Descriptor descriptor, Types types, Names... names) {
  return detail::with_solver(
      std::move(descriptor), Kind::sort, types,
      []<class Key>(std::type_identity<Key>, auto... arguments) {
        return Solver<Key, Less>::plan(arguments...);
      },
      []<class Key>(std::type_identity<Key>, Executor& executor, auto... arguments) {
        return Solver<Key, Less>(executor, arguments...);
      },
      []<class Key>(std::type_identity<Key>, Executor& executor, const Problem& problem, Input input,
                    auto solver) { return sort_workload<Key>(executor, problem, input, std::move(solver)); },
      names...);
}

/// Keys that radix sorts are instantiated for: those with digits (block/digits.h).
using RadixKeys = Types<u32, u64, i32, i64, f32, f64>;
/// Records that sorts are instantiated for.
using RecordTypes = Types<Record<u32, u32>, Record<u64, u32>, Record<u64, u64>>;

/// In the place of a parameter's name, for a solver that takes a BitRange of its keys and sorts Descending
/// ones.
struct SortedBits {};

namespace detail {

template <class... Keys, class... Values>
std::vector<KeyAndValue> keys_and_values(Types<Record<Keys, Values>...>) {
  return {{element_type_of<Keys>, element_type_of<Values>}...};
}

/// Calls `function(std::type_identity<Record>)` with the Record of the problem's types. Throws
/// std::invalid_argument if it is not in the list.
template <class Key, class Value, class... Others, class Function>
auto with_record(Types<Record<Key, Value>, Others...>, const Problem& problem, Function function) {
  if (problem.type == element_type_of<Key> && problem.value_type == element_type_of<Value>)
    return function(std::type_identity<Record<Key, Value>>{});
  if constexpr (sizeof...(Others) > 0)
    return with_record(Types<Others...>{}, problem, function);
  else
    throw std::invalid_argument("there is no kernel for the type " + type_text(problem) +
                                ": fathom algorithms lists the supported types");
}

/// A solver gets the value of the parameter of this name, or this member of the problem.
inline int argument(const Problem& problem, const char* parameter) {
  return problem.parameters.at(parameter);
}
template <class Member>
Member argument(const Problem& problem, Member Problem::*member) {
  return problem.*member;
}
/// A number of elements.
inline Index argument(const Problem& problem, double Problem::*member) {
  return Index(problem.*member);
}
/// A solver of keys of this type, also the bits to sort by.
template <class Key, class NameOrMember>
auto argument_for(const Problem& problem, NameOrMember name) {
  return argument(problem, name);
}
template <class Key>
BitRange argument_for(const Problem& problem, SortedBits) {
  if (problem.key_bits.are_all()) return BitRange::all<Key>();
  return {problem.key_bits.begin, problem.key_bits.end};
}

/// Calls `function(std::type_identity<Element>, Stability)` as the problem asks.
template <bool can_be_stable, class Keys, class Records, class Function>
auto with_sorted(Keys keys, Records records, const Problem& problem, Function function) {
  if (!problem.value_type)
    return with_element_type(keys, problem.type, [&](auto key) { return function(key, Unstable{}); });
  return with_record(records, problem, [&](auto record) {
    if constexpr (can_be_stable)
      if (problem.stable) return function(record, Stable{});
    return function(record, Unstable{});
  });
}
/// The same; by_bits: with Descending keys if the problem asks for them.
template <bool can_be_stable, bool by_bits, class Keys, class Records, class Function>
auto with_ordered(Keys keys, Records records, const Problem& problem, Function function) {
  return with_sorted<can_be_stable>(
      keys, records, problem, [&]<class Element>(std::type_identity<Element> element, auto stability) {
        if constexpr (by_bits)
          if (problem.order == fathom::Order::descending)
            return function(std::type_identity<typename DescendingElement<Element>::type>{}, stability);
        return function(element, stability);
      });
}

}  // namespace detail

/// A sort by `Solver<Element, LessThan, Stability>` of keys, and of records, also stably if it can. A solver
/// that is to know of Problem::skewed, Problem::frequent or the shared bits, has `&Problem::skewed` for the
/// name of an argument, and one that sorts by any bits SortedBits{}.
template <template <class, class, class> class Solver, bool can_be_stable = true, class Keys, class Records,
          class... Names>
Algorithm make_sort_with_values(Descriptor descriptor, Keys keys, Records records, Names... names) {
  descriptor.kind = Kind::sort;
  descriptor.types = element_types(keys);
  descriptor.pairs = detail::keys_and_values(records);
  descriptor.stable = can_be_stable;
  constexpr bool by_bits = (std::is_same_v<Names, SortedBits> || ...);
  descriptor.by_bits = by_bits;
  descriptor.plan = [=](const Problem& problem, const PlanDevice& device) {
    return detail::with_ordered<can_be_stable, by_bits>(
        keys, records, problem, [&]<class Element, class Stability>(std::type_identity<Element>, Stability) {
          return Solver<Element, Less, Stability>::plan(
              Index(problem.n), detail::argument_for<KeyOf<Element>>(problem, names)..., device);
        });
  };
  const auto solver_of = [=]<class Element, class Stability>(std::type_identity<Element>, Stability,
                                                             Executor& executor, const Problem& problem) {
    return Solver<Element, Less, Stability>(executor, Index(problem.n),
                                            detail::argument_for<KeyOf<Element>>(problem, names)...);
  };
  Algorithm algorithm{
      std::move(descriptor), [=](Executor& executor, const Problem& problem, Input input) {
        if (problem.order != Order::ascending || !problem.key_bits.are_all())
          throw std::invalid_argument("inputs are made and checked for sorts in ascending order by all bits");
        return detail::with_sorted<can_be_stable>(
            keys, records, problem, [&]<class Element>(std::type_identity<Element> element, auto stability) {
              return sort_workload<Element>(executor, problem, input,
                                            solver_of(element, stability, executor, problem));
            });
      }};
  algorithm.make_call = [=](Executor& executor, const Problem& problem) {
    return detail::with_ordered<can_be_stable, by_bits>(
        keys, records, problem, [&]<class Element>(std::type_identity<Element> element, auto stability) {
          return detail::solver_call<Element>(problem, solver_of(element, stability, executor, problem));
        });
  };
  return with_fitting_defaults(std::move(algorithm));
}

namespace detail {
template <template <class> class Solver>
struct ByBits {
  template <class Element, class LessThan, class Stability>
  using Sort = Solver<Element>;
};
}  // namespace detail

/// A sort by `Solver<Element>` of keys and records by the keys' bits, in their order: stable, asked or not.
template <template <class> class Solver, class... Names>
Algorithm make_radix_sort(Descriptor descriptor, Names... names) {
  return make_sort_with_values<detail::ByBits<Solver>::template Sort>(std::move(descriptor), RadixKeys{},
                                                                      RecordTypes{}, names...);
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
      []<class T>(std::type_identity<T>, Executor& executor, auto... arguments) {
        return Solver<T, Plus, Exclusive>(executor, arguments...);
      },
      []<class T>(std::type_identity<T>, Executor& executor, const Problem& problem, Input input,
                  auto solver) {
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
      []<class T>(std::type_identity<T>, Executor& executor, auto... arguments) {
        return Solver<T, Plus>(executor, arguments...);
      },
      []<class T>(std::type_identity<T>, Executor& executor, const Problem& problem, Input input,
                  auto solver) {
        const Index depth = solver.depth();
        return reduce_workload<T>(executor, problem, input, depth, std::move(solver));
      },
      names...);
}

/// Whatever else `Solver<T>` computes from n elements. What is known of sorts and sums by their kind, it
/// states:
///     static void fill(Executor&, Span<T> input, Input);
///     static Index outputs(Index n);  elements of the output
///     static void check(Executor&, Span<const T> input, Span<const T> output);
/// The check throws KernelFailure for a wrong output. Before a checked run every byte of the output is 0xa5.
template <template <class> class Solver, class Types, class... Names>
Algorithm make_algorithm(Descriptor descriptor, Types types, Names... names) {
  return detail::with_solver(
      std::move(descriptor), Kind::other, types,
      []<class T>(std::type_identity<T>, auto... arguments) { return Solver<T>::plan(arguments...); },
      []<class T>(std::type_identity<T>, Executor& executor, auto... arguments) {
        return Solver<T>(executor, arguments...);
      },
      []<class T>(std::type_identity<T>, Executor& executor, const Problem& problem, Input input,
                  auto solver) -> std::unique_ptr<Workload> {
        const auto fill = [&](Executor& on, Span<T> elements) { Solver<T>::fill(on, elements, input); };
        const auto check = [](Executor& on, Span<const T> in, Span<const T> out) {
          Solver<T>::check(on, in, out);
        };
        const Index n = Index(problem.n);
        return std::make_unique<ArrayWorkload<T, Solver<T>, decltype(fill), decltype(check)>>(
            executor, std::size_t(n), std::size_t(Solver<T>::outputs(n)), std::move(solver), fill, check);
      },
      names...);
}

}  // namespace fathom
