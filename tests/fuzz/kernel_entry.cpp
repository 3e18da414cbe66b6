// SPDX-License-Identifier: Apache-2.0
// Entries of the kernel cache: nothing but what encode_entry() wrote is accepted, and that reads back the
// same.
#include <fathom/device/code/kernel_entry.h>

#include "fuzz.h"

using namespace fathom;

namespace {

bool same(const CompiledKernel& a, const CompiledKernel& b) {
  return a.cubin == b.cubin && a.symbol == b.symbol;
}

/// The input as symbol and machine code, divided at its first newline.
void check_round_trip(std::string_view text) {
  const std::size_t end = text.find('\n');
  if (end == text.npos || end == 0 || end + 1 == text.size()) return;
  const std::string_view cubin = text.substr(end + 1);
  const CompiledKernel kernel{{cubin.begin(), cubin.end()}, std::string(text.substr(0, end))};
  std::string entry = encode_entry(kernel);
  const auto read = decode_entry(entry);
  fuzz::expect(read && same(*read, kernel), "an entry reads back the same");
  fuzz::expect(!decode_entry(std::string_view(entry).substr(0, entry.size() - 1)),
               "an entry cut short is refused");
  entry[text.size() * 31 % entry.size()] ^= 1;
  fuzz::expect(!decode_entry(entry), "an entry with a changed bit is refused");
}

}  // namespace

std::vector<std::string> fuzz::large_inputs(std::size_t bytes) {
  return {repeated("\n", bytes), repeated("x", bytes), "fathom-kernel-1 " + repeated("9", bytes - 20) + "\nx",
          "symbol\n" + repeated("x", bytes - 8)};
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  if (const auto kernel = decode_entry(text))
    fuzz::expect(encode_entry(*kernel) == text, "an accepted entry is what encode_entry() writes");
  check_round_trip(text);
  return 0;
}
