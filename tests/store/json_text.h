#pragma once

#include <fathom/store/profile.h>

#include <catch2/catch.hpp>
#include <string>

/// The message of the FormatError that a function throws, or "no error".
template <class Parse>
std::string format_error_of(Parse parse) {
  try {
    parse();
  } catch (const fathom::FormatError& error) {
    return error.what();
  }
  return "no error";
}

/// `text` with the first `from`, which it must contain, replaced.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto position = text.find(from);
  REQUIRE(position != std::string::npos);
  return text.replace(position, from.size(), to);
}
