// A kernel by name: what compiles it, and what runs it on the CPU.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <typeinfo>

namespace fathom {

class Block;  // of the counting executor: device/contract/counting_block.h

struct HeaderText {
  std::string_view name;  ///< as it is included: "fathom/algorithms/sort/merge/merge_path.h"
  std::string_view text;
};

/// A kernel struct named for run-time compilation.
struct KernelSource {
  std::string header;      ///< "fathom/algorithms/sort/merge/pairwise/block_sort.h"
  std::string expression;  ///< "fathom::BlockSort<unsigned int, …, fathom::Constant<15>>"
  std::span<const HeaderText>
      headers;  ///< all that `header` may include besides the contract; lives for ever
};

/// A kernel struct on the CPU, without its type.
struct HostKernel {
  std::size_t bytes;
  void (*run)(const void* kernel, Block& block);  ///< one thread of one block
  bool blocks_communicate;  ///< so that blocks may wait for earlier ones of the same launch
};

/// What executors need to know of a kernel struct. There is one object per type: device/kernel_info.h.
struct KernelInfo {
  std::string name;  ///< "BlockSort"
  const std::type_info* type;
  KernelSource (*source)(
      std::span<const int> constants);  ///< specialised for these, in the order of its template
  HostKernel host;
};

}  // namespace fathom
