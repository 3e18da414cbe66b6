#include <fathom/algorithms/registry.h>

#include <fathom/algorithms/baselines/cub.h>
#include <fathom/algorithms/dispatch.h>
#include <fathom/algorithms/mergesort/sort_pairwise.h>
#include <fathom/algorithms/reduce/reductions.h>
#include <fathom/algorithms/scan/scan_interval.h>
#include <fathom/algorithms/scan/scan_lookback.h>
#include <fathom/algorithms/scan/scan_matrix.h>
#include <fathom/algorithms/scan/scan_naive.h>
#include <fathom/algorithms/scan/scan_sequential.h>
#include <fathom/model/formulas/formulas.h>
#include <fathom/model/nearest.h>

#include <stdexcept>

namespace fathom {
namespace {

Algorithm formula_only(Formula formula) {
  return {.slug = formula.slug,
          .family = formula.family,
          .source = formula.source,
          .parameters = formula.parameters,
          .types = {},
          .formula = std::move(formula)};
}

template <class Instantiated>
Algorithm with_kernel(Formula formula, Instantiated types, MakeDriver make_driver, DeviceBytes device_bytes,
                      KernelList kernels) {
  Algorithm algorithm = formula_only(std::move(formula));
  algorithm.types = element_types(types);
  algorithm.make_driver = make_driver;
  algorithm.device_bytes = device_bytes;
  algorithm.kernels = kernels;
  return algorithm;
}

template <class Instantiated>
Algorithm baseline(std::string slug, std::string family, std::string source, Instantiated types,
                   MakeDriver make_driver) {
  Algorithm algorithm{.slug = std::move(slug),
                      .family = std::move(family),
                      .source = std::move(source),
                      .parameters = {},
                      .types = {},
                      .baseline = true};
  if (make_driver) {  // absent in a build without the CUDA toolkit
    algorithm.types = element_types(types);
    algorithm.make_driver = make_driver;
    algorithm.device_bytes = cub_bytes;
  }
  return algorithm;
}

}  // namespace

const std::vector<Algorithm>& algorithms() {
  static const std::vector<Algorithm> all{
      with_kernel(sort_pairwise(), KeyTypes{}, make_sort_pairwise, sort_pairwise_bytes,
                  sort_pairwise_kernels),
      formula_only(sort_multiway()),
      formula_only(sort_mms()),
      with_kernel(reduce_tree(), ValueTypes{}, make_reduce_tree, reduction_bytes, reduce_tree_kernels),
      with_kernel(reduce_cascading(), ValueTypes{}, make_reduce_cascading, reduction_bytes,
                  reduce_cascading_kernels),
      with_kernel(reduce_pipeline(), ValueTypes{}, make_reduce_pipeline, reduction_bytes,
                  reduce_pipeline_kernels),
      with_kernel(reduce_matrix(), ValueTypes{}, make_reduce_matrix, reduction_bytes, reduce_matrix_kernels),
      with_kernel(reduce_vector(), ValueTypes{}, make_reduce_vector, reduction_bytes, reduce_vector_kernels),
      with_kernel(scan_naive(), ValueTypes{}, make_scan_naive, scan_naive_bytes, scan_naive_kernels),
      with_kernel(scan_interval(), ValueTypes{}, make_scan_interval, scan_interval_bytes,
                  scan_interval_kernels),
      with_kernel(scan_sequential(), ValueTypes{}, make_scan_sequential, scan_sequential_bytes,
                  scan_sequential_kernels),
      with_kernel(scan_matrix(), ValueTypes{}, make_scan_matrix, scan_matrix_bytes, scan_matrix_kernels),
      with_kernel(scan_lookback(), ValueTypes{}, make_scan_lookback, scan_lookback_bytes,
                  scan_lookback_kernels),
      baseline("cub-merge", "sort", "CUB DeviceMergeSort::SortKeysCopy", KeyTypes{}, cub_merge_driver()),
      baseline("cub-reduce", "reduce", "CUB DeviceReduce::Sum", ValueTypes{}, cub_reduce_driver()),
      baseline("cub-scan", "scan", "CUB DeviceScan::ExclusiveSum", ValueTypes{}, cub_scan_driver()),
  };
  return all;
}

const Algorithm& algorithm(std::string_view slug) {
  std::vector<std::string> slugs;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.slug == slug) return algorithm;
    slugs.push_back(algorithm.slug);
  }
  throw std::invalid_argument("unknown algorithm '" + std::string(slug) + "': did you mean " +
                              nearest(slug, slugs) + "? (fathom algorithms lists them)");
}

const Formula* find_formula(std::string_view slug) {
  for (const Algorithm& algorithm : algorithms())
    if (algorithm.slug == slug && algorithm.formula) return &*algorithm.formula;
  return nullptr;
}

}  // namespace fathom
