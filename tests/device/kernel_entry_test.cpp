// SPDX-License-Identifier: Apache-2.0
// The bytes of the kernel cache's entries.
#include <fathom/device/code/kernel_entry.h>

#include <catch2/catch.hpp>

using namespace fathom;

TEST_CASE("an entry is what was stored or nothing") {
  const CompiledKernel kernel{{'\n', '\0', 'x', ' '}, "symbol\n1"};
  const std::string entry = encode_entry(kernel);
  REQUIRE(decode_entry(entry));
  CHECK(decode_entry(entry)->symbol == kernel.symbol);
  CHECK(decode_entry(entry)->cubin == kernel.cubin);
  for (std::size_t i = 0; i < entry.size(); ++i) {
    CHECK_FALSE(decode_entry(std::string_view(entry).substr(0, i)));
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = entry;
      flipped[i] = char(flipped[i] ^ (1 << bit));
      CHECK_FALSE(decode_entry(flipped));
    }
  }
  CHECK_FALSE(decode_entry(entry + "x"));
  CHECK_FALSE(decode_entry("fathom-kernel-1 18446744073709551615 1 0\nab"));
}
