// SPDX-License-Identifier: Apache-2.0
// Machine code: what read_cubin() and kernels_of() accept states what a kernel can have.
#include <fathom/device/code/cubin.h>

#include <elf.h>

#include <cstring>
#include <stdexcept>

#include "fuzz.h"

using namespace fathom;

namespace {

/// An ELF file that is one table of sections, each of its size and all over the same bytes.
std::string sections_over_everything(std::size_t bytes, std::uint32_t name) {
  std::string file(bytes, '\0');
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_shoff = sizeof header;
  header.e_shnum = Elf64_Half((file.size() - sizeof header - 1024) / sizeof(Elf64_Shdr));
  std::memcpy(file.data(), &header, sizeof header);
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section{};
    section.sh_name = i == 0 ? 0 : name;
    section.sh_size = file.size();
    std::memcpy(file.data() + sizeof header + i * sizeof section, &section, sizeof section);
  }
  std::memcpy(file.data() + file.size() - 512, ".nv.info", 9);
  return file;
}

}  // namespace

std::vector<std::string> fuzz::large_inputs(std::size_t bytes) {
  const std::uint32_t named_info = std::uint32_t(bytes) - 512, long_name = sizeof(Elf64_Ehdr) + 200;
  return {repeated("\x7f"
                   "ELF",
                   bytes),
          repeated("\x50\xed\x55\xba", bytes),
          repeated("//\n.version 8.0\n", bytes),
          repeated(std::string_view("\0", 1), bytes),
          sections_over_everything(bytes, named_info),
          sections_over_everything(bytes, long_name)};
}

namespace {

void check_code(const KernelCode& code, std::size_t size) {
  fuzz::expect(code.registers >= 0 && code.registers <= 255, "a thread has at most 255 registers");
  fuzz::expect(code.local_bytes >= 0, "a stack frame has no negative size");
  fuzz::expect(code.code_bytes > 0 && code.code_bytes <= size, "instructions lie inside the file");
}

void check_one(std::string_view text) try {
  check_code(read_cubin({text.data(), text.size()}), text.size());
} catch (const std::invalid_argument&) {
}

void check_several(std::string_view text) try {
  const std::vector<CubinKernel> kernels = kernels_of({text.data(), text.size()});
  fuzz::expect(!kernels.empty(), "a file that is accepted has a kernel");
  for (const CubinKernel& kernel : kernels) {
    check_code(kernel.code, text.size());
    fuzz::expect(kernel.shared_bytes >= 0 && kernel.shared_bytes <= 1 << 20, "a block can have its memory");
    const int threads = kernel.most_threads.value_or(1);
    fuzz::expect(threads >= 1 && threads <= 1024, "a block can have its threads");
    fuzz::expect(demangled(kernel.symbol).empty() == kernel.symbol.empty(), "a name stays a name");
    short_name(kernel.symbol);
  }
} catch (const std::invalid_argument&) {
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  check_one(text);
  check_several(text);
  return 0;
}
