// Runs another program on data in memory.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fathom {

struct ProgramResult {
  int status = 0;      ///< as waitpid() gives it
  std::string output;  ///< its standard output
};

/// Runs a program, found in PATH unless its name has a slash, with `input` as its standard input: a file in
/// memory, which has no name in any folder and which the program can also open as /dev/stdin. Its standard
/// error is discarded. It does not inherit how the caller treats signals, and has its own process group:
/// Ctrl-C interrupts only this process, which decides what to keep.
///
/// Throws std::system_error if it cannot be started: with ENOENT or EACCES if there is no such program.
ProgramResult run_program(std::vector<std::string> arguments, std::string_view input);

}  // namespace fathom
