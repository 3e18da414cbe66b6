// SPDX-License-Identifier: Apache-2.0
// The instructions of a compiled kernel, by the CUDA toolkit's disassembler.
#pragma once

#include "skip.h"

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace fathom::tests {

inline std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe);
  char buffer[4096];
  while (const std::size_t got = fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, got);
  if (pclose(pipe) != 0) text.clear();
  return text;
}

/// cuobjdump comes with the toolkit, in a package of its own: the test is skipped where PATH has none.
inline void need_disassembler() {
  if (output_of("command -v cuobjdump").empty()) skip("cuobjdump of the CUDA toolkit is not in PATH");
}

/// The instructions of the kernel alone, with modifiers and operands, in the order of the code: "LDS.U8 R4,
/// [R2]".
inline std::vector<std::string> machine_code(const CompiledKernel& kernel) {
  const auto file =
      std::filesystem::temp_directory_path() / fmt::format("fathom_machine_code_{}.cubin", getpid());
  std::ofstream(file, std::ios::binary).write(kernel.cubin.data(), std::streamsize(kernel.cubin.size()));
  std::string listing = output_of(fmt::format("cuobjdump --dump-sass '{}'", file.string()));
  std::filesystem::remove(file);
  const auto begin = listing.find("Function : " + kernel.symbol + "\n");
  REQUIRE(begin != std::string::npos);
  listing = listing.substr(begin, listing.find("Function : ", begin + 1) - begin);
  static const std::regex instruction(R"(/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P[0-9T]+\s+)?([A-Z][^;]*);)");
  std::vector<std::string> code;
  for (std::sregex_iterator it(listing.begin(), listing.end(), instruction), end; it != end; ++it)
    code.push_back((*it)[1]);
  REQUIRE(code.size() > 3);
  return code;
}

}  // namespace fathom::tests
