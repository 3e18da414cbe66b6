// SPDX-License-Identifier: Apache-2.0
// Memory for the elements of a sort.
#pragma once

#include <fathom/algorithms/block/records.h>
#include <fathom/device/executor.h>

namespace fathom {

/// An array of keys, or one of keys and one of values, on an executor's device.
template <class Element>
class DeviceList {
 public:
  DeviceList(Executor& executor, std::size_t count) : elements_(executor, count) {}

  Span<Element> list() const { return elements_.span(); }
  /// Queued; each byte of the memory becomes `byte`.
  void fill(Executor& executor, unsigned char byte) {
    executor.fill(elements_.data(), byte, elements_.bytes());
  }

 private:
  DeviceArray<Element> elements_;
};
template <class Key, class Value>
class DeviceList<Record<Key, Value>> {
 public:
  DeviceList(Executor& executor, std::size_t count) : keys_(executor, count), values_(executor, count) {}

  SplitSpan<Key, Value> list() const { return {keys_.span(), values_.span()}; }
  void fill(Executor& executor, unsigned char byte) {
    executor.fill(keys_.data(), byte, keys_.bytes());
    executor.fill(values_.data(), byte, values_.bytes());
  }

 private:
  DeviceArray<Key> keys_;
  DeviceArray<Value> values_;
};

}  // namespace fathom
