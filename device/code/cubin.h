// SPDX-License-Identifier: Apache-2.0
// Resources of a compiled kernel, read from its machine code: no GPU is needed.
#pragma once

#include <cstddef>
#include <span>

namespace fathom {

struct KernelCode {
  int registers = 0;           ///< per thread
  int local_bytes = 0;         ///< per thread: the stack frame, which holds spilled registers
  std::size_t code_bytes = 0;  ///< instructions, and the padding after them
};

/// Reads a cubin with one kernel, as NVRTC produces it (64-bit ELF; attributes in section .nv.info). Throws
/// std::invalid_argument, saying what is wrong, for anything else.
KernelCode read_cubin(std::span<const char> cubin);

}  // namespace fathom
