// Inspects the machine code for accesses that the compiler could remove or reorder: what a microbenchmark
// measures must be there, in the expected number and order.
#include <fathom/microbench/bench.h>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>

using namespace fathom;
using namespace fathom::microbench;

namespace {

[[noreturn]] void skip(const std::string& reason) {
  fmt::print("skipped: {}\n", reason);
  std::exit(77);
}

std::string disassemble(const std::vector<char>& cubin) {
  const auto file =
      std::filesystem::temp_directory_path() / fmt::format("fathom_machine_code_{}.cubin", getpid());
  std::ofstream(file, std::ios::binary).write(cubin.data(), static_cast<std::streamsize>(cubin.size()));
  std::string text;
  FILE* pipe = popen(fmt::format("'{}' --dump-sass '{}'", FATHOM_CUOBJDUMP, file.string()).c_str(), "r");
  REQUIRE(pipe);
  char buffer[4096];
  while (const std::size_t got = fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, got);
  const int status = pclose(pipe);
  std::filesystem::remove(file);
  REQUIRE(status == 0);
  return text;
}

/// Instructions with modifiers and operands, in code order.
std::vector<std::string> machine_code(const char* text, const std::string& expression, int compute_capability,
                                      int threads_per_multiprocessor) {
  if (std::string(FATHOM_CUOBJDUMP).empty()) skip("cuobjdump of the CUDA toolkit was not found");
  CompiledKernel kernel;
  try {
    kernel =
        compile_cuda(with_launch_bounds(text, threads_per_multiprocessor), expression, compute_capability);
  } catch (const DeviceUnavailable& unavailable) {
    skip(unavailable.what());
  }
  // One source may hold several kernels: inspect only the code of this one.
  std::string listing = disassemble(kernel.cubin);
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

bool is(const std::string& instruction, const std::string& operation) {
  return instruction.compare(0, operation.size(), operation) == 0 &&
         (instruction.size() == operation.size() ||
          !std::isalnum(static_cast<unsigned char>(instruction[operation.size()])));
}

auto count(const std::vector<std::string>& code, const std::string& operation) {
  return std::count_if(code.begin(), code.end(), [&](const auto& one) { return is(one, operation); });
}

/// Global loads and stores as G and W, shared ones as L and S, clock readings as C, local memory as X; all
/// others are ignored.
std::string memory_order(const std::vector<std::string>& code) {
  std::string order;
  for (const auto& one : code) {
    if (is(one, "LDG")) order += 'G';
    if (is(one, "STG")) order += 'W';
    if (is(one, "LDS")) order += 'L';
    if (is(one, "STS")) order += 'S';
    if (is(one, "LDL") || is(one, "STL")) order += 'X';
    if (is(one, "CS2R") && one.find("SR_CLOCK") != std::string::npos) order += 'C';
  }
  return order;
}

std::string repeated(const std::string& what, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += what;
  return all;
}

struct Architecture {
  int compute_capability, threads_per_multiprocessor;
};
constexpr Architecture architectures[] = {{75, 1024}, {90, 2048}};

}  // namespace

TEST_CASE("a step of the stream copy is I loads, then I stores") {
  for (const auto [cc, threads] : architectures)
    for (const int I : {1, 2, 4, 8, 16}) {
      CAPTURE(cc, I);
      const auto code = machine_code(stream_copy_text, fmt::format("stream_copy<{}>", I), cc, threads);
      CHECK(memory_order(code) == repeated("G", I) + repeated("W", I));
    }
}

TEST_CASE("a step of the stream read is I loads, and one store follows all steps") {
  for (const auto [cc, threads] : architectures)
    for (const int I : {1, 2, 4, 8, 16}) {
      CAPTURE(cc, I);
      const auto code = machine_code(stream_copy_text, fmt::format("stream_read<{}>", I), cc, threads);
      CHECK(memory_order(code) == repeated("G", I) + "W");
    }
}

TEST_CASE("the short blocks do nothing except one store") {
  for (const auto [cc, threads] : architectures)
    CHECK(memory_order(machine_code(short_blocks_text, "short_blocks", cc, threads)) == "W");
}

TEST_CASE("a step of the shared copy is I loads, then I stores, sixteen words between branches") {
  for (const auto [cc, threads] : architectures)
    for (const int I : {1, 2, 4, 8, 16}) {
      CAPTURE(cc, I);
      const auto code = machine_code(shared_copy_text, fmt::format("shared_copy<{}>", I), cc, threads);
      const std::string step = repeated("L", I) + repeated("S", I);
      // Before the loop the words are written; after it they are read and stored, which never happens at run
      // time.
      CHECK(memory_order(code) == repeated("S", I) + repeated(step, 16 / I) + repeated("L", I) + "W");
    }
}

TEST_CASE("the register chains have 128 minima and 128 exclusive-ors between branches") {
  for (const auto [cc, threads] : architectures)
    for (const int I : {1, 2, 4, 8, 16}) {
      CAPTURE(cc, I);
      const auto code =
          machine_code(register_chains_text, fmt::format("register_chains<{}>", I), cc, threads);
      CHECK(count(code, "IMNMX") + count(code, "VIMNMX") == 128);
      CHECK(count(code, "LOP3") == 128);
      CHECK(memory_order(code) == "W");
    }
}

TEST_CASE("a chase has only dependent loads between two clock readings") {
  for (const auto [cc, threads] : architectures) {
    CAPTURE(cc);
    for (const char* const expression : {"chase<false>", "chase<true>"}) {
      const auto code = machine_code(chase_text, expression, cc, threads);
      // The cursor, the warm-up loop, then 32 loads between branches and one in the loop for the remainder.
      CHECK_THAT(memory_order(code), Catch::Matches("GGWCG{33,}WCW"));
      // Bypassing the L1, or through it.
      const auto past_l1 = std::count_if(
          code.begin(), code.end(), [](const auto& one) { return one.find("LDG.E.64.STRONG.GPU") == 0; });
      if (cc >= 80) CHECK((past_l1 >= 33) == (std::string(expression) == "chase<false>"));
    }
    const auto code = machine_code(chase_text, "chase_shared", cc, threads);
    CHECK_THAT(memory_order(code), Catch::Matches("[GS]+CL{33,}WCW"));
  }
}

TEST_CASE("the conflict kernel reads shared memory sixteen times between branches") {
  for (const auto [cc, threads] : architectures) {
    CAPTURE(cc);
    CHECK(std::regex_match(memory_order(machine_code(conflict_text, "conflict", cc, threads)),
                           std::regex("S+L{16}W")));
  }
}
