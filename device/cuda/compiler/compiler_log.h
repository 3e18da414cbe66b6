// SPDX-License-Identifier: Apache-2.0
// What the run-time compiler says of a program that it refuses.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fathom {

/// The names of the __global__ functions of CUDA C++, in their order.
std::vector<std::string> kernels_of_source(std::string_view text);

/// In one line why the kernel `expression` of CUDA C++ is not compiled: the compiler's first error, with its
/// place; or, if the source does compile, what is wrong with the kernel's name. `log` is the compiler's.
std::string why_not_compiled(const std::string& expression, std::string_view text, std::string_view log);

}  // namespace fathom
