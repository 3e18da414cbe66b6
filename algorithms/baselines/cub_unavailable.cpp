// SPDX-License-Identifier: Apache-2.0
// Replaces cub.cpp and cub_gpus.cpp in a build without the CUDA toolkit, which contains CUB: the baselines
// are listed but cannot run.
#include <fathom/algorithms/baselines/cub_descriptors.h>
#include <fathom/algorithms/gpus/registry.h>
#include <fathom/algorithms/registry.h>

namespace fathom {

Algorithm cub_merge() {
  return {cub_merge_descriptor()};
}
Algorithm cub_radix() {
  return {cub_radix_descriptor()};
}
Algorithm cub_segmented_sort() {
  return {cub_segmented_sort_descriptor()};
}
Algorithm cub_segmented_radix() {
  return {cub_segmented_radix_descriptor()};
}
Algorithm cub_scan() {
  return {cub_scan_descriptor()};
}
Algorithm cub_reduce() {
  return {cub_reduce_descriptor()};
}
GroupAlgorithm cub_sort_gpus() {
  return {cub_sort_gpus_descriptor()};
}

}  // namespace fathom
