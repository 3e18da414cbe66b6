// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fathom/algorithms/sort/segments/make_segmented_sort.h>

namespace fathom {

/// What is listed of CUB whether or not the build has the CUDA toolkit, which contains it. Without types.
inline Descriptor cub_descriptor(std::string slug, Kind kind, std::string source) {
  return {.slug = std::move(slug),
          .kind = kind,
          .group = "baselines",
          .source = std::move(source),
          .parameters = {{"bits", "bits of the type of n that CUB is called with", {32, 64}, 64},
                         {"newest", "1: the CCCL of the build's FATHOM_CCCL, 0: the toolkit's", {0, 1}, 0}},
          .baseline = true};
}
inline Descriptor cub_merge_descriptor() {
  Descriptor descriptor =
      cub_descriptor("cub-merge", Kind::sort, "CUB DeviceMergeSort::SortKeysCopy, SortPairsCopy");
  descriptor.stable = true;
  return descriptor;
}
inline Descriptor cub_radix_descriptor() {
  Descriptor descriptor = cub_descriptor("cub-radix", Kind::sort, "CUB DeviceRadixSort::SortKeys, SortPairs");
  descriptor.stable = true;
  return descriptor;
}
/// CUB chooses the type of n itself.
inline Descriptor cub_segmented_descriptor(std::string slug, std::string source) {
  Descriptor descriptor = cub_descriptor(std::move(slug), Kind::segmented_sort, std::move(source));
  descriptor.parameters.front() = mean_length();
  descriptor.stable = true;
  return descriptor;
}
inline Descriptor cub_segmented_sort_descriptor() {
  return cub_segmented_descriptor("cub-segmented-sort",
                                  "CUB DeviceSegmentedSort::StableSortKeys, StableSortPairs");
}
inline Descriptor cub_segmented_radix_descriptor() {
  return cub_segmented_descriptor("cub-segmented-radix", "CUB DeviceSegmentedRadixSort::SortKeys, SortPairs");
}
inline Descriptor cub_sort_gpus_descriptor() {
  Descriptor descriptor = cub_descriptor(
      "cub-sort-gpus", Kind::sort, "CUB DeviceRadixSort on each GPU, exchanged once, with CUB DeviceMerge");
  descriptor.stable = true;
  return descriptor;
}
inline Descriptor cub_scan_descriptor() {
  return cub_descriptor("cub-scan", Kind::scan, "CUB DeviceScan::ExclusiveSum");
}
inline Descriptor cub_reduce_descriptor() {
  return cub_descriptor("cub-reduce", Kind::reduce, "CUB DeviceReduce::Sum");
}

}  // namespace fathom
