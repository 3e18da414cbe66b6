// SPDX-License-Identifier: Apache-2.0
#include <elf.h>
#include <fathom/device/code/cubin.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
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

/// The name at `offset`, or its beginning: longer than any that is looked for.
std::string_view name_at(std::span<const char> names, std::size_t offset) {
  if (offset >= names.size()) refuse_cubin("a section's name is missing");
  constexpr std::size_t enough = 16;
  const std::string_view rest(names.data() + offset, std::min(names.size() - offset, enough));
  return rest.substr(0, rest.find('\0'));
}

// Records of .nv.info: format, attribute and, for format 4, a size and that many bytes: here a symbol and a
// value.
constexpr std::uint32_t most_registers = 255, most_local_bytes = 512 << 10;  // of a thread, on every GPU
constexpr std::uint8_t sized = 4, frame_size = 0x11, register_count = 0x2f;

std::optional<std::uint32_t> attribute(std::span<const char> info, std::uint8_t wanted) {
  for (std::size_t at = 0; at + 4 <= info.size();) {
    const bool has_size = read<std::uint8_t>(info, at) == sized;
    if (has_size && read<std::uint8_t>(info, at + 1) == wanted) return read<std::uint32_t>(info, at + 8);
    at += 4 + (has_size ? read<std::uint16_t>(info, at + 2) : 0);
  }
  return std::nullopt;
}

}  // namespace

KernelCode read_cubin(std::span<const char> cubin) {
  const auto header = read<Elf64_Ehdr>(cubin, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) refuse_cubin("it is not an ELF file");
  const auto section = [&](std::size_t i) {
    return read<Elf64_Shdr>(cubin, header.e_shoff + i * sizeof(Elf64_Shdr));
  };
  const std::span<const char> names = contents(cubin, section(header.e_shstrndx));
  KernelCode code;
  std::optional<std::uint32_t> registers, frame;
  bool info_seen = false;
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr one = section(i);
    const std::string_view name = name_at(names, one.sh_name);
    if (name.starts_with(".text.")) code.code_bytes += contents(cubin, one).size();
    if (name != ".nv.info") continue;
    if (info_seen) refuse_cubin("it states its registers twice");
    info_seen = true;
    registers = attribute(contents(cubin, one), register_count);
    frame = attribute(contents(cubin, one), frame_size);
  }
  if (code.code_bytes == 0) refuse_cubin("it holds no instructions");
  if (code.code_bytes > cubin.size()) refuse_cubin("its sections overlap");
  if (!registers || !frame) refuse_cubin("it does not state its registers");
  if (*registers > most_registers || *frame > most_local_bytes)
    refuse_cubin("no thread can have its registers or its stack");
  code.registers = int(*registers);
  code.local_bytes = int(*frame);
  return code;
}

}  // namespace fathom
