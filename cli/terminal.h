// SPDX-License-Identifier: Apache-2.0
// Long work on a terminal: progress and interruption.
#pragma once

#include <fathom/calls/listener.h>

#include <string>
#include <string_view>

namespace fathom::cli {

/// The user pressed Ctrl-C, closed the terminal, or ended the process with SIGTERM.
using fathom::Interrupted;

/// To be called before any thread is started. From here on check_interrupted() throws after the first SIGINT,
/// SIGTERM or SIGHUP, and the second one ends the process. SIGPIPE and SIGXFSZ are ignored: the write that
/// caused them fails instead.
void catch_signals();
void check_interrupted();  ///< throws Interrupted

/// Shows one line on stderr (progress_text.h), cut to the terminal's width, overwritten each time and cleared
/// when `done` reaches `total`; where stderr is no terminal, a line of its own after two seconds and then
/// every ten. Throws Interrupted as
/// check_interrupted() does. May be called thousands of times per second.
Progress progress_on_terminal();
/// Clears the line that progress left: before anything else is written to stderr.
void clear_progress();

/// The text of the library with its options as they are typed: "choose `law=published`" → "choose --law
/// published".
std::string as_typed(std::string_view text);

/// Whole lines that are no part of the answer, on stderr.
void show_on_stderr(std::string_view text);

/// A line on stderr that is not an error: "fathom: note: …", escaped for the terminal.
void note(std::string_view text);

/// Progress and notes as above.
calls::Listener on_terminal();

}  // namespace fathom::cli
