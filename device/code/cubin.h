// What a compiled kernel says of itself, read from its machine code: no GPU is needed.
#pragma once

#include <cstddef>
#include <span>

namespace fathom {

struct KernelCode {
  int registers = 0;           ///< per thread
  int local_bytes = 0;         ///< per thread: the stack frame, where registers spill to
  std::size_t code_bytes = 0;  ///< instructions, and what fills up the last of them
};

/// Of a cubin with one kernel, as NVRTC makes it (ELF, 64 bits; attributes of section .nv.info). Throws
/// std::invalid_argument, saying what is missing, for anything else.
KernelCode read_cubin(std::span<const char> cubin);

}  // namespace fathom
