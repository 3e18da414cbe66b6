// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../support/error_of.h"

#include <fathom/model/constants.h>
#include <fathom/store/profile.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

/// The message of the FormatError that a function throws, or "no error".
template <class Parse>
std::string format_error_of(Parse parse) {
  const std::string error = fathom::tests::error_of<fathom::FormatError>(parse);
  return error.empty() ? "no error" : error;
}

/// `text` with the first `from`, which it must contain, replaced.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto position = text.find(from);
  REQUIRE(position != std::string::npos);
  return text.replace(position, from.size(), to);
}

/// The constants in the order of their rows.
inline std::vector<std::optional<double>> constants_of(const fathom::Machine<double>& machine) {
  std::vector<std::optional<double>> values;
  fathom::for_each_constant(machine, [&](std::string_view, const auto& value) { values.push_back(value); });
  return values;
}
