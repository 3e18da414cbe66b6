// SPDX-License-Identifier: Apache-2.0
// Long calls from Python: without the interpreter's lock, and interrupted by Ctrl-C.
#pragma once

#include <fathom/calls/listener.h>

#include <functional>
#include <optional>
#include <utility>

namespace fathom::python {

/// Runs `work` on another thread, to which its listener belongs, while this one waits for signals. Notes
/// become Python warnings. To be called with the interpreter's lock. Throws what `work` throws and, if a
/// signal's handler raised an exception, nb::python_error once `work` has ended.
void run_interruptibly(const std::function<void(const calls::Listener&)>& work);

/// The same for work that returns something.
template <class Work>
auto interruptible(Work work) {
  std::optional<decltype(work(std::declval<const calls::Listener&>()))> result;
  run_interruptibly([&](const calls::Listener& listener) { result.emplace(work(listener)); });
  return *std::move(result);
}

}  // namespace fathom::python
