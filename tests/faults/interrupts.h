// SPDX-License-Identifier: Apache-2.0
// How soon everything that works for long ends after an interrupt.
#pragma once

#include "process.h"

namespace fathom::faults {

/// Sends `times` signals to commands and to Python's calls at random moments of their work, and prints how
/// soon each ended. `python`: an interpreter that has the module; empty: its calls are reported as not tried.
/// Returns the number of broken promises: ends after more than a second, other exit statuses than the
/// documented ones, and programs left behind. For a machine that does nothing else.
int time_interrupts(int times, const std::string& python);

/// A file's formula whose parameters have values^3 · 24 choices.
std::string formula_with_choices(int values);

/// The interpreter's arguments for a call such as `fathom.predict(…)`. It prints a line once the module is
/// imported, and exits with 1 after a KeyboardInterrupt in the call.
Arguments python_call(const std::string& python, const std::string& call);

}  // namespace fathom::faults
