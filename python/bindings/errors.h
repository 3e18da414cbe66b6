#pragma once

namespace fathom::python {

/// From here on exceptions of the library become those of fathom._errors, with one line of text as the
/// command prints it: ValueError for bad arguments, fathom.Error for the rest.
void translate_exceptions();

}  // namespace fathom::python
