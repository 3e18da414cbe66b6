// SPDX-License-Identifier: Apache-2.0
// A case whose work no table has, and where it is looked for.
#pragma once

#include "../support/environment.h"
#include "../support/temporary_directory.h"

#include <fathom/counting/work.h>

#include <catch2/catch.hpp>

#include <filesystem>

namespace fathom::tests {

/// A cache of the test's own.
class Cache {
 public:
  std::filesystem::path entry() const {
    std::filesystem::path found;
    for (const auto& key : std::filesystem::directory_iterator(folder_.path())) {
      if (key.path().extension() != ".work") continue;
      for (const auto& file : std::filesystem::directory_iterator(key.path())) {
        REQUIRE(found.empty());
        found = file.path();
      }
    }
    REQUIRE_FALSE(found.empty());
    return found;
  }

 private:
  TemporaryDirectory folder_;
  Environment variable_{"FATHOM_CACHE", folder_.path().string()};
};

/// The work of a case that no table has.
inline AlgorithmWork find_small() {
  const Algorithm& algorithm = fathom::algorithm("reduce-tree");
  Case one{&algorithm, algorithm.problem(1, ElementType::f64)};
  one.problem.parameters.set("t", 64);
  return find_work(one, 89);
}

/// While it exists, this program is the disassembler.
struct Disassembler : Environment {
  explicit Disassembler(const std::filesystem::path& program = "/no/such/nvdisasm")
      : Environment("FATHOM_NVDISASM", program.string()) {}
};

}  // namespace fathom::tests
