// SPDX-License-Identifier: Apache-2.0
// Text from files, arguments and other programs, made safe for the place where it is shown. This is the only
// place where text is escaped.
//
// Where characters cannot be shown, they become visible text: control characters (C0, DEL, C1), invisible
// characters that change the order or the breaks of the text around them (Unicode's bidirectional and line
// controls, zero-width characters, tags), noncharacters, and bytes that are not UTF-8. A code point becomes
// \x1b, \u202e or \U000e0041, an invalid byte \xff. Everything else remains as it is.
#pragma once

#include <string>
#include <string_view>

namespace fathom {

/// Text for a terminal: only newlines are kept. Escaping twice changes nothing, in this function and the
/// next.
std::string for_terminal(std::string_view text);
/// The same for one line, such as a table's cell or an error: newlines become `\x0a`.
std::string line_for_terminal(std::string_view text);

/// Content of an element or a quoted attribute, in HTML and XML. Newlines are kept.
std::string for_html(std::string_view text);

/// JSON text in which DEL and C1, which JSON allows in strings as they are, are escaped: a terminal obeys
/// them.
std::string for_json_on_terminal(std::string json);

/// The inside of a single-quoted gnuplot string in enhanced mode. A newline becomes `\x0a`: it would end the
/// command.
std::string for_gnuplot(std::string_view text);

/// A name of letters, digits and '-', at most 100 of them, for files and for ids in HTML and SVG. Text of
/// this form is returned unchanged. Any other text gets a hash of the whole at its end, so that different
/// texts have different names.
std::string identifier(std::string_view text);

}  // namespace fathom
