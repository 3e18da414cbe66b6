#include <fathom/algorithms/dispatch.h>
#include <fathom/algorithms/problem_driver.h>
#include <fathom/algorithms/scan/scan_interval_impl.h>

namespace fathom {

std::unique_ptr<Driver> make_scan_interval(Executor& executor, const Problem& problem, Input input) {
  return with_element_type(ValueTypes{}, problem.type, [&]<class T>(std::type_identity<T>) {
    return make_problem_driver<T>(
        executor, problem, input,
        ScanInterval<T, Plus>(executor, Index(problem.n), problem.parameters.at("t")),
        exclusive_scan_check<T, Plus>(input, scan_interval_depth));
  });
}

std::size_t scan_interval_bytes(const Problem& problem) {
  return std::size_t(3 * problem.n * size_in_bytes(problem.type));
}

std::vector<std::pair<KernelSource, BlockShape>> scan_interval_kernels(const Problem& problem) {
  return with_element_type(ValueTypes{}, problem.type, [&]<class T>(std::type_identity<T>) {
    return ScanInterval<T, Plus>::sources(problem.parameters.at("t"));
  });
}

}  // namespace fathom
