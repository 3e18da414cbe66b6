// SPDX-License-Identifier: Apache-2.0
// A solver for a number of elements that each run finds out anew.
#pragma once

#include <fathom/algorithms/gpus/spread.h>
#include <fathom/device/arena_executor.h>
#include <fathom/device/recording_executor.h>

#include <memory>

namespace fathom {

/// Makes solvers, one after the other, in the same memory: to ask the driver for memory takes longer than
/// many a step, and to give it back waits for the GPU.
template <class Solver>
class Remade {
 public:
  explicit Remade(Executor& executor) : executor_(&executor), memory_(executor) {}

  /// `make(executor)` gives a std::unique_ptr of it. It is gone when the next one is made.
  template <class Make>
  Solver& make(Make make) {
    RecordingExecutor recording(executor_->plan_device());
    make(recording);
    const Index bytes = Index(recording.arena_bytes());
    auto arena = std::make_unique<ArenaExecutor>(*executor_, memory_.list(bytes).data, std::size_t(bytes));
    // The one before keeps its kernels loaded until this one has them.
    made_ = make(*arena);
    arena_ = std::move(arena);
    return *made_;
  }

 private:
  Executor* executor_;
  GrowingList<std::byte> memory_;
  std::unique_ptr<ArenaExecutor> arena_;
  std::unique_ptr<Solver> made_;
};

}  // namespace fathom
