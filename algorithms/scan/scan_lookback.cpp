#include <fathom/algorithms/dispatch.h>
#include <fathom/algorithms/problem_driver.h>
#include <fathom/algorithms/scan/scan_lookback_impl.h>

namespace fathom {

std::unique_ptr<Driver> make_scan_lookback(Executor& executor, const Problem& problem, Input input) {
  const int threads = problem.parameters.at("t"), elements = problem.parameters.at("E");
  // An element goes through its thread's, then through five additions across the warp and five across the
  // block, and then tile by tile.
  const Index depth = elements + 10 + divide_up(Index(problem.n), Index(threads) * elements);
  return with_element_type(ValueTypes{}, problem.type, [&]<class T>(std::type_identity<T>) {
    return make_problem_driver<T>(executor, problem, input,
                                  ScanLookback<T, Plus>(executor, Index(problem.n), threads, elements),
                                  exclusive_scan_check<T, Plus>(input, depth));
  });
}

std::size_t scan_lookback_bytes(const Problem& problem) {
  const double tile = double(problem.parameters.at("t")) * problem.parameters.at("E");
  const double words = size_in_bytes(problem.type) / 4.0;
  return std::size_t(2 * problem.n * size_in_bytes(problem.type) +
                     (problem.n / tile + 1) * words * sizeof(StateWord));
}

std::vector<std::pair<KernelSource, BlockShape>> scan_lookback_kernels(const Problem& problem) {
  return with_element_type(ValueTypes{}, problem.type, [&]<class T>(std::type_identity<T>) {
    return ScanLookback<T, Plus>::sources(problem.parameters.at("t"), problem.parameters.at("E"));
  });
}

}  // namespace fathom
