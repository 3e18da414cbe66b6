// SPDX-License-Identifier: Apache-2.0
// Progress of long work, and its cancellation.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace fathom {

/// Called during long operations, several times per second: what is being done, and how much of it (done of
/// total). May throw to cancel, as check_interruption() does between the calls. May run on a small stack (64
/// KiB).
using Progress = std::function<void(std::string_view what, std::size_t done, std::size_t total)>;

}  // namespace fathom
