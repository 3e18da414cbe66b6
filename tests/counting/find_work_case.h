// A case whose work no table has, and where it is looked for.
#pragma once

#include <fathom/counting/work.h>

#include <catch2/catch.hpp>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace fathom::tests {

/// A cache of the test's own.
struct Cache {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("fathom-work-test-" + std::to_string(::getpid()));
  Cache() { ::setenv("FATHOM_CACHE", path.c_str(), 1); }
  ~Cache() {
    ::unsetenv("FATHOM_CACHE");
    std::filesystem::remove_all(path);
  }
  std::filesystem::path entry() const {
    std::filesystem::path found;
    for (const auto& file : std::filesystem::directory_iterator(path))
      if (file.path().extension() == ".work") {
        REQUIRE(found.empty());
        found = file.path();
      }
    REQUIRE_FALSE(found.empty());
    return found;
  }
};

/// The work of a case on an architecture that no table is shipped for.
inline AlgorithmWork find_small() {
  const Algorithm& algorithm = fathom::algorithm("reduce-tree");
  Case one{&algorithm, algorithm.problem(1, ElementType::f64)};
  one.problem.parameters.set("t", 64);
  return find_work(one, 89);
}

/// While it exists, this program is the disassembler.
class Disassembler {
 public:
  explicit Disassembler(const std::filesystem::path& program = "/no/such/nvdisasm") {
    if (const char* own = std::getenv(variable)) own_ = own;
    ::setenv(variable, program.c_str(), 1);
  }
  ~Disassembler() { own_ ? ::setenv(variable, own_->c_str(), 1) : ::unsetenv(variable); }

 private:
  static constexpr const char* variable = "FATHOM_NVDISASM";
  std::optional<std::string> own_;
};

}  // namespace fathom::tests
