// What the compiler could remove or reorder is looked for in the machine code: what a microbenchmark counts
// must be there, as often and in the order that it counts on.
#include "../machine_code.h"

#include <fathom/microbench/bench.h>

#include <algorithm>

using namespace fathom;
using namespace fathom::microbench;

namespace {

std::vector<std::string> machine_code(const char* text, const std::string& expression, int compute_capability,
                                      int threads_per_multiprocessor) {
  tests::need_disassembler();
  try {
    return tests::machine_code(
        compile_cuda(with_launch_bounds(text, threads_per_multiprocessor), expression, compute_capability));
  } catch (const DeviceUnavailable& unavailable) {
    tests::skip(unavailable.what());
  }
}

bool is(const std::string& instruction, const std::string& operation) {
  return instruction.compare(0, operation.size(), operation) == 0 &&
         (instruction.size() == operation.size() ||
          !std::isalnum(static_cast<unsigned char>(instruction[operation.size()])));
}

auto count(const std::vector<std::string>& code, const std::string& operation) {
  return std::count_if(code.begin(), code.end(), [&](const auto& one) { return is(one, operation); });
}

/// Global loads and stores as G and W, shared ones as L and S, clock readings as C, local memory as X;
/// nothing else.
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

TEST_CASE("a step of the stream read is I loads, and one store waits behind all steps") {
  for (const auto [cc, threads] : architectures)
    for (const int I : {1, 2, 4, 8, 16}) {
      CAPTURE(cc, I);
      const auto code = machine_code(stream_copy_text, fmt::format("stream_read<{}>", I), cc, threads);
      CHECK(memory_order(code) == repeated("G", I) + "W");
    }
}

TEST_CASE("the short blocks do nothing but their one store") {
  for (const auto [cc, threads] : architectures)
    CHECK(memory_order(machine_code(short_blocks_text, "short_blocks", cc, threads)) == "W");
}

TEST_CASE("a step of the shared copy is I loads, then I stores, sixteen words between branches") {
  for (const auto [cc, threads] : architectures)
    for (const int I : {1, 2, 4, 8, 16}) {
      CAPTURE(cc, I);
      const auto code = machine_code(shared_copy_text, fmt::format("shared_copy<{}>", I), cc, threads);
      const std::string step = repeated("L", I) + repeated("S", I);
      // Ahead of the loop the words are written, behind it they are read and, never in fact, stored.
      CHECK(memory_order(code) == repeated("S", I) + repeated(step, 16 / I) + repeated("L", I) + "W");
    }
}

TEST_CASE("the register chains keep 128 minima and 128 exclusive-ors between branches") {
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

TEST_CASE("a chase is nothing but dependent loads between two clock readings") {
  for (const auto [cc, threads] : architectures) {
    CAPTURE(cc);
    for (const char* const expression : {"chase<false>", "chase<true>"}) {
      const auto code = machine_code(chase_text, expression, cc, threads);
      // The cursor, the warm-up's loop; then 32 loads between branches, and one in the loop for what is left.
      CHECK_THAT(memory_order(code), Catch::Matches("GGWCG{33,}WCW"));
      // Past the L1, or through it.
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
