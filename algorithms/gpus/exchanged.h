// SPDX-License-Identifier: Apache-2.0
// Small exchanges whose results the host needs.
#pragma once

#include <fathom/device/group/communicator.h>

namespace fathom {

/// Returns the values of all ranks, which have equally many, one rank's after the other's. It waits for what
/// is queued.
template <class T>
std::vector<T> gathered(Communicator& own, const DeviceArray<T>& values) {
  const DeviceArray<T> of_all(own.executor(), values.size() * std::size_t(own.size()));
  own.all_gather(values.data(), values.bytes(), of_all.data());
  return of_all.download();
}
template <class T>
std::vector<T> gathered(Communicator& own, std::span<const T> values) {
  return gathered(own, DeviceArray<T>(own.executor(), values));
}

}  // namespace fathom
