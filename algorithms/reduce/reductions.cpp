#include <fathom/algorithms/dispatch.h>
#include <fathom/algorithms/problem_driver.h>
#include <fathom/algorithms/reduce/reductions.h>

namespace fathom {
namespace {

using Kernels = std::vector<std::pair<KernelSource, BlockShape>>;

/// A driver of the reduction `Solver`, specialised for the named parameters.
template <template <class, class> class Solver, class... Names>
std::unique_ptr<Driver> make_reduction(Executor& executor, const Problem& problem, Input input,
                                       Names... names) {
  return with_element_type(ValueTypes{}, problem.type, [&]<class T>(std::type_identity<T>) {
    Solver<T, Plus> solver(executor, Index(problem.n), problem.parameters.at(names)...);
    const auto check = reduction_check<T, Plus>(input, solver.depth());
    return make_reduction_driver<T>(executor, problem, input, std::move(solver), check);
  });
}

template <template <class, class> class Solver, class... Names>
Kernels reduction_kernels(const Problem& problem, Names... names) {
  return with_element_type(ValueTypes{}, problem.type, [&]<class T>(std::type_identity<T>) {
    return Solver<T, Plus>::sources(problem.parameters.at(names)...);
  });
}

}  // namespace

std::unique_ptr<Driver> make_reduce_tree(Executor& executor, const Problem& problem, Input input) {
  return make_reduction<ReduceTree>(executor, problem, input, "t");
}
std::unique_ptr<Driver> make_reduce_cascading(Executor& executor, const Problem& problem, Input input) {
  return make_reduction<ReduceCascading>(executor, problem, input, "t");
}
std::unique_ptr<Driver> make_reduce_pipeline(Executor& executor, const Problem& problem, Input input) {
  return make_reduction<ReducePipeline>(executor, problem, input, "t", "I");
}
std::unique_ptr<Driver> make_reduce_matrix(Executor& executor, const Problem& problem, Input input) {
  return make_reduction<ReduceMatrix>(executor, problem, input, "t");
}
std::unique_ptr<Driver> make_reduce_vector(Executor& executor, const Problem& problem, Input input) {
  return make_reduction<ReduceVector>(executor, problem, input, "t", "I");
}

std::size_t reduction_bytes(const Problem& problem) {
  // The tree's levels are the largest work space: at most an element for every segment of the smallest one,
  // and as many again; the others' are an element for every block that is resident.
  const double smallest_segment = 2 * warp_width;
  return std::size_t((problem.n + 2 * problem.n / smallest_segment + 2) * size_in_bytes(problem.type)) +
         (1 << 20);
}

Kernels reduce_tree_kernels(const Problem& problem) {
  return reduction_kernels<ReduceTree>(problem, "t");
}
Kernels reduce_cascading_kernels(const Problem& problem) {
  return reduction_kernels<ReduceCascading>(problem, "t");
}
Kernels reduce_pipeline_kernels(const Problem& problem) {
  return reduction_kernels<ReducePipeline>(problem, "t", "I");
}
Kernels reduce_matrix_kernels(const Problem& problem) {
  return reduction_kernels<ReduceMatrix>(problem, "t");
}
Kernels reduce_vector_kernels(const Problem& problem) {
  return reduction_kernels<ReduceVector>(problem, "t", "I");
}

}  // namespace fathom
