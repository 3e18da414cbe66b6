// SPDX-License-Identifier: Apache-2.0
// The command line, for programs that add algorithms of their own to it.
#pragma once

namespace fathom::cli {

/// The command `fathom` with the arguments of a program's main(), over the algorithms registered before
/// (add_algorithm() in algorithms/registry.h). Files record the program's own name. Prints the answer, or one
/// line on stderr if there is none, and returns the exit code: 0, 1 for failure, 2 for bad usage. To be
/// called once.
int main(int count, char** values);

}  // namespace fathom::cli
