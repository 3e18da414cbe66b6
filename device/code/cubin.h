// SPDX-License-Identifier: Apache-2.0
// Resources of a compiled kernel, read from its machine code: no GPU is needed.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fathom {

struct KernelCode {
  int registers = 0;           ///< per thread
  int local_bytes = 0;         ///< per thread: the stack frame, which holds spilled registers
  std::size_t code_bytes = 0;  ///< instructions, and the padding after them
};

/// Reads a cubin with one kernel, as NVRTC produces it (64-bit ELF; attributes in section .nv.info). Throws
/// std::invalid_argument, saying what is wrong, for anything else.
KernelCode read_cubin(std::span<const char> cubin);

/// A kernel of a file with several, as nvcc makes them.
struct CubinKernel {
  std::string symbol;     ///< mangled
  std::size_t index = 0;  ///< of the symbol in its table
  KernelCode code;
  double shared_bytes = 0;          ///< static ones of a block
  std::optional<int> most_threads;  ///< of a block, that the kernel was compiled for
};

/// The kernels of a cubin in the order of its symbols, at least one. Throws std::invalid_argument, saying
/// what is wrong and for what can be told to be something else (a host's program, PTX, a fat binary) which
/// program makes a cubin of it.
std::vector<CubinKernel> kernels_of(std::span<const char> file);

/// As in the source, "void scale<float>(float*, int)"; other names, as of extern "C", stay what they are.
std::string demangled(const std::string& symbol);
/// The same without results, parameters and arguments of templates: "scale".
std::string short_name(const std::string& symbol);

}  // namespace fathom
