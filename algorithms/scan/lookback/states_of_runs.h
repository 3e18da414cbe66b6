// SPDX-License-Identifier: Apache-2.0
// The work space of a single-pass scan: the states of its tiles, from run to run.
#pragma once

#include <fathom/algorithms/scan/lookback/tile_states.h>
#include <fathom/device/executor.h>

namespace fathom {

/// The states of `tiles` tiles and the number of the run. The states carry that number, so that a run ignores
/// what earlier runs have left, and no launch has to clear them until the numbers are used up.
template <class T>
class StatesOfRuns {
 public:
  StatesOfRuns(Executor& executor, Index tiles)
      : executor_(&executor),
        tiles_(tiles),
        words_(executor, std::size_t(tiles * TileStates<T>::words_of_a_value)) {
    clear();
  }

  /// Begins the next run.
  TileStates<T> next() {
    if (run_ == TileStates<T>::last_run) {
      clear();
      run_ = 0;
    }
    return {words_.span(), int(tiles_), ++run_};
  }

 private:
  void clear() { executor_->fill(words_.data(), 0, words_.bytes()); }

  Executor* executor_;
  Index tiles_;
  DeviceArray<StateWord> words_;
  u32 run_ = 0;
};

}  // namespace fathom
