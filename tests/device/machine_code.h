// The instructions of a compiled kernel, from the CUDA toolkit's disassembler.
#pragma once

#include <fathom/device/cuda/cuda_executor.h>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

/// With modifiers but without operands, in code order: "LDS.U8", …
inline std::vector<std::string> machine_instructions(const fathom::CompiledKernel& kernel,
                                                     const std::string& disassembler) {
  const auto file =
      std::filesystem::temp_directory_path() / fmt::format("fathom_contract_{}.cubin", getpid());
  std::ofstream(file, std::ios::binary).write(kernel.cubin.data(), std::streamsize(kernel.cubin.size()));
  std::string listing;
  FILE* pipe = popen(fmt::format("'{}' --dump-sass '{}'", disassembler, file.string()).c_str(), "r");
  REQUIRE(pipe);
  char buffer[4096];
  while (const std::size_t got = fread(buffer, 1, sizeof buffer, pipe)) listing.append(buffer, got);
  const int status = pclose(pipe);
  std::filesystem::remove(file);
  REQUIRE(status == 0);

  static const std::regex instruction(R"(/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P[0-9T]+\s+)?([A-Z][A-Z0-9_.]*))");
  std::vector<std::string> code;
  for (std::sregex_iterator it(listing.begin(), listing.end(), instruction), end; it != end; ++it)
    code.push_back((*it)[1]);
  REQUIRE(code.size() > 3);
  return code;
}
