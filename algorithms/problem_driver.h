// The common part of drivers that turn one array into another: input made, output poisoned ahead of the
// check.
#pragma once

#include <fathom/algorithms/check/check.h>
#include <fathom/algorithms/driver.h>

#include <utility>

namespace fathom {

/// `Solver` has run(Span<const T>, Span<T>) and kernels(); `Check` is check(executor, input, output). The
/// output has as many elements as the input, or `outputs`.
template <class T, class Solver, class Check>
class ProblemDriver final : public Driver {
 public:
  ProblemDriver(Executor& executor, std::size_t n, std::size_t outputs, Input input, Solver solver,
                Check check, TileShape tile = {})
      : executor_(&executor),
        input_(executor, n),
        output_(executor, outputs),
        solver_(std::move(solver)),
        check_(check) {
    fill_input<T>(executor, input_.span(), input, tile);
    executor.synchronize();
  }

  void run() override { solver_.run(input(), output_.span()); }

  void check() override {
    executor_->fill(output_.data(), 0xa5, output_.bytes());  // what nobody wrote must not look right
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

template <class T, class Solver, class Check>
std::unique_ptr<Driver> make_problem_driver(Executor& executor, const Problem& problem, Input input,
                                            Solver solver, Check check, TileShape tile = {}) {
  const std::size_t n = std::size_t(problem.n);
  return std::make_unique<ProblemDriver<T, Solver, Check>>(executor, n, n, input, std::move(solver), check,
                                                           tile);
}

/// A reduction's driver: one element of output.
template <class T, class Solver, class Check>
std::unique_ptr<Driver> make_reduction_driver(Executor& executor, const Problem& problem, Input input,
                                              Solver solver, Check check) {
  return std::make_unique<ProblemDriver<T, Solver, Check>>(executor, std::size_t(problem.n), 1, input,
                                                           std::move(solver), check);
}

}  // namespace fathom
