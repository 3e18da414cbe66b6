// SPDX-License-Identifier: Apache-2.0
// Digests of text, for names of cache entries and for choices that depend on nothing but text.
#pragma once

#include <cstdint>
#include <string_view>

namespace fathom {

/// FNV-1a with 64 bits. `hash` is the digest of the text before, or a basis of one's own for a further
/// digest.
constexpr std::uint64_t digest(std::string_view text, std::uint64_t hash = 0xcbf29ce484222325ull) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return hash;
}
/// The basis of a second digest of the same text: together they have 128 bits.
inline constexpr std::uint64_t second_digest = 0x9e3779b97f4a7c15ull;

}  // namespace fathom
