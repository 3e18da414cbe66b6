// SPDX-License-Identifier: Apache-2.0
// Reports name no algorithm: what they print and draw comes from the registry.
#include <fathom/algorithms/registry.h>
#include <fathom/core/system/whole_file.h>

#include <catch2/catch.hpp>
#include <filesystem>

using namespace fathom;
namespace fs = std::filesystem;

TEST_CASE("no source of reports names an algorithm or its parameter") {
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(FATHOM_REPORTS)) {
    if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
    ++files;
    const std::string text = read_whole(entry.path());
    INFO(entry.path());
    for (const Algorithm& algorithm : algorithms()) {
      INFO(algorithm.slug);
      CHECK(text.find(algorithm.slug) == text.npos);
    }
    for (const char* parameter : {"alpha", "α"}) CHECK(text.find(parameter) == text.npos);
  }
  CHECK(files > 20);
}
