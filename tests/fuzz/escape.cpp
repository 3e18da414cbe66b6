// SPDX-License-Identifier: Apache-2.0
// Escaped text cannot leave the place where it is shown: a line of a terminal, an element or attribute, a
// gnuplot string, a file name.
#include <fathom/core/text/escape.h>

#include <algorithm>

#include "fuzz.h"

using namespace fathom;

namespace {

bool is_control(char c) {
  const auto code = std::uint8_t(c);
  return code < 0x20 || code == 0x7f;
}

bool is_in_identifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
}

}  // namespace

std::vector<std::string> fuzz::large_inputs(std::size_t bytes) {
  std::vector<std::string> inputs;
  for (const char* part :
       {"x", "\x1b[2J", "<b>", "'", "\xe2\x80\xae", "\xf3\xa0\x81\x81", "\xc2", "\r\n", "\\"})
    inputs.push_back(repeated(part, bytes));
  return inputs;
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);

  const std::string shown = for_terminal(text), line = line_for_terminal(text);
  fuzz::expect(std::ranges::none_of(shown, [](char c) { return is_control(c) && c != '\n'; }),
               "a terminal gets no control characters");
  fuzz::expect(std::ranges::none_of(line, is_control), "a line is one line");
  fuzz::expect(for_terminal(shown) == shown && line_for_terminal(line) == line,
               "escaping twice changes nothing");

  fuzz::expect(for_html(text).find_first_of("<>\"") == std::string::npos, "HTML gets no tags and no quotes");
  fuzz::expect(std::ranges::none_of(for_gnuplot(text), is_control), "a gnuplot command is one line");

  const std::string name = identifier(text);
  fuzz::expect(!name.empty() && name.size() <= 100, "an identifier has 1 to 100 characters");
  fuzz::expect(std::ranges::all_of(name, is_in_identifier), "an identifier is letters, digits and '-'");
  fuzz::expect(identifier(name) == name, "an identifier is its own identifier");
  return 0;
}
