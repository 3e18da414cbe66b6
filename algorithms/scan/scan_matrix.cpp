#include <fathom/algorithms/dispatch.h>
#include <fathom/algorithms/problem_driver.h>
#include <fathom/algorithms/scan/scan_matrix_impl.h>

namespace fathom {

std::unique_ptr<Driver> make_scan_matrix(Executor& executor, const Problem& problem, Input input) {
  return with_element_type(ValueTypes{}, problem.type, [&]<class T>(std::type_identity<T>) {
    return make_problem_driver<T>(executor, problem, input,
                                  ScanMatrix<T, Plus>(executor, Index(problem.n), problem.parameters.at("t"),
                                                      problem.parameters.at("alpha")),
                                  exclusive_scan_check<T, Plus>(input, Index(problem.n)));
  });
}

std::size_t scan_matrix_bytes(const Problem& problem) {
  // The sums are at most one element per tile of the smallest tile.
  return std::size_t((2 * problem.n + problem.n / warp_width + warp_width) * size_in_bytes(problem.type));
}

std::vector<std::pair<KernelSource, BlockShape>> scan_matrix_kernels(const Problem& problem) {
  return with_element_type(ValueTypes{}, problem.type, [&]<class T>(std::type_identity<T>) {
    return ScanMatrix<T, Plus>::sources(problem.parameters.at("t"), problem.parameters.at("alpha"));
  });
}

}  // namespace fathom
