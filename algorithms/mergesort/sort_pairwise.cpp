#include <fathom/algorithms/dispatch.h>
#include <fathom/algorithms/mergesort/sort_pairwise_impl.h>
#include <fathom/algorithms/problem_driver.h>

namespace fathom {

template class SortPairwise<u32, Less>;
template class SortPairwise<u64, Less>;

std::unique_ptr<Driver> make_sort_pairwise(Executor& executor, const Problem& problem, Input input) {
  return with_element_type(KeyTypes{}, problem.type, [&]<class Key>(std::type_identity<Key>) {
    const TileShape tile{.threads = problem.parameters.at("t"), .elements = problem.parameters.at("E")};
    return make_problem_driver<Key>(
        executor, problem, input,
        SortPairwise<Key, Less>(executor, Index(problem.n), tile.threads, tile.elements),
        check_sorted<Key, Less>, tile);
  });
}

std::size_t sort_pairwise_bytes(const Problem& problem) {
  const double tile = double(problem.parameters.at("t")) * problem.parameters.at("E");
  return std::size_t(3 * problem.n * size_in_bytes(problem.type) + (problem.n / tile + 1) * sizeof(Index));
}

std::vector<std::pair<KernelSource, BlockShape>> sort_pairwise_kernels(const Problem& problem) {
  return with_element_type(KeyTypes{}, problem.type, [&]<class Key>(std::type_identity<Key>) {
    return SortPairwise<Key, Less>::sources(problem.parameters.at("t"), problem.parameters.at("E"));
  });
}

}  // namespace fathom
