// SPDX-License-Identifier: Apache-2.0
// A plan prepared on an executor, which a solver runs launch by launch.
#pragma once

#include <fathom/device/executor.h>

namespace fathom {

class PreparedPlan {
 public:
  /// Throws what Executor::prepare() throws.
  PreparedPlan(Executor& executor, Plan plan);

  const Plan& plan() const { return plan_; }
  std::size_t size() const { return plan_.size(); }
  const Launch& operator[](std::size_t i) const { return plan_[i]; }

  /// Queues launch i of the plan, once. Throws std::logic_error if its kernel has another type.
  template <class Kernel>
  void launch(std::size_t i, const Kernel& kernel) const {
    launch(i, kernel, plan_.at(i).blocks);
  }
  /// The same with another number of blocks.
  template <class Kernel>
  void launch(std::size_t i, const Kernel& kernel, Index blocks) const {
    check(i, typeid(Kernel));
    executor_->launch(*prepared_[i], blocks, kernel);
  }

  const KernelResources& resources(std::size_t i) const { return prepared_[i]->resources; }
  std::vector<KernelResources> resources() const;  ///< of each kernel once, in the order of the plan

 private:
  void check(std::size_t i, const std::type_info& type) const;

  Executor* executor_;
  Plan plan_;
  std::vector<std::shared_ptr<const PreparedKernel>> prepared_;
};

}  // namespace fathom
