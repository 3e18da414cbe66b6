// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/text/escape.h>

#include <fmt/format.h>

#include <algorithm>
#include <boost/locale/utf.hpp>

namespace fathom {
namespace {

using Utf8 = boost::locale::utf::utf_traits<char>;
using boost::locale::utf::code_point;

bool is_shown(code_point c) {
  if (c >= 0x20 && c < 0x7f) return true;  // most text, without a look at the ranges
  struct Range {
    code_point first, last;
  };
  constexpr Range hidden[] = {{0x00, 0x1f},     {0x7f, 0x9f},     {0x61c, 0x61c},
                              {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},
                              {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe0fff}};
  return (c & 0xfffe) != 0xfffe &&
         std::none_of(std::begin(hidden), std::end(hidden),
                      [&](const Range& range) { return c >= range.first && c <= range.last; });
}

std::string visible(code_point c) {
  if (c < 0x80) return fmt::format("\\x{:02x}", c);
  return c < 0x10000 ? fmt::format("\\u{:04x}", c) : fmt::format("\\U{:08x}", c);
}

/// The text with what cannot be shown made visible, and every other character as `escaped` gives it: its
/// replacement, or an empty view for the character itself. Newlines are always passed to `escaped`.
template <class Escaped>
std::string shown(std::string_view text, Escaped escaped) {
  std::string out;
  out.reserve(text.size());
  const auto add = [&](std::string_view character) {
    const std::string_view replacement = escaped(character);
    out += replacement.empty() ? character : replacement;
  };
  for (const char *at = text.data(), *end = at + text.size(); at != end;) {
    const char* next = at;
    const code_point c = Utf8::decode(next, end);
    const bool valid = c != boost::locale::utf::illegal && c != boost::locale::utf::incomplete;
    if (!valid) next = at + 1;
    if (valid && (c == '\n' || is_shown(c))) {
      add({at, next});
    } else {
      const std::string code = valid ? visible(c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(*at));
      for (const char& one : code) add({&one, 1});
    }
    at = next;
  }
  return out;
}

std::string_view newline_escaped(std::string_view character) {
  return character == "\n" ? "\\x0a" : "";
}

std::string_view html_escaped(std::string_view character) {
  switch (character.front()) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return "";
  }
}

std::string_view gnuplot_escaped(std::string_view character) {
  switch (character.front()) {
    case '\'':
      return "{}''{}";  // gnuplot 5.4 misreads two doubled quotes in a row: empty groups keep them apart
    case '\\':
      return "\\\\{}";  // the empty group keeps "\U+003c" from being read as a code point
    case '_':
      return "\\_";
    case '^':
      return "\\^";
    case '{':
      return "\\{";
    case '}':
      return "\\}";
    case '@':
      return "\\@";
    case '&':
      return "\\&";
    case '~':
      return "\\~";
    default:
      return "";
  }
}

bool is_identifier_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
}

}  // namespace

std::string for_terminal(std::string_view text) {
  return shown(text, [](std::string_view) { return std::string_view(); });
}

std::string line_for_terminal(std::string_view text) {
  return shown(text, newline_escaped);
}

std::string for_html(std::string_view text) {
  return shown(text, html_escaped);
}

std::string for_json_on_terminal(std::string json) {
  const auto is_control = [&](std::size_t at) {
    return json[at] == '\x7f' ||
           (json[at] == '\xc2' && at + 1 < json.size() && (json[at + 1] & 0xe0) == 0x80);
  };
  std::string out;
  std::size_t kept = 0;
  for (std::size_t at = 0; at < json.size(); ++at) {
    if (!is_control(at)) continue;
    const bool del = json[at] == '\x7f';
    out.append(json, kept, at - kept);
    out += fmt::format("\\u{:04x}", static_cast<unsigned char>(del ? '\x7f' : json[at + 1]));
    at += del ? 0 : 1;
    kept = at + 1;
  }
  if (kept == 0) return json;
  return out.append(json, kept);
}

std::string for_gnuplot(std::string_view text) {
  return shown(line_for_terminal(text), gnuplot_escaped);
}

std::string identifier(std::string_view text) {
  constexpr std::size_t longest = 100, kept = 80;
  if (!text.empty() && text.size() <= longest &&
      std::all_of(text.begin(), text.end(), is_identifier_character))
    return std::string(text);
  std::string name(text.substr(0, kept));
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !is_identifier_character(c); }, '-');
  return fmt::format("{}-{:016x}", name, std::hash<std::string_view>{}(text));
}

}  // namespace fathom
