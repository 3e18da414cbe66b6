// SPDX-License-Identifier: Apache-2.0
#include <fathom/model/machines/memory_machines.h>

#include "check_at_least_1.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace fathom {

Agpu::Agpu(u64 cores, int width, u64 shared_words) : width_(width), shared_words_(shared_words) {
  check_at_least_1("width", width);
  if (cores == 0 || cores % u64(width) != 0)
    throw std::invalid_argument("the machine has " + std::to_string(cores) +
                                " cores: choose a multiple of its width, " + std::to_string(width));
  if (shared_words == 0)
    throw std::invalid_argument("a multiprocessor has 0 words of shared memory: choose at least 1");
  multiprocessors_ = cores / u64(width);
}

void Agpu::access_global(Block& block, std::span<const u64> cells) const {
  if (cells.empty()) return;
  ++block.instructions;
  block.io += u64(umm_slots(cells, width_));
}

void Agpu::access_shared(Block& block, std::span<const u64> cells) const {
  block.instructions += u64(dmm_slots(cells, width_));
}

void Agpu::launch(std::span<const Block> blocks, u64 shared_words_per_block) {
  if (shared_words_per_block > shared_words_)
    throw std::invalid_argument("a block uses " + std::to_string(shared_words_per_block) +
                                " shared words, a multiprocessor has " + std::to_string(shared_words_) +
                                ": choose smaller blocks or a larger M");
  std::vector<u64> instructions(std::min(multiprocessors_, u64(blocks.size())));
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    instructions[i % instructions.size()] += blocks[i].instructions;
    costs_.io += blocks[i].io;
  }
  if (!instructions.empty()) costs_.time += *std::max_element(instructions.begin(), instructions.end());
  costs_.shared_words = std::max(costs_.shared_words, shared_words_per_block);
  if (costs_.shared_words > 0) costs_.multiplicity = double(shared_words_) / double(costs_.shared_words);
}

void Agpu::use_global(u64 words) {
  costs_.global_words = std::max(costs_.global_words, words);
}

}  // namespace fathom
