// SPDX-License-Identifier: Apache-2.0
// Arrays on a GPU, of CuPy, PyTorch, JAX, Numba and others that have __cuda_array_interface__ or speak
// DLPack. Read here and not in Python, where that took longer than a short sort.
#pragma once

#include <fathom/core/element_type.h>
#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fathom::python {

/// The array has one dimension and no gaps.
struct GpuArray {
  std::string name;  ///< of the argument
  std::uintptr_t address;
  std::size_t n;
  ElementType type;  ///< of 4 or 8 bytes
  bool is_read_only;
  std::optional<std::uintptr_t> stream;  ///< that the array asks for
};

/// Throws nanobind::type_error for what is no such array and std::invalid_argument for an array that has
/// gaps or more dimensions: both name the argument.
GpuArray gpu_array(const char* name, nanobind::handle array);

/// Memory of an array with elements of any type.
struct GpuMemory {
  std::uintptr_t address;
  std::size_t bytes;
};

/// Throws what gpu_array() throws, and std::invalid_argument for an array that is read-only.
GpuMemory gpu_memory(const char* name, nanobind::handle array);

/// Throws std::invalid_argument for an array that is read-only; the message ends with the way out.
void require_writable(const GpuArray& array, std::string_view way_out);

/// Throws std::invalid_argument unless it has as many elements of this type.
void require(const GpuArray& array, std::size_t n, ElementType type);

/// The stream of the call, `asked`, unless that is None; else that of the arrays, else CUDA's default stream.
/// Throws nanobind::type_error for what is no stream of CuPy or PyTorch and no number.
std::uintptr_t stream_of(nanobind::handle asked, const GpuArray& input, const GpuArray& output);

}  // namespace fathom::python
