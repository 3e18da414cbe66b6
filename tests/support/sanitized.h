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

/// Every case, or under sanitizers the first and the last: of cases that take the same code on different
/// data.
template <class Case>
std::vector<Case> two_if_sanitized(std::vector<Case> cases) {
  if (!sanitized || cases.size() < 3) return cases;
  return {cases.front(), cases.back()};
}

}  // namespace fathom::tests
