// SPDX-License-Identifier: Apache-2.0
// Machine code as a disassembler lists it, written by hand.
#pragma once

#include <fathom/device/code/instructions.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <regex>
#include <string>
#include <vector>

namespace fathom::tests {

/// What the scheduler is told about an instruction.
struct Control {
  int stall = 1, write_barrier = 7, read_barrier = 7;
  unsigned wait = 0;
};

/// A listing as nvdisasm prints it.
class Listing {
 public:
  explicit Listing(int architecture = 90) {
    text_ = fmt::format("\t.target\tsm_{}\n\t.section\t.text.kernel,\"ax\",@progbits\n.text.kernel:\n",
                        architecture);
  }
  /// From a line of kernel.h, through a header of the contract; 0: from no line.
  Listing& add(const std::string& instruction, int line = 0, Control control = {},
               const std::string& header = "cuda_block.h") {
    if (line > 0)
      text_ += fmt::format(
          "\t//## File \"/home/fathom/device/contract/{1}\", line 28 inlined at \"/a/kernel.h\", "
          "line {0}\n"
          "\t//## File \"/a/kernel.h\", line {0}\n",
          line, header);
    const std::uint64_t upper = std::uint64_t(control.stall) << 41 |
                                std::uint64_t(control.write_barrier) << 46 |
                                std::uint64_t(control.read_barrier) << 49 | std::uint64_t(control.wait) << 52;
    text_ += fmt::format("        /*{:04x}*/    {} ;   /* 0x0000000000000000 */\n      /* 0x{:016x} */\n",
                         address_, instruction, upper);
    address_ += 16;
    return *this;
  }
  /// From a line of kernel.cu, through nothing; 0: from no line.
  Listing& add_own(const std::string& instruction, int line) {
    if (line > 0) text_ += fmt::format("\t//## File \"/a/kernel.cu\", line {}\n", line);
    return add(instruction);
  }
  Listing& label(const std::string& name) {
    text_ += name + ":\n";
    return *this;
  }
  Disassembly parse() const { return parse_disassembly(text_); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  int address_ = 0;
};

/// Whether lines of a listing are those of kernel.h, through the contract, or of somebody else's kernel.cu.
enum class Source { contract, own };

/// Instructions with ';' between them, ".L: 3 × NOP @5": three of them from line 5, behind a label.
inline Disassembly listed(const std::string& text, Source source = Source::contract) {
  static const std::regex one(R"(\s*(?:([.$\w]+): )?(?:(\d+) × )?([^;]+?)(?: @(\d+))?(?:;|$))");
  Listing listing;
  for (std::sregex_iterator at(text.begin(), text.end(), one), none; at != none; ++at) {
    const std::smatch& found = *at;
    if (found[1].matched) listing.label(found[1]);
    const int line = found[4].matched ? std::stoi(found[4]) : 0;
    for (int i = found[2].matched ? std::stoi(found[2]) : 1; i > 0; --i)
      source == Source::own ? listing.add_own(found[3], line) : listing.add(found[3], line);
  }
  return listing.parse();
}

/// Ten blocks of four warps.
inline KernelCounts forty_warps() {
  KernelCounts counts;
  counts.kernel = "Kernel";
  counts.launches = 1;
  counts.blocks = 10;
  counts.threads_per_block = 128;
  return counts;
}

inline void add_loads(KernelCounts& counts, unsigned line, u64 accesses, u64 words, u64 warps) {
  AccessSite site;
  site.path = "/b/kernel.h";
  site.line = line;
  site.global.accesses = accesses;
  site.global.warp_words = 32 * words;
  site.warps = site.visits = warps;
  counts.sites.push_back(site);
}

/// Of one word each.
inline void add_shuffles(KernelCounts& counts, unsigned line, u64 executions) {
  InstructionSite site;
  site.path = "/b/kernel.h";
  site.line = line;
  site.executions = site.words = executions;
  counts.instruction_sites.push_back(site);
}

/// Instructions of forty warps, or of as many as make the accesses, with loads by line and accesses.
inline KernelInstructions count_loads(const Disassembly& code,
                                      std::initializer_list<std::pair<unsigned, u64>> loads) {
  KernelCounts counts = forty_warps();
  for (const auto& [line, accesses] : loads)
    add_loads(counts, line, accesses, accesses, std::min(accesses, u64(40)));
  return count_instructions(code, counts);
}

/// Adds stores of 32-bit words, by accesses that each take so many wavefronts, one of which they need anyway.
inline void add_shared_stores(KernelCounts& counts, unsigned line, u64 accesses, u64 wavefronts, u64 warps) {
  AccessSite site;
  site.path = "/b/kernel.h";
  site.line = line;
  site.operation = MemoryOperation::store;
  site.shared = {.accesses = accesses,
                 .words = 32 * accesses,
                 .warp_words = 32 * accesses,
                 .wavefronts = accesses * wavefronts,
                 .least_wavefronts = accesses};
  site.warps = site.visits = warps;
  counts.sites.push_back(site);
}

inline double relative(double value, double truth) {
  return std::abs(value / truth - 1);
}

}  // namespace fathom::tests
