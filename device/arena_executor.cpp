// SPDX-License-Identifier: Apache-2.0
#include <fathom/device/arena_executor.h>

#include <string>
#include <utility>

namespace fathom {

void* ArenaExecutor::allocate(std::size_t bytes) {
  const std::size_t needed = rounded_up(bytes);
  if (needed > bytes_ - used_)
    throw OutOfDeviceMemory("need " + std::to_string(needed) + " bytes of the work space, " +
                            std::to_string(bytes_ - used_) + " of its " + std::to_string(bytes_) +
                            " are left");
  return memory_ + std::exchange(used_, used_ + needed);
}

}  // namespace fathom
