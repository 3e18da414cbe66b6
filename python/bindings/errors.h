// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace fathom::python {

/// From here on exceptions of the library become those of fathom._errors, with one line of text as the
/// command prints it: ValueError for bad arguments, fathom.Error for the rest.
void translate_exceptions();

/// The text of the library with its options as Python's arguments: "choose `law=published`" → "choose
/// law='published'".
std::string with_arguments(std::string_view text);
/// The same on one line.
std::string as_written(std::string_view text);

}  // namespace fathom::python
