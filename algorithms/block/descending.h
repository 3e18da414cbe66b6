// SPDX-License-Identifier: Apache-2.0
// Keys for sorts in descending order by kernels that sort by bits.
#pragma once

#include <fathom/algorithms/block/records.h>

namespace fathom {

/// A key that comes before those that are less. Kernels see of it ordered_bits() alone (digits.h), which are
/// the complement of the key's own.
template <class Key>
struct Descending {
  Key key;
};

template <class Element>
struct DescendingElement {
  using type = Descending<Element>;
};
template <class Key, class Value>
struct DescendingElement<Record<Key, Value>> {
  using type = Record<Descending<Key>, Value>;
};

}  // namespace fathom
