// SPDX-License-Identifier: Apache-2.0
// What the compiler could remove or reorder is looked for in the machine code: what a microbenchmark counts
// must be there, as often and in the order that it counts on.
#include "../support/machine_code.h"

#include <fathom/microbench/bench.h>

#include <fathom/microbench/memory/scattered.h>

#include <algorithm>
#include <functional>

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

/// Global loads and stores as G and W, shared ones as L and S, clock readings as C, local memory as X,
/// sleeps as Z; nothing else.
std::string memory_order(const std::vector<std::string>& code) {
  std::string order;
  for (const auto& one : code) {
    if (is(one, "LDG")) order += 'G';
    if (is(one, "STG")) order += 'W';
    if (is(one, "LDS")) order += 'L';
    if (is(one, "STS")) order += 'S';
    if (is(one, "NANOSLEEP")) order += 'Z';
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

struct Compiled {
  int compute_capability, threads_per_multiprocessor;
};
constexpr Compiled compiled_for[] = {{75, 1024}, {90, 2048}};
constexpr Compiled counted_for[] = {{80, 2048}, {90, 2048}, {100, 2048}};

/// memory_order() of a kernel, of which {} is the number of accesses in flight, is as `expected` says.
void check_order(const char* text, const char* kernel, std::initializer_list<int> in_flight,
                 const std::function<std::string(int I)>& expected) {
  for (const auto [cc, threads] : compiled_for)
    for (const int I : in_flight) {
      CAPTURE(cc, kernel, I);
      CHECK(memory_order(machine_code(text, fmt::format(fmt::runtime(kernel), I), cc, threads)) ==
            expected(I));
    }
}

}  // namespace

TEST_CASE("a step of a copy or a pass is I loads, then I stores, or one store behind all steps") {
  const auto copy = [](int I) { return repeated("G", I) + repeated("W", I); };
  check_order(stream_copy_text, "stream_copy<{}>", {1, 2, 4, 8, 16}, copy);
  check_order(stream_copy_text, "pass_copy<{}>", {1, 4}, copy);
  check_order(stream_copy_text, "pass_read<{}>", {1, 4}, [](int I) { return repeated("G", I) + "W"; });
}

TEST_CASE("the short blocks do nothing but their one store") {
  check_order(short_blocks_text, "short_blocks", {1}, [](int) { return "W"; });
}

TEST_CASE("a step of the shared copy is I loads, then I stores, sixteen words between branches") {
  // Ahead of the loop the words are written, behind it they are read and, never in fact, stored.
  check_order(shared_copy_text, "shared_copy<{}>", {1, 2, 4, 8, 16}, [](int I) {
    const std::string step = repeated("L", I) + repeated("S", I);
    return repeated("S", I) + repeated(step, 16 / I) + repeated("L", I) + "W";
  });
}

TEST_CASE("the register chains keep 128 minima and 128 exclusive-ors between branches") {
  for (const auto [cc, threads] : compiled_for)
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
  for (const auto [cc, threads] : compiled_for) {
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
  for (const auto [cc, threads] : compiled_for) {
    CAPTURE(cc);
    CHECK(std::regex_match(memory_order(machine_code(conflict_text, "conflict", cc, threads)),
                           std::regex("S+L{16}W")));
  }
}

namespace {

/// The instructions between the target of the last backward branch and that branch: the body of a kernel's
/// only loop.
std::vector<std::string> loop(const std::vector<std::string>& code) {
  constexpr std::size_t instruction_bytes = 16;
  for (std::size_t i = code.size(); i-- > 0;) {
    const auto at = code[i].find("0x");
    if (!is(code[i], "BRA") || at == std::string::npos) continue;
    const std::size_t target = std::stoul(code[i].substr(at), nullptr, 16) / instruction_bytes;
    if (target < i) return {code.begin() + std::ptrdiff_t(target), code.begin() + std::ptrdiff_t(i) + 1};
  }
  return {};
}

auto count_with(const std::vector<std::string>& code, const std::string& beginning) {
  return std::count_if(code.begin(), code.end(),
                       [&](const auto& one) { return one.rfind(beginning, 0) == 0; });
}

}  // namespace

TEST_CASE("an iteration of a mix has exactly the accesses and instructions that it is asked for") {
  for (const auto [cc, threads] : counted_for)
    for (const Mix& mix :
         {Mix{.loads = 2}, Mix{.shared = 64}, Mix{.loads = 2, .shared = 64, .alu = 120},
          Mix{.loads = 2, .stores = 2, .alu = 120}, Mix{.shared = 64, .alu = 120, .fma = 240},
          Mix{.width = 4, .loads = 8, .stores = 8}, Mix{.through_l1 = false, .loads = 2}, Mix{.stores = 4},
          Mix{.loads = 2, .shared = 64, .alu = 120, .barriers = true}, Mix{.loads = 2, .barriers = true}}) {
      CAPTURE(cc, expression(mix));
      const auto code = machine_code(mix_text, expression(mix), cc, threads);
      const auto body = loop(code);
      CHECK(count(code, "LDL") + count(code, "STL") == 0);
      CHECK(count(body, "LDG") == mix.loads);
      CHECK(count(body, "STG") == mix.stores);
      CHECK(count(body, "LDS") == mix.shared);
      CHECK(count(body, "FFMA") == mix.fma);
      CHECK(count(body, "BAR") == (mix.barriers ? 3 : 0));
      if (mix.width == 16) {
        CHECK(count_with(body, "LDG.E.128") == mix.loads);
        CHECK(count_with(body, "STG.E.128") == mix.stores);
      }
      // What passes from phase to phase, and from one row to the next, adds a few of these.
      CHECK(count(body, "LOP3") >= mix.alu);
      CHECK(count(body, "LOP3") <= mix.alu + (mix.barriers ? 16 : 8));
      const int wanted = mix.loads + mix.stores + mix.shared + mix.alu + mix.fma;
      CHECK(int(body.size()) <= wanted + 40);
    }
}

TEST_CASE("a pipe's loop has exactly its instructions") {
  struct Expected {
    const char *link, *instruction, *other;  // a link is `each` of both
    int each;
  };
  for (const auto [cc, threads] : counted_for)
    for (const auto& [link, instruction, other, each] :
         {Expected{"Lop3", "LOP3", nullptr, 2}, Expected{"Min", cc >= 90 ? "VIMNMX" : "IMNMX", nullptr, 2},
          Expected{"Select", "ISETP", "SEL", 2}, Expected{"Select64", "ISETP", "SEL", 4},
          Expected{"Ffma", "FFMA", nullptr, 1}, Expected{"Imad", "IMAD", nullptr, 1},
          Expected{"Lop3Ffma", "LOP3", "FFMA", 2}, Expected{"Shuffle", "SHFL", nullptr, 1},
          Expected{"SharedLoad<4>", "LDS", nullptr, 1}, Expected{"SharedLoad<8>", "LDS.64", nullptr, 1},
          Expected{"SharedLoad<16>", "LDS.128", nullptr, 1}, Expected{"Barrier", "BAR", nullptr, 1}}) {
      CAPTURE(cc, link);
      const auto body = loop(machine_code(pipe_text, fmt::format("pipe<{}, 4, 32>", link), cc, threads));
      // The loop's own comparison is an ISETP, too, on some architectures.
      CHECK(count_with(body, instruction) - (std::string(instruction) == "ISETP" ? 1 : 0) <= 32 * each);
      CHECK(count_with(body, instruction) >= 32 * each);
      if (other) CHECK(count_with(body, other) == 32 * each);
      CHECK(int(body.size()) <= 32 * each * (other ? 2 : 1) + 8);
    }
}

TEST_CASE("random sectors: every sector once, by I loads in flight") {
  std::vector<int> visits(1 << 16);
  for (unsigned i = 0; i < visits.size(); ++i) ++visits[scattered(i, unsigned(visits.size()) - 1)];
  CHECK(std::all_of(visits.begin(), visits.end(), [](int one) { return one == 1; }));
  // Of 32 lanes, hardly two share a line of four sectors, so that no two sectors come together.
  constexpr unsigned mask = (1u << 26) - 1;
  int neighbours = 0;
  for (unsigned i = 0; i < 1 << 16; ++i)
    for (unsigned lane = 1; lane < 32; ++lane)
      if (scattered(i, mask) / 4 == scattered(i + lane, mask) / 4) ++neighbours;
  CHECK(neighbours < 64);

  for (const auto [cc, threads] : counted_for)
    for (const int I : {1, 4}) {
      CAPTURE(cc, I);
      CHECK(memory_order(machine_code((std::string(scattered_text) + random_sectors_text).c_str(),
                                      fmt::format("random_sectors<{}>", I), cc, threads)) ==
            repeated("G", I) + "W");
    }
}

TEST_CASE("straight-line code is as long as it says, and the clock is read around it") {
  for (const auto [cc, threads] : counted_for) {
    CAPTURE(cc);
    const auto code = machine_code(instruction_fetch_text, "straight_line<0>", cc, threads);
    CHECK(count(code, "FFMA") == 32 * 252);
    const auto body = loop(code);
    CHECK(body.size() >= 32 * 254);
    CHECK(body.size() <= 32 * 257);
    CHECK(memory_order(code) == "CCWW");
    CHECK(memory_order(body) == "C");
  }
}

TEST_CASE("atomics are what they are called, as often as they are counted") {
  const std::string text = std::string(scattered_text) + atomics_text;
  for (const Compiled& architecture : counted_for)
    for (const char* const random : {"false", "true"}) {
      const int cc = architecture.compute_capability, threads = architecture.threads_per_multiprocessor;
      CAPTURE(cc, random);
      const auto code = [&](const char* kernel, const char* returning) {
        return machine_code(text.c_str(), fmt::format("{}<{}, {}>", kernel, random, returning), cc, threads);
      };
      const auto reduced = code("global_atomics", "false"), returned = code("global_atomics", "true");
      CHECK(count(reduced, "RED") + count(reduced, "REDG") == 4);
      CHECK(count(reduced, "ATOMG") == 0);
      CHECK(count(returned, "ATOMG") == 4);
      CHECK(count(code("shared_atomics", "false"), "ATOMS") == 16);
      CHECK(count(code("shared_atomics", "true"), "ATOMS") == 16);
      const auto chase = machine_code(text.c_str(), fmt::format("atomic_chase<{}>", random), cc, threads);
      CHECK(count(chase, "ATOMG") + count(chase, "ATOMS") >= 33);
      CHECK(count(chase, "SHFL") == 0);  // no sum over the warp
    }
}

TEST_CASE("sleeps are the hardware's instruction, and all lie between two readings of the clock") {
  for (const auto [cc, threads] : counted_for) {
    CAPTURE(cc);
    // The compiler unrolls the loop of sleeps as it likes.
    CHECK_THAT(memory_order(machine_code(sleep_text, "sleeps", cc, threads)), Catch::Matches("CZ+CW"));
  }
}

TEST_CASE("a tile is loaded, then written, whether its runs are cut or not, word by word") {
  for (const auto [cc, threads] : counted_for)
    for (const bool cut : {false, true}) {
      CAPTURE(cc, cut);
      const auto code = machine_code(written_runs_text, fmt::format("written_runs<{}>", cut), cc, threads);
      CHECK(count(code, "LDG") == 16);
      const auto stores = count(code, "STG");
      CHECK((stores == 16 || stores == 32));  // even and odd tiles may have code of their own
      CHECK(count(code, "BAR") == 2);
      // All loads of a thread are on their way before it writes.
      const auto soon = machine_code(written_runs_text, fmt::format("partial_sectors<{}>", cut), cc, threads);
      CHECK(memory_order(soon) == repeated("G", 16) + repeated("W", 16));
    }
}

TEST_CASE("a flag's flight is a store that releases and a loop of one load that acquires") {
  for (const auto [cc, threads] : counted_for) {
    CAPTURE(cc);
    const auto code = machine_code(flag_text, "flag_flights", cc, threads);
    const auto acquired = count_with(code, "LD.E.STRONG.GPU") + count_with(code, "LDG.E.STRONG.GPU");
    CHECK((acquired == 3 ||
           acquired == 6));  // for compute capability 10.0 each loop begins with a copy of itself
    CHECK(count(code, "MEMBAR") == 3);
  }
}
