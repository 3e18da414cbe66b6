// SPDX-License-Identifier: Apache-2.0
// An algorithm for several GPUs, on arrays that are spread over them.
#pragma once

#include <fathom/algorithms/call.h>
#include <fathom/device/group/communicator.h>

namespace fathom {

/// One rank's part of an array that is spread over all ranks, in their order. The memory belongs to the call
/// and is valid until that runs again.
struct OwnPart {
  void* keys = nullptr;
  void* values = nullptr;
  Index count = 0;
};

/// All elements of a list.
template <class Element>
OwnPart own_part(ListOf<Element> list) {
  const OutputArrays of = detail::output_arrays<Element>(list);
  return {of.keys, of.values, Index(keys_of(list).count)};
}

/// One rank's side of an algorithm, ready for this rank's elements.
class GroupCall {
 public:
  virtual ~GroupCall() = default;
  /// Every rank calls it, with its part of the input. A reduction's result is the same element on all ranks,
  /// a scan's is spread as its input is, and how a sort's is spread depends on the keys. Throws
  /// ExchangeFailure, OutOfDeviceMemory, KernelFailure.
  virtual OwnPart run(const InputArrays& input) = 0;
};

/// Every rank makes its side, for a problem that Descriptor::check() accepts, with complete parameters, whose
/// n is the number of this rank's elements; it may be 0. All else is the same on all ranks. They exchange
/// these numbers. Throws like GroupCall::run().
using MakeGroupCall = std::function<std::unique_ptr<GroupCall>(Communicator&, const Problem&)>;

}  // namespace fathom
