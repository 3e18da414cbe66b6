#include <fathom/algorithms/dispatch.h>
#include <fathom/algorithms/problem_driver.h>
#include <fathom/algorithms/scan/scan_naive_impl.h>

namespace fathom {
namespace {
constexpr Index most_steps = 63;  // of an Index: additions that an element goes through
}

std::unique_ptr<Driver> make_scan_naive(Executor& executor, const Problem& problem, Input input) {
  return with_element_type(ValueTypes{}, problem.type, [&]<class T>(std::type_identity<T>) {
    return make_problem_driver<T>(executor, problem, input,
                                  ScanNaive<T, Plus>(executor, Index(problem.n), problem.parameters.at("t")),
                                  exclusive_scan_check<T, Plus>(input, most_steps));
  });
}

std::size_t scan_naive_bytes(const Problem& problem) {
  return std::size_t(3 * problem.n * size_in_bytes(problem.type));
}

std::vector<std::pair<KernelSource, BlockShape>> scan_naive_kernels(const Problem& problem) {
  return with_element_type(ValueTypes{}, problem.type, [&]<class T>(std::type_identity<T>) {
    return ScanNaive<T, Plus>::sources(problem.parameters.at("t"));
  });
}

}  // namespace fathom
