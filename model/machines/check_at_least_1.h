// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace fathom {

/// Throws std::invalid_argument, which names `what`, for a value below 1.
inline void check_at_least_1(const char* what, long long value) {
  if (value < 1)
    throw std::invalid_argument(std::string(what) + " is " + std::to_string(value) + ": choose at least 1");
}

}  // namespace fathom
