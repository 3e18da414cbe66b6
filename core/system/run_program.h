// SPDX-License-Identifier: Apache-2.0
// Runs another program on data in memory.
#pragma once

#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

/// A program is ended if it takes more than this, some ten times what those that Fathom runs do.
struct ProgramLimits {
  std::chrono::milliseconds time{60'000};
  std::size_t output_bytes = std::size_t(256) << 20;
  std::size_t memory_bytes = std::size_t(4) << 30;  ///< address space of each of its processes
};

/// A program took more time, or wrote more, than it may; the text names it and the limit.
struct ProgramLimitExceeded : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct ProgramResult {
  int status = 0;      ///< as waitpid() gives it
  std::string output;  ///< its standard output
};

/// Runs a program, found in PATH unless its name has a slash, with `input` as its standard input: a file in
/// memory, which has no name in any folder and which the program can also open as /dev/stdin. Its standard
/// error is discarded. It does not inherit how the caller treats signals, and has its own process group:
/// Ctrl-C interrupts only this process, which decides what to keep. The whole group ends when the program
/// ends, when this function throws, and when this process ends, in whatever way.
///
/// Throws std::system_error if it cannot be started: with ENOENT or EACCES if there is no such program.
/// Throws ProgramLimitExceeded, and what check_interruption() throws, some hundredths of a second later.
ProgramResult run_program(std::vector<std::string> arguments, std::string_view input,
                          const ProgramLimits& limits = {});

}  // namespace fathom
