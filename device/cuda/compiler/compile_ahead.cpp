// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/interruption.h>
#include <fathom/device/cuda/compiler/compile_ahead.h>
#include <fathom/device/cuda/compiler/kernel_cache.h>

#include <algorithm>
#include <exception>

namespace fathom {

CompileAhead::CompileAhead(std::vector<CudaSource> sources, int compute_capability)
    : sources_(std::move(sources)), promises_(sources_.size()) {
  for (std::size_t i = 0; i < sources_.size(); ++i)
    kernels_.emplace(sources_[i], promises_[i].get_future().share());
  const auto work = [this, compute_capability, outer = interruption_check()](const std::stop_token& stop) {
    const Interruptible interruptible([&] {
      if (stop.stop_requested()) throw Interrupted("the kernel is no longer needed");
      if (outer) outer();
    });
    for (std::size_t i; !stop.stop_requested() && (i = next_++) < sources_.size();) try {
        promises_[i].set_value(cached_cuda(sources_[i].text, sources_[i].expression, compute_capability));
      } catch (...) {
        promises_[i].set_exception(std::current_exception());
      }
  };
  const std::size_t cores = std::max(2u, std::thread::hardware_concurrency());
  for (std::size_t i = 0; i < std::min(cores - 1, sources_.size()); ++i) workers_.emplace_back(work);
}

std::optional<CompiledKernel> CompileAhead::find(const CudaSource& source) const {
  const auto found = kernels_.find(source);
  return found == kernels_.end() ? std::nullopt : std::optional(found->second.get());
}

}  // namespace fathom
