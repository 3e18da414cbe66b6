// SPDX-License-Identifier: Apache-2.0
// A kernel without its type: how to compile it, and how to run it on the CPU.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <typeinfo>

namespace fathom {

class Block;  // of the counting executor: device/contract/counting_block.h

struct HeaderText {
  std::string_view name;  ///< as in an include: `"fathom/algorithms/block/merge_path.h"`
  std::string_view text;
};

/// A kernel struct, or a plain __global__ function, as run-time compilation names it.
struct KernelSource {
  std::string header;      ///< "fathom/algorithms/sort/merge/pairwise/block_sort.h"
  std::string expression;  ///< "fathom::BlockSort<unsigned int, …, fathom::Constant<15>>"
  /// All headers that `header` may include except the contract; never freed.
  std::span<const HeaderText> headers;
  /// CUDA C++ in place of `header` and `headers`, whose __global__ function `expression` names; else empty.
  std::string text{};
};

/// A kernel struct on the CPU, without its type.
struct HostKernel {
  std::size_t bytes;
  /// One thread of one block; nullptr for plain CUDA, which runs on a GPU only.
  void (*run)(const void* kernel, Block& block);
  bool blocks_communicate;  ///< blocks may wait for earlier ones of the same launch
};

/// A kernel struct as executors see it. There is one object per type: device/kernel_info.h.
struct KernelInfo {
  std::string name;  ///< "BlockSort"
  const std::type_info* type;
  /// Specialised for these, in the order of its template.
  std::function<KernelSource(std::span<const int> constants)> source;
  HostKernel host;
};

}  // namespace fathom
