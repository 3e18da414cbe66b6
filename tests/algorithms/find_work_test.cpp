// Work that is not in the tables is counted from source and machine code, and cached.
#include <fathom/algorithms/work.h>
#include <fathom/core/whole_file.h>
#include <fathom/device/code/disassembly.h>

#include <catch2/catch.hpp>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

using namespace fathom;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

/// A cache of the test's own.
struct Cache {
  fs::path path = fs::temp_directory_path() / ("fathom-work-test-" + std::to_string(::getpid()));
  Cache() { ::setenv("FATHOM_CACHE", path.c_str(), 1); }
  ~Cache() {
    ::unsetenv("FATHOM_CACHE");
    fs::remove_all(path);
  }
  fs::path entry() const {
    fs::path found;
    for (const auto& file : fs::directory_iterator(path))
      if (file.path().extension() == ".work") {
        REQUIRE(found.empty());
        found = file.path();
      }
    REQUIRE_FALSE(found.empty());
    return found;
  }
};

/// On an architecture that no table is shipped for.
WorkCase small_case() {
  const Algorithm& algorithm = fathom::algorithm("reduce-tree");
  Parameters parameters = algorithm.default_parameters();
  parameters.set("t", 64);
  return {&algorithm, ElementType::f64, parameters, Input::random, 89};
}

/// While it exists, there is no disassembler.
class WithoutDisassembler {
 public:
  WithoutDisassembler() {
    if (const char* own = std::getenv(variable)) own_ = own;
    ::setenv(variable, "/no/such/nvdisasm", 1);
  }
  ~WithoutDisassembler() { own_ ? ::setenv(variable, own_->c_str(), 1) : ::unsetenv(variable); }

 private:
  static constexpr const char* variable = "FATHOM_NVDISASM";
  std::optional<std::string> own_;
};

bool has_disassembler() {
  try {
    disassemble({});
  } catch (const DisassemblerUnavailable&) {
    return false;
  } catch (const std::runtime_error&) {  // it is there, and refuses what is no cubin
  } catch (const std::invalid_argument&) {
  }
  return true;
}

}  // namespace

TEST_CASE("work that cannot be counted says what to install", "[work]") {
  const Cache cache;
  const WithoutDisassembler none;
  CHECK_THROWS_WITH(find_work(small_case()), Contains("reduce-tree f64 t=64") && Contains("sm_89") &&
                                                 Contains("nvdisasm") && !Contains("\n"));
  CHECK_THROWS_AS(find_work(small_case()), WorkUnavailable);
}

TEST_CASE("counted work is cached, and a damaged entry counted again", "[work]") {
  if (!has_disassembler()) {
    WARN("not tested: there is no nvdisasm");
    return;
  }
  const Cache cache;
  const AlgorithmWork counted = find_work(small_case());
  CHECK(counted.of("ReduceSegments").constant.instructions > 0);
  CHECK(counted.of("ReduceSegments").registers > 0);
  CHECK(counted.of("ReduceSegments").unknown_opcodes.empty());
  const fs::path entry = cache.entry();
  const std::string good = read_whole(entry);

  // It is read: an entry of other numbers, with their digest missing, is not believed …
  std::string other = good;
  const std::size_t at = other.find("\"registers\":") + 12;
  other[at] = other[at] == '9' ? '8' : '9';
  write_whole(entry, other);
  CHECK(find_work(small_case()) == counted);
  CHECK(read_whole(entry) == good);
  for (const std::string& damaged : {std::string(), good.substr(0, good.size() / 2), std::string("x\n")}) {
    write_whole(entry, damaged);
    CHECK(find_work(small_case()) == counted);
    CHECK(read_whole(entry) == good);
  }
  // … and a whole one is, without a disassembler.
  const WithoutDisassembler none;
  CHECK(find_work(small_case()) == counted);
}
