#include <fathom/algorithms/dispatch.h>
#include <fathom/algorithms/problem_driver.h>
#include <fathom/algorithms/scan/scan_sequential_impl.h>

namespace fathom {

std::unique_ptr<Driver> make_scan_sequential(Executor& executor, const Problem& problem, Input input) {
  const Index groups = divide_up(Index(problem.n), problem.parameters.at("k"));
  return with_element_type(ValueTypes{}, problem.type, [&]<class T>(std::type_identity<T>) {
    return make_problem_driver<T>(
        executor, problem, input,
        ScanSequential<T, Plus>(executor, Index(problem.n), problem.parameters.at("k"),
                                problem.parameters.at("t")),
        exclusive_scan_check<T, Plus>(input, scan_interval_depth + groups));
  });
}

std::size_t scan_sequential_bytes(const Problem& problem) {
  return std::size_t((2 * problem.n + std::min<double>(problem.n, problem.parameters.at("k"))) *
                     size_in_bytes(problem.type));
}

std::vector<std::pair<KernelSource, BlockShape>> scan_sequential_kernels(const Problem& problem) {
  return with_element_type(ValueTypes{}, problem.type, [&]<class T>(std::type_identity<T>) {
    return ScanSequential<T, Plus>::sources(problem.parameters.at("t"));
  });
}

}  // namespace fathom
