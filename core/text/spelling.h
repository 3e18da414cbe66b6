// SPDX-License-Identifier: Apache-2.0
// Options in messages. The library does not know how its user writes an option, so a message names it
// neutrally in backticks, `law=published` or `stable=true`, and each interface spells that in its own way:
// --law published, --stable.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace fathom {

/// Spells one option; its name is of small letters and '_', and its value may be empty.
using Speller = std::function<std::string(std::string_view option, std::string_view value)>;

/// The text with every option spelled. Other text in backticks stays.
std::string spelled(std::string_view text, const Speller& speller);

}  // namespace fathom
