// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>

namespace fathom::tests {

/// The message of the exception that a call throws; "" for none. Others than `Exception` pass.
template <class Exception = std::exception, class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const Exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace fathom::tests
