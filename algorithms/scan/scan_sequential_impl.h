// Definitions of ScanSequential, for those who instantiate it with a type or operator of their own.
#pragma once

#include <fathom/algorithms/scan/scan_interval_impl.h>
#include <fathom/algorithms/scan/scan_sequential.h>

#include <algorithm>

namespace fathom {

template <class T, class Operator, class Kind>
ScanSequential<T, Operator, Kind>::ScanSequential(Executor& executor, Index n, Index group, int threads)
    : n_(n),
      group_(std::min(group, n)),
      work_(executor, std::size_t(ScanInterval<T, Operator, Kind>::work_elements(group_))),
      carries_(executor, 2),
      whole_(executor, group_, threads, work_.span()),
      rest_(executor, group_ > 0 ? n % group_ : 0, threads, work_.span()) {
  if (group < 1 || group % widest_vector<T> != 0)
    throw std::invalid_argument("scan-sequential: groups of " + std::to_string(group) +
                                " elements are not a multiple of " + std::to_string(widest_vector<T>) +
                                ", the elements of a 16-byte access");
}

template <class T, class Operator, class Kind>
void ScanSequential<T, Operator, Kind>::run(Span<const T> input, Span<T> output) {
  check_arrays("scan-sequential", input, output, n_, sizeof(T), InPlace::allowed);
  Span<T> total{carries_.data(), 1}, next_total{carries_.data() + 1, 1};
  Span<const T> carry{};  // nothing stands before the first group
  for (Index first = 0; first < n_; first += group_) {
    const bool whole = first + group_ <= n_;
    const u64 count = u64(whole ? group_ : n_ - first);
    (whole ? whole_ : rest_).run({input.data + first, count}, {output.data + first, count}, carry, total);
    carry = {total.data, 1};
    std::swap(total, next_total);
  }
}

}  // namespace fathom
