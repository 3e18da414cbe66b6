// SPDX-License-Identifier: Apache-2.0
// What sanitized builds leave out.
#pragma once

#include <cstddef>
#include <vector>

namespace fathom::tests {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool sanitized = true;
#elif defined(__has_feature)
inline constexpr bool sanitized = __has_feature(address_sanitizer);
#else
inline constexpr bool sanitized = false;
#endif

/// Every case, or under sanitizers, which make them many times slower, every third.
template <class Case>
std::vector<Case> some_if_sanitized(std::vector<Case> cases) {
  if (!sanitized) return cases;
  std::vector<Case> some;
  for (std::size_t i = 0; i < cases.size(); i += 3) some.push_back(cases[i]);
  return some;
}

}  // namespace fathom::tests
