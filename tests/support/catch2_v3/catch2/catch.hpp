// SPDX-License-Identifier: Apache-2.0
// What tests include of Catch2 version 2, for where version 3 is installed: its headers, and the older names.
#pragma once

#include <catch2/catch_approx.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/catch_tostring.hpp>
#include <catch2/generators/catch_generators_all.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>

using Catch::Approx;

namespace Catch {
namespace Matchers {
inline auto Contains(const std::string& text) {
  return ContainsSubstring(text);
}
}  // namespace Matchers
using Matchers::Contains, Matchers::EndsWith, Matchers::Matches, Matchers::StartsWith;
}  // namespace Catch
