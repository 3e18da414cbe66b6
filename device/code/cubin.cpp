// SPDX-License-Identifier: Apache-2.0
#include <cxxabi.h>
#include <elf.h>
#include <fathom/device/code/cubin.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace fathom {
namespace {

[[noreturn]] void refuse_cubin(const std::string& why) {
  throw std::invalid_argument("not the machine code of a kernel: " + why);
}

/// Reads a T at `offset`. Throws if the file is too short.
template <class T>
T read(std::span<const char> bytes, std::size_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) refuse_cubin("it is cut short");
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::span<const char> contents(std::span<const char> cubin, const Elf64_Shdr& section) {
  if (section.sh_offset > cubin.size() || section.sh_size > cubin.size() - section.sh_offset)
    refuse_cubin("a section lies outside the file");
  return cubin.subspan(section.sh_offset, section.sh_size);
}

/// The name at `offset`, or its beginning: of sections that are told by it, longer than any that is looked
/// for.
std::string_view name_at(std::span<const char> names, std::size_t offset, std::size_t most = 16) {
  if (offset >= names.size()) refuse_cubin("a name is missing");
  const std::string_view rest(names.data() + offset, std::min(names.size() - offset, most));
  return rest.substr(0, rest.find('\0'));
}

// Records of .nv.info: format, attribute and, for format 4, a size and that many bytes: here a symbol and a
// value.
constexpr std::uint32_t most_registers = 255, most_local_bytes = 512 << 10;  // of a thread, on every GPU
constexpr std::uint8_t sized = 4, most_block = 0x05, required_block = 0x10, frame_size = 0x11,
                       register_count = 0x2f;
/// Of symbols, in st_other: a kernel, not a function for the device.
constexpr unsigned char entry = 0x10;
/// Compilers write names of templates in full.
constexpr std::size_t most_name = 1 << 16;

/// Calls `found` with the attribute and the bytes of each record that has a size.
template <class Found>
void for_each_record(std::span<const char> info, Found found) {
  for (std::size_t at = 0; at + 4 <= info.size();) {
    const bool has_size = read<std::uint8_t>(info, at) == sized;
    const std::size_t size = has_size ? read<std::uint16_t>(info, at + 2) : 0;
    if (has_size)
      found(read<std::uint8_t>(info, at + 1), info.subspan(at + 4, std::min(size, info.size() - at - 4)));
    at += 4 + size;
  }
}

/// Of the first symbol that has it.
std::optional<std::uint32_t> attribute(std::span<const char> info, std::uint8_t wanted) {
  std::optional<std::uint32_t> value;
  for_each_record(info, [&](std::uint8_t attribute, std::span<const char> bytes) {
    if (attribute == wanted && !value) value = read<std::uint32_t>(bytes, 4);
  });
  return value;
}

/// The sections of an ELF file.
class Sections {
 public:
  explicit Sections(std::span<const char> file) : file_(file), header_(read<Elf64_Ehdr>(file, 0)) {
    if (std::memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0) refuse_cubin("it is not an ELF file");
    names_ = contents(file, at(header_.e_shstrndx));
  }
  std::size_t size() const { return header_.e_shnum; }
  Elf64_Shdr at(std::size_t i) const {
    return read<Elf64_Shdr>(file_, header_.e_shoff + i * sizeof(Elf64_Shdr));
  }
  std::string_view name(const Elf64_Shdr& section, std::size_t most = 16) const {
    return name_at(names_, section.sh_name, most);
  }
  std::span<const char> bytes(const Elf64_Shdr& section) const { return contents(file_, section); }
  std::uint16_t machine() const { return header_.e_machine; }

 private:
  std::span<const char> file_;
  Elf64_Ehdr header_;
  std::span<const char> names_;
};

void check_threads_resources(std::uint32_t registers, std::uint32_t frame) {
  if (registers > most_registers || frame > most_local_bytes)
    refuse_cubin("no thread can have its registers or its stack");
}

/// Throws for a file that another program has to make a cubin of.
void check_kind(std::span<const char> file) {
  const std::string_view text(file.data(), file.size());
  constexpr std::string_view fat_binary = "\x50\xed\x55\xba";
  if (text.starts_with(fat_binary))
    refuse_cubin("it is a fat binary: run cuobjdump -xelf all on it, which writes the cubins in it");
  // PTX begins with comments and its version.
  const std::size_t directive = text.substr(0, 4096).find(".version");
  if (directive != text.npos && text.substr(0, directive).find('\0') == text.npos)
    refuse_cubin("it is PTX: run ptxas -arch=sm_90 -lineinfo -o kernel.cubin on it");
  constexpr std::string_view elf(ELFMAG, SELFMAG);
  if (!text.starts_with(elf))
    refuse_cubin("it is not an ELF file: make one by nvcc -cubin -arch=sm_90 -lineinfo");
  if (Sections(file).machine() != EM_CUDA)
    refuse_cubin("it is a program for the host: run cuobjdump -xelf all on it, which writes its cubins");
}

/// Of the records about symbols in .nv.info, the values of one attribute.
std::map<std::uint32_t, std::uint32_t> values_by_symbol(std::span<const char> info, std::uint8_t wanted) {
  std::map<std::uint32_t, std::uint32_t> values;
  for_each_record(info, [&](std::uint8_t attribute, std::span<const char> value) {
    if (attribute == wanted && value.size() >= 8)
      values[read<std::uint32_t>(value, 0)] = read<std::uint32_t>(value, 4);
  });
  return values;
}

/// The product of the three sizes of a block.
std::optional<int> most_threads(std::span<const char> info) {
  std::optional<int> most;
  for_each_record(info, [&](std::uint8_t attribute, std::span<const char> value) {
    if ((attribute != most_block && attribute != required_block) || value.size() < 12) return;
    constexpr std::uint64_t most_of_any_gpu = 1024;
    std::uint64_t threads = 1;
    for (std::size_t i = 0; i < 3; ++i)
      threads = std::min(threads * read<std::uint32_t>(value, 4 * i), most_of_any_gpu);
    if (threads > 0) most = int(threads);
  });
  return most;
}

/// Places of a mangled name that may stand for earlier ones: "S_", "S12_", "T0_".
std::size_t substitutions_in(std::string_view symbol) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < symbol.size(); ++i) {
    if (symbol[i] != 'S' && symbol[i] != 'T') continue;
    const std::size_t end = symbol.find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", i + 1);
    if (end != symbol.npos && symbol[end] == '_') ++count;
  }
  return count;
}

/// Since toolkit 13 a kernel's section for sm_90 and later begins with what the system keeps there: then the
/// section that reserves it has not all of its bytes.
constexpr std::uint64_t reserved_by_system = 1024;

}  // namespace

KernelCode read_cubin(std::span<const char> cubin) {
  const Sections sections(cubin);
  KernelCode code;
  std::optional<std::uint32_t> registers, frame;
  bool info_seen = false;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const Elf64_Shdr one = sections.at(i);
    const std::string_view name = sections.name(one);
    if (name.starts_with(".text.")) code.code_bytes += sections.bytes(one).size();
    if (name != ".nv.info") continue;
    if (info_seen) refuse_cubin("it states its registers twice");
    info_seen = true;
    registers = attribute(sections.bytes(one), register_count);
    frame = attribute(sections.bytes(one), frame_size);
  }
  if (code.code_bytes == 0) refuse_cubin("it holds no instructions");
  if (code.code_bytes > cubin.size()) refuse_cubin("its sections overlap");
  if (!registers || !frame) refuse_cubin("it does not state its registers");
  check_threads_resources(*registers, *frame);
  code.registers = int(*registers);
  code.local_bytes = int(*frame);
  return code;
}

std::vector<CubinKernel> kernels_of(std::span<const char> file) {
  check_kind(file);
  const Sections sections(file);
  std::optional<Elf64_Shdr> symbols;
  std::span<const char> info;
  std::map<std::string, std::size_t> section_of;
  bool reserves_some = false;
  std::size_t length_of_names = 0;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const Elf64_Shdr one = sections.at(i);
    const std::string name(sections.name(one, most_name));
    // Sections can all have one long name: without a limit a short file would take a lot of memory.
    length_of_names += name.size();
    if (length_of_names > file.size()) refuse_cubin("its sections share their names");
    if (one.sh_type == SHT_SYMTAB) symbols = one;
    if (name == ".nv.info") info = sections.bytes(one);
    if (name == ".nv.shared.reserved.0") reserves_some = one.sh_size < reserved_by_system;
    section_of.emplace(name, i);
  }
  if (!symbols) refuse_cubin("it has no table of symbols");
  const std::span<const char> table = sections.bytes(*symbols),
                              names = sections.bytes(sections.at(symbols->sh_link));
  const auto registers = values_by_symbol(info, register_count), frames = values_by_symbol(info, frame_size);
  const auto section = [&](const std::string& name) -> std::optional<Elf64_Shdr> {
    const auto found = section_of.find(name);
    return found == section_of.end() ? std::nullopt : std::optional(sections.at(found->second));
  };
  std::vector<CubinKernel> kernels;
  for (std::size_t i = 0; (i + 1) * sizeof(Elf64_Sym) <= table.size(); ++i) {
    const auto symbol = read<Elf64_Sym>(table, i * sizeof(Elf64_Sym));
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || !(symbol.st_other & entry)) continue;
    // As names of sections: symbols can all have one.
    CubinKernel kernel;
    kernel.symbol = std::string(name_at(names, symbol.st_name, most_name));
    length_of_names += kernel.symbol.size();
    if (length_of_names > file.size()) refuse_cubin("its symbols share their names");
    kernel.index = i;
    const auto code = section(".text." + kernel.symbol);
    const auto number = registers.find(std::uint32_t(i)), frame = frames.find(std::uint32_t(i));
    if (!code || number == registers.end()) continue;
    kernel.code = {.registers = int(number->second), .code_bytes = sections.bytes(*code).size()};
    if (kernel.code.code_bytes == 0) refuse_cubin("a kernel has no instructions");
    if (frame != frames.end()) kernel.code.local_bytes = int(frame->second);
    check_threads_resources(number->second, std::uint32_t(kernel.code.local_bytes));
    if (const auto shared = section(".nv.shared." + kernel.symbol)) {
      constexpr std::uint64_t most_shared_bytes = 1 << 20;
      const std::uint64_t not_own = reserves_some ? std::min(shared->sh_size, reserved_by_system) : 0;
      if (shared->sh_size > most_shared_bytes) refuse_cubin("no block can have its shared memory");
      kernel.shared_bytes = double(shared->sh_size - not_own);
    }
    if (const auto own = section(".nv.info." + kernel.symbol))
      kernel.most_threads = most_threads(sections.bytes(*own));
    kernels.push_back(std::move(kernel));
  }
  if (kernels.empty()) refuse_cubin("it holds no kernel");
  return kernels;
}

std::string demangled(const std::string& symbol) {
  // "f" of extern "C" is no float. Each substitution (S_, T0_, …) may double what a name is short for.
  constexpr std::size_t most_substitutions = 32;
  if (!symbol.starts_with("_Z") || substitutions_in(symbol) > most_substitutions) return symbol;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return name && status == 0 ? name.get() : symbol;
}

std::string short_name(const std::string& symbol) {
  // A template has its result ahead of its name, and its parameters begin where no other bracket is open.
  const std::string whole = demangled(symbol);
  std::string name;
  int depth = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const char c = whole[i];
    if (c == '(' && whole.compare(i, 21, "(anonymous namespace)") == 0) {
      i += 20;
      continue;
    }
    if (c == '(' && depth == 0) break;
    if (c == '<' || c == '(') ++depth;
    if (depth == 0 && c == ' ')
      name.clear();
    else if (depth == 0)
      name += c;
    if (c == '>' || c == ')') --depth;
  }
  const std::size_t scope = name.rfind("::");
  return scope == name.npos ? name : name.substr(scope + 2);
}

}  // namespace fathom
