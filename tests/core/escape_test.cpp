// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/text/escape.h>

#include <catch2/catch.hpp>
#include <set>

using namespace fathom;
using Catch::Matchers::Contains;

namespace {

/// Every byte, and every pair of bytes of which the first begins no ASCII character.
std::vector<std::string> short_texts() {
  std::vector<std::string> texts;
  for (int first = 0; first < 256; ++first) {
    texts.push_back({char(first)});
    if (first >= 0x80)
      for (int second = 0; second < 256; ++second) texts.push_back({char(first), char(second)});
  }
  return texts;
}

bool has_control(const std::string& text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return (c >= 0 && c < 0x20) || c == 0x7f; }) ||
         std::any_of(text.begin(), text.end(), [&](const char& c) {
           return c == '\xc2' &&
                  (&c + 1 == text.data() + text.size() || static_cast<unsigned char>(*(&c + 1)) < 0xa0);
         });
}

}  // namespace

TEST_CASE("printable text passes to the terminal as it is") {
  for (const char* text :
       {"", "sort-pairwise (E = 15)", "1.00 µs ± 0.1·10^9", "β ≥ X·I", "漢字 é 🙂", "a\\x1b"})
    CHECK(line_for_terminal(text) == text);
  CHECK(for_terminal("two\nlines") == "two\nlines");
}

TEST_CASE("what a terminal would act on becomes visible") {
  CHECK(for_terminal("\x1b[31mred\x1b[0m") == "\\x1b[31mred\\x1b[0m");
  CHECK(for_terminal("\x1b]52;c;aGk=\a") == "\\x1b]52;c;aGk=\\x07");
  CHECK(for_terminal("over\rwritten\b\t\x7f") == "over\\x0dwritten\\x08\\x09\\x7f");
  CHECK(for_terminal(std::string_view("a\0b", 3)) == "a\\x00b");
  CHECK(for_terminal("\xc2\x9b"
                     "2J") == "\\u009b2J");  // C1 as UTF-8
  CHECK(for_terminal("\x9b"
                     "2J") == "\\x9b2J");  // C1 as a byte
  CHECK(for_terminal("abc\u202exyz\u2066\u200f\u2028") == "abc\\u202exyz\\u2066\\u200f\\u2028");
  CHECK(for_terminal("a\u200bb\ufeff\U000e0041") == "a\\u200bb\\ufeff\\U000e0041");
  CHECK(line_for_terminal("two\nlines") == "two\\x0alines");
}

TEST_CASE("bytes that are not UTF-8 become visible, and the characters after them remain") {
  CHECK(for_terminal("\xff\xfe"
                     "a") == "\\xff\\xfea");
  CHECK(for_terminal("µ\xc2") == "µ\\xc2");                           // cut off
  CHECK(for_terminal("\xe2\x82µ") == "\\xe2\\x82µ");                  // cut off by another character
  CHECK(for_terminal("\xc0\xaf") == "\\xc0\\xaf");                    // overlong '/'
  CHECK(for_terminal("\xed\xa0\x80") == "\\xed\\xa0\\x80");           // a surrogate
  CHECK(for_terminal("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");  // above U+10FFFF
}

TEST_CASE("no bytes lead to a control character in escaped text, and escaping twice changes nothing") {
  for (const std::string& text : short_texts()) {
    const std::string line = line_for_terminal(text);
    if (has_control(line) || line_for_terminal(line) != line) FAIL(line);
    if (text.back() != '\n' && (for_terminal(text) != line || has_control(for_html(text)))) FAIL(line);
    if (has_control(for_gnuplot(text))) FAIL(line);
  }
}

TEST_CASE("markup is text in HTML, in content and in quoted attributes") {
  CHECK(for_html("<img src=x onerror=alert(1)>") == "&lt;img src=x onerror=alert(1)&gt;");
  CHECK(for_html("\"><svg onload='x'>&amp;") == "&quot;&gt;&lt;svg onload=&#39;x&#39;&gt;&amp;amp;");
  CHECK(for_html("a\nb\x1b\u202e\xff\uffff") == "a\nb\\x1b\\u202e\\xff\\uffff");
}

TEST_CASE("gnuplot's markup and quotes are text") {
  CHECK(for_gnuplot("'; system \"touch x\"") == "{}''{}; system \"touch x\"");
  CHECK(for_gnuplot("a_b^c{d}@e&f~g") == "a\\_b\\^c\\{d\\}\\@e\\&f\\~g");
  CHECK(for_gnuplot("\\U+003c") == "\\\\{}U+003c");
  CHECK(for_gnuplot("a\nb\x1b") == "a\\\\{}x0ab\\\\{}x1b");
}

TEST_CASE("identifiers: unchanged if they are one, else safe, short and different") {
  CHECK(identifier("throughput-sort-pairwise-u32") == "throughput-sort-pairwise-u32");
  std::set<std::string> names;
  const std::string zero("a\0b", 3), longest(101, 'a'), longer(102, 'a');
  const std::string texts[] = {
      "",      "a/b",  "a_b", "a b",      "a\"b", "../../x", "<img src=x onerror=alert(1)>", zero, "é", "è",
      longest, longer, "a-b", "\x1b[31m", "\xff", "-o"};
  for (const std::string& text : texts) {
    const std::string name = identifier(text);
    INFO(name);
    CHECK(name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") ==
          name.npos);
    CHECK((name.size() > 0 && name.size() <= 100));
    CHECK(identifier(name) == name);
    names.insert(name);
  }
  CHECK(names.size() == std::size(texts));
}

TEST_CASE("JSON holds no character that a terminal obeys, and means the same") {
  CHECK(for_json_on_terminal("{\"a\": \"b\x7f"
                             "c\u009b2J\u0080\"}") == "{\"a\": \"b\\u007fc\\u009b2J\\u0080\"}");
  CHECK(for_json_on_terminal("é \u00a0 β\xc2") == "é \u00a0 β\xc2");
  CHECK(for_json_on_terminal("") == "");
}
