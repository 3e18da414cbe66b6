// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/text/spelling.h>

#include <algorithm>

namespace fathom {
namespace {

bool is_option(std::string_view name) {
  return !name.empty() &&
         std::ranges::all_of(name, [](char c) { return c == '_' || ('a' <= c && c <= 'z'); });
}

}  // namespace

std::string spelled(std::string_view text, const Speller& speller) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = std::min(text.find('`', at), text.size());
    out += text.substr(at, begin - at);
    const std::size_t end = text.find('`', begin + 1);
    if (end == text.npos) return out.append(text.substr(begin));
    const std::string_view inside = text.substr(begin + 1, end - begin - 1);
    const std::size_t equals = std::min(inside.find('='), inside.size());
    const std::string_view option = inside.substr(0, equals);
    if (is_option(option)) {
      out += speller(option, inside.substr(std::min(equals + 1, inside.size())));
      at = end + 1;
    } else {
      out += '`';
      at = begin + 1;
    }
  }
  return out;
}

}  // namespace fathom
