// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/lists.h>
#include <fathom/core/text/nearest.h>

#include <algorithm>
#include <stdexcept>

namespace fathom {

Algorithm sort_bitonic();
Algorithm sort_warp();
Algorithm sort_pairwise();
Algorithm sort_conflict_free();
Algorithm sort_kway();
Algorithm sort_multiway();
Algorithm sort_multiway_separators();
Algorithm sort_mms();
Algorithm sort_mms_shuffles();
Algorithm radix_single();
Algorithm radix_onesweep();
Algorithm radix_msd();
Algorithm radix_msd_recursive();
Algorithm radix_lsd();
Algorithm radix_tiled();
Algorithm sort_splitter();
Algorithm sort_splitter_deterministic();
Algorithm sort_segments();
Algorithm reduce_halving();
Algorithm reduce_tree();
Algorithm reduce_cascading();
Algorithm reduce_pipeline();
Algorithm reduce_matrix();
Algorithm reduce_vector();
Algorithm scan_naive();
Algorithm scan_interval();
Algorithm scan_sequential();
Algorithm scan_matrix();
Algorithm scan_lookback();
Algorithm scan_stream();
Algorithm cub_merge();
Algorithm cub_radix();
Algorithm cub_segmented_sort();
Algorithm cub_segmented_radix();
Algorithm cub_reduce();
Algorithm cub_scan();

namespace {

std::deque<Algorithm>& registered() {
  static std::deque<Algorithm> all{
      sort_bitonic(),
      sort_warp(),
      sort_pairwise(),
      sort_conflict_free(),
      sort_kway(),
      sort_multiway(),
      sort_multiway_separators(),
      sort_mms(),
      sort_mms_shuffles(),
      sort_splitter(),
      sort_splitter_deterministic(),
      radix_lsd(),
      radix_tiled(),
      radix_single(),
      radix_onesweep(),
      radix_msd(),
      radix_msd_recursive(),
      sort_segments(),
      reduce_halving(),
      reduce_tree(),
      reduce_cascading(),
      reduce_pipeline(),
      reduce_matrix(),
      reduce_vector(),
      scan_naive(),
      scan_interval(),
      scan_sequential(),
      scan_matrix(),
      scan_lookback(),
      scan_stream(),
      cub_merge(),
      cub_radix(),
      cub_segmented_sort(),
      cub_segmented_radix(),
      cub_reduce(),
      cub_scan(),
  };
  return all;
}

}  // namespace

const std::deque<Algorithm>& algorithms() {
  return registered();
}

void add_algorithm(Algorithm algorithm) {
  if (find_in_all_lists(algorithm.slug))
    throw std::invalid_argument("the slug '" + algorithm.slug + "' is already taken: choose another slug");
  registered().push_back(std::move(algorithm));
}

const Algorithm& algorithm(std::string_view slug) {
  for (const Algorithm& algorithm : algorithms())
    if (algorithm.slug == slug) return algorithm;
  std::vector<std::string> slugs;
  for (const AnyAlgorithm& algorithm : all_algorithms()) slugs.push_back(descriptor(algorithm).slug);
  throw std::invalid_argument("unknown algorithm '" + std::string(slug) + "'" + did_you_mean(slug, slugs) +
                              " (fathom algorithms lists them)");
}

const Descriptor* find_descriptor(std::string_view slug) {
  for (const Algorithm& algorithm : algorithms())
    if (algorithm.slug == slug) return &algorithm;
  return nullptr;
}

}  // namespace fathom
