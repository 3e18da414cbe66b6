// Long work on a terminal: progress and interruption.
#pragma once

#include <fathom/device/executor.h>

#include <stdexcept>
#include <string_view>

namespace fathom::cli {

/// The user pressed Ctrl-C.
struct Interrupted : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// From here on the first Ctrl-C only sets interrupted(); the second ends the process.
void catch_interrupts();
bool interrupted();

/// Shows one line on stderr, overwritten each time, if stderr is a terminal; silent otherwise. Throws
/// Interrupted once interrupted(). The line is cleared when `done` reaches `total`.
Progress progress_on_terminal();

/// A line on stderr that is not an error: "fathom: note: …", escaped for the terminal.
void note(std::string_view text);

}  // namespace fathom::cli
