// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/baseline_of.h>

namespace fathom {

std::string_view baseline_of(const Descriptor& algorithm) {
  if (algorithm.baseline) return {};
  switch (algorithm.kind) {
    case Kind::reduce:
      return "cub-reduce";
    case Kind::scan:
      return "cub-scan";
    case Kind::segmented_sort:
      return "cub-segmented-sort";
    case Kind::other:
      return {};
    case Kind::sort:
      break;
  }
  const bool by_digits = algorithm.group == "sort/radix" || algorithm.group == "sort/distribution";
  return by_digits ? "cub-radix" : "cub-merge";
}

}  // namespace fathom
