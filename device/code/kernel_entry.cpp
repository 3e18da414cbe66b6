// SPDX-License-Identifier: Apache-2.0
#include <fathom/device/code/kernel_entry.h>

#include <boost/crc.hpp>
#include <charconv>
#include <cstdint>

namespace fathom {
namespace {

constexpr std::string_view magic = "fathom-kernel-1";

std::uint32_t checksum(std::string_view symbol, std::string_view cubin) {
  boost::crc_32_type crc;
  crc.process_bytes(symbol.data(), symbol.size());
  crc.process_bytes(cubin.data(), cubin.size());
  return crc.checksum();
}

std::string head(std::string_view symbol, std::string_view cubin) {
  std::string line(magic);
  for (std::uint64_t number :
       {std::uint64_t(symbol.size()), std::uint64_t(cubin.size()), std::uint64_t(checksum(symbol, cubin))})
    line += ' ' + std::to_string(number);
  return line + '\n';
}

/// The length of the symbol, the first number of the head; absent if there is none.
std::optional<std::size_t> symbol_length(std::string_view line) {
  if (!line.starts_with(magic) || line.size() <= magic.size() + 1) return std::nullopt;
  std::size_t length{};
  const char* first = line.data() + magic.size() + 1;
  const auto [end, error] = std::from_chars(first, line.data() + line.size(), length);
  if (error != std::errc{}) return std::nullopt;
  return length;
}

}  // namespace

std::string encode_entry(const CompiledKernel& kernel) {
  const std::string_view cubin(kernel.cubin.data(), kernel.cubin.size());
  return head(kernel.symbol, cubin).append(kernel.symbol).append(cubin);
}

std::optional<CompiledKernel> decode_entry(std::string_view bytes) {
  const std::size_t end = bytes.find('\n');
  if (end == bytes.npos) return std::nullopt;
  const std::string_view line = bytes.substr(0, end + 1), body = bytes.substr(end + 1);
  const auto length = symbol_length(line);
  if (!length || *length == 0 || *length >= body.size()) return std::nullopt;
  const std::string_view symbol = body.substr(0, *length), cubin = body.substr(*length);
  if (line != head(symbol, cubin)) return std::nullopt;
  return CompiledKernel{{cubin.begin(), cubin.end()}, std::string(symbol)};
}

}  // namespace fathom
