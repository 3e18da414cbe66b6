// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/text/spelling.h>

#include <catch2/catch.hpp>

using namespace fathom;

TEST_CASE("options in messages are spelled, and other text stays") {
  const Speller speller = [](std::string_view option, std::string_view value) {
    return "<" + std::string(option) + "|" + std::string(value) + ">";
  };
  CHECK(spelled("choose `law=published`, or omit `what_if`", speller) ==
        "choose <law|published>, or omit <what_if|>");
  CHECK(spelled("`law=a=b`", speller) == "<law|a=b>");
  for (const char* text : {"", "plain", "one ` only", "``", "`Two words`", "`=x`", "`law", "`2^16`"})
    CHECK(spelled(text, speller) == text);
  CHECK(spelled("a `B` and `law`", speller) == "a `B` and <law|>");
}
