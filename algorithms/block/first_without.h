// SPDX-License-Identifier: Apache-2.0
// Binary search for the end of a property.
#pragma once

#include <fathom/device/contract/contract.h>

namespace fathom {

/// The first index in [low, high) without the property, which all before it have; else high.
template <class Integer, class Property>
FATHOM_DEVICE
Integer first_without(Integer low, Integer high, Property has) {
  while (low < high) {
    const Integer middle = (low + high) / 2;
    if (has(middle))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

}  // namespace fathom
