// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fathom/core/interruption.h>
#include <fathom/core/progress.h>

#include <functional>
#include <string_view>

namespace fathom::calls {

/// Whom a call tells what it does. Neither function may be empty.
struct Listener {
  Progress progress;  ///< throws Interrupted to cancel
  /// One line that is not an error, such as a profile that is skipped. May be called on any thread.
  std::function<void(std::string_view)> note;
};

}  // namespace fathom::calls
