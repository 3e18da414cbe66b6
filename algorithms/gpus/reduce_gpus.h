// SPDX-License-Identifier: Apache-2.0
// The sum of an array that is spread over GPUs.
#pragma once

#include <fathom/algorithms/gpus/group_call.h>
#include <fathom/algorithms/registry.h>

namespace fathom {

/// Each rank sums its elements, all get the sums, and each sums these, in the same order: all have the same
/// result, rounded alike.
class ReduceGpus final : public GroupCall {
 public:
  ReduceGpus(Communicator& own, const Problem& problem)
      : own_(&own),
        n_(problem.n),
        bytes_(std::size_t(size_in_bytes(problem.type))),
        of_elements_(n_ > 0 ? make(problem.type, n_) : nullptr),
        of_sums_(make(problem.type, own.size())),
        sum_(own.executor(), bytes_),
        sums_(own.executor(), bytes_ * std::size_t(own.size())),
        total_(own.executor(), bytes_) {}

  OwnPart run(const InputArrays& input) override {
    if (of_elements_)
      of_elements_->run(input, {sum_.data()});
    else
      own_->executor().fill(sum_.data(), 0, bytes_);
    own_->all_gather(sum_.data(), bytes_, sums_.data());
    of_sums_->run({sums_.data()}, {total_.data()});
    return {total_.data(), nullptr, 1};
  }

 private:
  std::unique_ptr<Call> make(ElementType type, double n) const {
    const Algorithm& reduction = algorithm("reduce-vector");
    return reduction.make_call(own_->executor(), reduction.problem(n, type));
  }

  Communicator* own_;
  double n_;
  std::size_t bytes_;  ///< of an element
  std::unique_ptr<Call> of_elements_, of_sums_;
  DeviceArray<std::byte> sum_, sums_, total_;
};

}  // namespace fathom
