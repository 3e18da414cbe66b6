// Replaces cub.cpp in a build without the CUDA toolkit, which contains CUB: the baselines are listed but
// cannot run.
#include <fathom/algorithms/registry.h>

namespace fathom {

Algorithm cub_merge() {
  return {{.slug = "cub-merge",
           .kind = Kind::sort,
           .group = "baselines",
           .source = "CUB DeviceMergeSort::SortKeysCopy",
           .baseline = true}};
}
Algorithm cub_scan() {
  return {{.slug = "cub-scan",
           .kind = Kind::scan,
           .group = "baselines",
           .source = "CUB DeviceScan::ExclusiveSum",
           .baseline = true}};
}
Algorithm cub_reduce() {
  return {{.slug = "cub-reduce",
           .kind = Kind::reduce,
           .group = "baselines",
           .source = "CUB DeviceReduce::Sum",
           .baseline = true}};
}

}  // namespace fathom
