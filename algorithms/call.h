// SPDX-License-Identifier: Apache-2.0
// An algorithm on arrays of the caller's, whose element type is known at run time only.
#pragma once

#include <fathom/algorithms/block/records.h>
#include <fathom/core/problem.h>
#include <fathom/device/executor.h>

#include <functional>
#include <memory>
#include <utility>

namespace fathom {

/// Arrays on an executor's device, each of which begins at a multiple of 16 bytes. Without values, `keys` are
/// the elements.
struct InputArrays {
  const void* keys;
  const void* values = nullptr;
  /// Of the lists of a segmented sort: list i is elements [begins[i], begins[i + 1]). One more than there
  /// are.
  const Index* begins = nullptr;
};
struct OutputArrays {
  void* keys;
  void* values = nullptr;
};

/// A solver that is ready for n elements: it owns its work space and can run many times.
class Call {
 public:
  virtual ~Call() = default;
  /// Queues it. The input has n elements, as has the output, but for that of a reduction, which has one. A
  /// scan may run in place; other arrays do not overlap.
  virtual void run(const InputArrays& input, const OutputArrays& output) = 0;
};

/// For a problem that Descriptor::check() accepts, with complete parameters. Throws OutOfDeviceMemory,
/// KernelFailure.
using MakeCall = std::function<std::unique_ptr<Call>(Executor&, const Problem&)>;

namespace detail {

template <class Element>
ConstListOf<Element> list_of(const InputArrays& arrays, u64 n) {
  const Span<const KeyOf<Element>> keys{static_cast<const KeyOf<Element>*>(arrays.keys), n};
  if constexpr (has_values<Element>)
    return {keys, {static_cast<const fathom::ValueOf<Element>*>(arrays.values), n}};
  else
    return keys;
}
template <class Element>
ListOf<Element> list_of(const OutputArrays& arrays, u64 n) {
  const Span<KeyOf<Element>> keys{static_cast<KeyOf<Element>*>(arrays.keys), n};
  if constexpr (has_values<Element>)
    return {keys, {static_cast<fathom::ValueOf<Element>*>(arrays.values), n}};
  else
    return keys;
}

template <class Element>
InputArrays input_arrays(ConstListOf<Element> list) {
  if constexpr (has_values<Element>)
    return {list.keys.data, list.values.data};
  else
    return {list.data};
}
template <class Element>
OutputArrays output_arrays(ListOf<Element> list) {
  if constexpr (has_values<Element>)
    return {list.keys.data, list.values.data};
  else
    return {list.data};
}

template <class Element, class Solver>
class SolverCall final : public Call {
 public:
  /// `lists`: of a segmented sort.
  SolverCall(const Problem& problem, Solver solver, Index lists)
      : n_(u64(problem.n)),
        outputs_(problem.kind == Kind::reduce ? 1 : u64(problem.n)),
        lists_(lists),
        solver_(std::move(solver)) {}

  void run(const InputArrays& input, const OutputArrays& output) override {
    const auto in = list_of<Element>(input, n_);
    const auto out = list_of<Element>(output, outputs_);
    if constexpr (requires { solver_.run(in, Span<const Index>{}, out); })
      solver_.run(in, Span<const Index>{input.begins, u64(lists_) + 1}, out);
    else
      solver_.run(in, out);
  }

 private:
  u64 n_, outputs_;
  Index lists_;
  Solver solver_;
};

template <class Element, class Solver>
std::unique_ptr<Call> solver_call(const Problem& problem, Solver solver, Index lists = 0) {
  return std::make_unique<SolverCall<Element, Solver>>(problem, std::move(solver), lists);
}

}  // namespace detail
}  // namespace fathom
