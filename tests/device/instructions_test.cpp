// Instructions of hand-made listings whose flow is known.
#include <fathom/device/code/instructions.h>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <cmath>
#include <cstdint>

using namespace fathom;
using Catch::Matchers::Contains;

namespace {

/// What the scheduler is told about an instruction.
struct Control {
  int stall = 1, write_barrier = 7, read_barrier = 7;
  unsigned wait = 0;
};

/// A listing as nvdisasm prints it.
class Listing {
 public:
  explicit Listing(int architecture = 90) {
    text_ = fmt::format("\t.target\tsm_{}\n\t.section\t.text.kernel,\"ax\",@progbits\n.text.kernel:\n",
                        architecture);
  }
  /// From a line of kernel.h, through a header of the contract; 0: from no line.
  Listing& add(const std::string& instruction, int line = 0, Control control = {},
               const std::string& header = "cuda_block.h") {
    if (line > 0)
      text_ += fmt::format(
          "\t//## File \"/home/fathom/device/contract/{1}\", line 28 inlined at \"/a/kernel.h\", "
          "line {0}\n"
          "\t//## File \"/a/kernel.h\", line {0}\n",
          line, header);
    const std::uint64_t upper = std::uint64_t(control.stall) << 41 |
                                std::uint64_t(control.write_barrier) << 46 |
                                std::uint64_t(control.read_barrier) << 49 | std::uint64_t(control.wait) << 52;
    text_ += fmt::format("        /*{:04x}*/    {} ;   /* 0x0000000000000000 */\n      /* 0x{:016x} */\n",
                         address_, instruction, upper);
    address_ += 16;
    return *this;
  }
  Listing& times(int count, const std::string& instruction) {
    for (int i = 0; i < count; ++i) add(instruction);
    return *this;
  }
  Listing& label(const std::string& name) {
    text_ += name + ":\n";
    return *this;
  }
  Disassembly parse() const { return parse_disassembly(text_); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  int address_ = 0;
};

/// Ten blocks of four warps.
KernelCounts forty_warps() {
  KernelCounts counts;
  counts.kernel = "Kernel";
  counts.launches = 1;
  counts.blocks = 10;
  counts.threads_per_block = 128;
  return counts;
}

void add_loads(KernelCounts& counts, unsigned line, u64 accesses, u64 words, u64 warps) {
  AccessSite site;
  site.path = "/b/kernel.h";
  site.line = line;
  site.global.accesses = accesses;
  site.global.warp_words = 32 * words;
  site.warps = site.visits = warps;
  counts.sites.push_back(site);
}

/// Of 32-bit words, by accesses that each take so many wavefronts, one of which they need anyway.
void add_shared_stores(KernelCounts& counts, unsigned line, u64 accesses, u64 wavefronts, u64 warps) {
  AccessSite site;
  site.path = "/b/kernel.h";
  site.line = line;
  site.operation = MemoryOperation::store;
  site.shared = {.accesses = accesses,
                 .words = 32 * accesses,
                 .warp_words = 32 * accesses,
                 .wavefronts = accesses * wavefronts,
                 .least_wavefronts = accesses};
  site.warps = site.visits = warps;
  counts.sites.push_back(site);
}

double relative(double value, double truth) {
  return std::abs(value / truth - 1);
}

}  // namespace

TEST_CASE("a listing gives the instructions with guard, targets, scheduling and lines") {
  const Disassembly code =
      Listing()
          .add("LDC R1, c[0x0][0x28]")
          .label(".L_x_1")
          .add("@!P0 LDG.E.128 R4, desc[UR8][R2.64]", 12, {.stall = 4, .write_barrier = 2})
          .add("@P1 BRA `(.L_x_1)", 0, {.stall = 5, .read_barrier = 1, .wait = 0b100100})
          .add("EXIT")
          .parse();
  REQUIRE(code.compute_capability == 90);
  REQUIRE(code.instructions.size() == 4);
  const MachineInstruction& load = code.instructions[1];
  CHECK(load.address == 16);
  CHECK(load.opcode == "LDG.E.128");
  CHECK(load.name() == "LDG");
  CHECK(load.has_modifier("128"));
  CHECK_FALSE(load.has_modifier("12"));
  CHECK(load.guard == "!P0");
  CHECK(load.operands == "R4, desc[UR8][R2.64]");
  CHECK(load.stall == 4);
  CHECK(load.write_barrier == 2);
  CHECK_FALSE(load.read_barrier);
  CHECK(load.lines == std::vector<SourceLine>{{"fathom/device/contract/cuda_block.h", 28}, {"kernel.h", 12}});
  const MachineInstruction& branch = code.instructions[2];
  CHECK(branch.targets == std::vector<std::size_t>{1});
  CHECK(branch.wait_mask == 0b100100);
  CHECK(branch.read_barrier == 1);
  CHECK(branch.stall == 5);
}

TEST_CASE("what is no listing is refused") {
  CHECK_THROWS_WITH(parse_disassembly(""), Contains("no instructions"));
  CHECK_THROWS_WITH(parse_disassembly("/*0000*/ NOP ; /* 0x0 */"), Contains("cut short"));
  CHECK_THROWS_WITH(parse_disassembly("/* 0x0000000000000000 */"), Contains("without an instruction"));
  CHECK_THROWS_WITH(parse_disassembly("/*zz*/ NOP ; /* 0x0 */"), Contains("'zz'"));
}

TEST_CASE("straight code runs once per warp") {
  const auto code = Listing()
                        .add("LDG.E R0, [R2]", 5)
                        .times(3, "IADD3 R0, R0, R1, RZ")
                        .add("IMAD R0, R1, R2, R3")
                        .add("EXIT")
                        .parse();
  KernelCounts counts = forty_warps();
  add_loads(counts, 5, 40, 40, 40);
  const KernelInstructions result = count_instructions(code, counts);
  CHECK(result.issued == Approx(40 * 6).epsilon(1e-4));
  CHECK(result.on(Pipe::alu) == Approx(40 * 3).epsilon(1e-4));
  CHECK(result.on(Pipe::fma) == Approx(40).epsilon(1e-4));
  CHECK(result.on(Pipe::lsu) == Approx(40).epsilon(1e-4));
  CHECK(result.on(Pipe::cbu) == Approx(40).epsilon(1e-4));
  CHECK(result.by_opcode.at("IADD3") == Approx(120).epsilon(1e-4));
  CHECK(relative(result.most_issued, 240) < 1e-3);
}

TEST_CASE("a loop runs as often as its load was counted") {
  const auto code = Listing()
                        .times(4, "MOV R0, R1")
                        .label(".L_x_0")
                        .add("LDG.E R0, [R2]", 5)
                        .times(9, "IADD3 R0, R0, R1, RZ")
                        .add("@P0 BRA `(.L_x_0)")
                        .add("EXIT")
                        .parse();
  KernelCounts counts = forty_warps();
  add_loads(counts, 5, 40 * 7, 40 * 7, 40);
  const KernelInstructions result = count_instructions(code, counts);
  CHECK(result.loose_loops.empty());
  CHECK(relative(result.issued, 40 * (4 + 7 * 11 + 1)) < 1e-3);
}

TEST_CASE("copies of a load in an unrolled loop and its remainder share the count") {
  // Fourteen loads: three turns of four and two of one.
  const auto code = Listing()
                        .add("@P2 BRA `(.L_x_1)")
                        .label(".L_x_0")
                        .add("LDG.E R0, [R2]", 5)
                        .add("LDG.E R1, [R2+0x80]", 5)
                        .add("LDG.E R3, [R2+0x100]", 5)
                        .add("LDG.E R4, [R2+0x180]", 5)
                        .times(5, "IADD3 R0, R0, R1, RZ")
                        .add("@P0 BRA `(.L_x_0)")
                        .label(".L_x_1")
                        .add("LDG.E R0, [R2]", 5)
                        .times(4, "IADD3 R0, R0, R1, RZ")
                        .add("@P0 BRA `(.L_x_1)")
                        .add("EXIT")
                        .parse();
  KernelCounts counts = forty_warps();
  add_loads(counts, 5, 40 * 14, 40 * 14, 40);
  const KernelInstructions result = count_instructions(code, counts);
  CHECK(result.by_opcode.at("LDG") == Approx(40 * 14).epsilon(1e-3));
  // The remainder runs once at least; 13 / 4 turns before it are the fewest instructions.
  CHECK(relative(result.issued, 40 * (1 + 13 / 4. * 10 + 6 + 1)) < 2e-3);
  CHECK(result.most_issued >= 40 * (1 + 3 * 10 + 2 * 6 + 1));
}

TEST_CASE("loads that the compiler combined are counted in words") {
  const auto code = Listing().add("LDG.E.128 R0, [R2]", 5).add("EXIT").parse();
  KernelCounts counts = forty_warps();
  add_loads(counts, 5, 4 * 40, 4 * 40, 40);
  const KernelInstructions result = count_instructions(code, counts);
  REQUIRE(result.worst_anchor());
  CHECK(result.worst_anchor()->mismatch() == Approx(0).margin(0.01));
}

TEST_CASE("both ways of a branch run as often as their loads, also where lanes part") {
  const auto code = Listing()
                        .add("BSSY B0, `(.L_x_2)")
                        .add("@P0 BRA `(.L_x_0)")
                        .add("LDG.E R0, [R2]", 5)
                        .times(10, "IADD3 R0, R0, R1, RZ")
                        .add("BRA `(.L_x_1)")
                        .label(".L_x_0")
                        .add("LDG.E R0, [R2]", 15)
                        .times(20, "IMAD R0, R0, R1, RZ")
                        .label(".L_x_1")
                        .add("BSYNC B0")
                        .label(".L_x_2")
                        .add("EXIT")
                        .parse();
  KernelCounts counts = forty_warps();
  SECTION("each warp goes one way") {
    add_loads(counts, 5, 30, 30, 30);
    add_loads(counts, 15, 10, 10, 10);
    const KernelInstructions result = count_instructions(code, counts);
    CHECK(relative(result.issued, 40 * 2 + 30 * 12 + 10 * 21 + 40 * 2) < 1e-3);
  }
  SECTION("all warps part") {
    add_loads(counts, 5, 40, 40, 40);
    add_loads(counts, 15, 40, 40, 40);
    const KernelInstructions result = count_instructions(code, counts);
    CHECK(relative(result.on(Pipe::fma), 40 * 20) < 1e-3);
    CHECK(relative(result.on(Pipe::alu), 40 * 10) < 1e-3);
    CHECK(relative(result.by_opcode.at("EXIT"), 40) < 1e-3);
  }
}

TEST_CASE("a branch around nothing but compare-exchanges is taken as often as these were counted") {
  for (const char* instruction : {"VIMNMX.U32 R0, R1, R2, PT", "SEL R0, R1, R2, P1", "@P1 MOV R0, R1"}) {
    INFO(instruction);
    const auto code = Listing()
                          .add("LDG.E R0, [R2]", 5)
                          .add("@P0 BRA `(.L_x_0)")
                          .add(instruction, 8, {}, "put_in_order.h")
                          .add(instruction, 8, {}, "put_in_order.h")
                          .add("IADD3 R0, R0, R1, RZ")
                          .label(".L_x_0")
                          .add("EXIT")
                          .parse();
    KernelCounts counts = forty_warps();
    add_loads(counts, 5, 40, 40, 40);
    counts.exchanged_words = 30;  // each is two selections
    const KernelInstructions result = count_instructions(code, counts);
    CHECK(relative(result.issued, 40 * 3 + 30 * 3) < 1e-3);
    counts.exchanged_words = 0;
    CHECK(relative(count_instructions(code, counts).issued, 40 * 3) < 1e-3);
  }
}

TEST_CASE("a guarded load issues also where no lane executes it") {
  const auto code = Listing().add("LDG.E R1, [R4]", 3).add("@P0 LDG.E R0, [R2]", 9).add("EXIT").parse();
  KernelCounts counts = forty_warps();
  add_loads(counts, 3, 40, 40, 40);
  add_loads(counts, 9, 8, 8, 8);
  CHECK(relative(count_instructions(code, counts).issued, 120) < 1e-3);
}

TEST_CASE("a combined store takes the wavefronts of one of its accesses, or what its width needs") {
  const auto code = Listing().add("STS.128 [R2], R4", 5).add("EXIT").parse();
  const auto wavefronts = [&](u64 of_each) {
    KernelCounts counts = forty_warps();
    add_shared_stores(counts, 5, 4 * 40, of_each, 40);
    const KernelInstructions result = count_instructions(code, counts);
    CHECK(relative(result.by_opcode.at("STS"), 40) < 1e-3);
    return result.shared_wavefronts / 40;  // of an STS.128
  };
  CHECK(wavefronts(1) == Approx(4).epsilon(1e-3));  // 512 bytes
  CHECK(wavefronts(4) == Approx(4).epsilon(1e-3));
  CHECK(wavefronts(8) == Approx(8).epsilon(1e-3));
}

TEST_CASE("stores that were not combined take what was counted") {
  const auto code = Listing().add("STS [R2], R4", 5).add("STS [R3], R4", 5).add("EXIT").parse();
  KernelCounts counts = forty_warps();
  add_shared_stores(counts, 5, 2 * 40, 3, 40);
  CHECK(count_instructions(code, counts).shared_wavefronts == Approx(2 * 40 * 3).epsilon(1e-3));
}

TEST_CASE("a guarded access takes a wavefront also where no lane executes it") {
  const auto code = Listing().add("STS [R2], R4", 3).add("@P0 STS [R2], R4", 9).add("EXIT").parse();
  KernelCounts counts = forty_warps();
  add_shared_stores(counts, 3, 40, 1, 40);
  add_shared_stores(counts, 9, 8, 2, 8);
  // 40 of the first; of the guarded one 8 with a conflict, and 32 that find no lane.
  CHECK(count_instructions(code, counts).shared_wavefronts == Approx(40 + 8 * 2 + 32).epsilon(1e-3));
}

TEST_CASE("one combined store may serve two places in the source") {
  const auto code = Listing().add("STS.128 [R2], R4", 5).add("EXIT").parse();
  KernelCounts counts = forty_warps();
  counts.blocks *= 2;  // eighty warps: half of the words come from each place
  add_shared_stores(counts, 5, 4 * 40, 4, 40);
  add_shared_stores(counts, 30, 4 * 40, 4, 40);
  CHECK(count_instructions(code, counts).shared_wavefronts == Approx(80 * 4).epsilon(1e-3));
}

TEST_CASE("a combined store may have a line of which it is none") {
  const auto code = Listing().add("LDG.E R0, [R2]", 3).add("STS.128 [R2], R4", 5).add("EXIT").parse();
  KernelCounts counts = forty_warps();
  add_loads(counts, 3, 40, 40, 40);
  add_shared_stores(counts, 30, 2 * 40, 2, 40);
  add_shared_stores(counts, 60, 2 * 40, 2, 40);
  CHECK(count_instructions(code, counts).shared_wavefronts == Approx(40 * 4).epsilon(1e-3));
}

TEST_CASE("one instruction under a neighbouring line does not make the other way of a branch run") {
  // Both ways have a line 20 and a line 30 eighteen times; on the usual one the compiler gave an instruction
  // of the former to the latter. Line 8, ahead of the branch and on the unusual way, ran ahead of it only.
  Listing listing;
  constexpr int times = 18, ahead = 4;
  for (int i = 0; i < ahead; ++i) listing.add("SHFL.IDX PT, R0, R1, R2", 8);
  listing.add("BSSY B0, `(.L_x_behind)").add("@P0 BRA `(.L_x_unusual)");
  for (int i = 0; i < times; ++i) listing.add("STS [R2], R4", i == 0 ? 30 : 20).add("STS [R3], R4", 30);
  listing.add("BRA `(.L_x_end)").label(".L_x_unusual");
  for (int i = 0; i < times; ++i)
    listing.add("SHFL.IDX PT, R0, R1, R2", 8)
        .add("STS [R2], R4", 20)
        .add(fmt::format("@P1 BRA `(.L_x_{}a)", i))
        .add("STS [R3], R4", 30)
        .label(fmt::format(".L_x_{}a", i));
  listing.label(".L_x_end").add("BSYNC B0").label(".L_x_behind").add("EXIT");
  KernelCounts counts = forty_warps();
  for (const int line : {20, 30}) {
    add_shared_stores(counts, unsigned(line), 40 * times, 1, 40);
    counts.sites.back().visits = 40 * times;
  }
  counts.instruction_sites.push_back({.function = "",
                                      .file = "kernel.h",
                                      .path = "/a/kernel.h",
                                      .line = 8,
                                      .instruction = Instruction::shuffle,
                                      .executions = 40 * ahead,
                                      .words = 40 * ahead});
  CHECK(relative(count_instructions(listing.parse(), counts).issued, 40 * (ahead + 2 + 2 * times + 1 + 2)) <
        1e-3);
}

TEST_CASE("a shared access without machine code takes what was counted") {
  const auto code = Listing().add("LDG.E R0, [R2]", 3).add("EXIT").parse();
  KernelCounts counts = forty_warps();
  add_loads(counts, 3, 40, 40, 40);
  add_shared_stores(counts, 30, 20, 2, 20);
  CHECK(count_instructions(code, counts).shared_wavefronts == 20 * 2);
}

TEST_CASE("an access that the compiler joined with another within eight lines is counted with it") {
  const auto code = Listing().add("LDG.E R1, [R4]", 3).add("@P0 LDG.E R0, [R2]", 20).add("EXIT").parse();
  const auto counted_with_it = [&](unsigned line) {
    KernelCounts counts = forty_warps();
    add_loads(counts, 3, 40, 40, 40);
    add_loads(counts, 20, 15, 15, 15);
    add_loads(counts, line, 25, 25, 25);
    const KernelInstructions result = count_instructions(code, counts);
    CHECK(result.without_code.size() == 1);
    const auto anchor =
        std::ranges::find_if(result.anchors, [](const auto& one) { return one.line.line == 20; });
    REQUIRE(anchor != result.anchors.end());
    return anchor->counted;
  };
  CHECK(counted_with_it(28) == 40);
  CHECK(counted_with_it(12) == 40);
  CHECK(counted_with_it(29) == 15);
}

TEST_CASE("additions with VIADD run where multiplications do") {
  const auto code = Listing().add("LDG.E R0, [R2]", 5).times(3, "VIADD R0, R0, 0x1").add("EXIT").parse();
  KernelCounts counts = forty_warps();
  add_loads(counts, 5, 40, 40, 40);
  const KernelInstructions result = count_instructions(code, counts);
  CHECK(result.on(Pipe::fma) == Approx(3 * 40).epsilon(1e-4));
  CHECK(result.on(Pipe::alu) == 0);
}

TEST_CASE("an unknown opcode is named and issued, on no pipe") {
  const auto code = Listing().add("LDG.E R1, [R4]", 3).add("FROBNICATE.U32 R1, R2").add("EXIT").parse();
  KernelCounts counts = forty_warps();
  add_loads(counts, 3, 40, 40, 40);
  const KernelInstructions result = count_instructions(code, counts);
  CHECK(result.issued == Approx(120).epsilon(1e-4));
  REQUIRE(result.unknown.size() == 1);
  CHECK(result.unknown.at("FROBNICATE") == Approx(40).epsilon(1e-4));
  double on_pipes = 0;
  for (Pipe pipe : all_pipes) on_pipes += result.on(pipe);
  CHECK(on_pipes == Approx(80).epsilon(1e-4));
}

TEST_CASE("a loop in which nothing is counted is reported") {
  const auto code = Listing()
                        .add("LDG.E R1, [R4]", 3)
                        .label(".L_x_0")
                        .add("IADD3 R0, R0, R1, RZ", 4)
                        .add("@P0 BRA `(.L_x_0)")
                        .add("EXIT")
                        .parse();
  KernelCounts counts = forty_warps();
  add_loads(counts, 3, 40, 40, 40);
  const KernelInstructions result = count_instructions(code, counts);
  REQUIRE(result.loose_loops.size() == 1);
  CHECK(result.loose_loops[0].address == 16);
  CHECK(result.loose_loops[0].line == SourceLine{"kernel.h", 4});
  CHECK(relative(result.issued, 40 * 4) < 1e-3);
}

TEST_CASE("a count without instructions is reported") {
  const auto code = Listing().add("LDG.E R1, [R4]", 3).add("EXIT").parse();
  KernelCounts counts = forty_warps();
  add_loads(counts, 3, 40, 40, 40);
  add_loads(counts, 30, 40, 40, 40);
  const KernelInstructions result = count_instructions(code, counts);
  REQUIRE(result.without_code.size() == 1);
  CHECK(result.without_code[0].line.line == 30);
}

TEST_CASE("a kernel without line information is refused") {
  CHECK_THROWS_WITH(count_instructions(Listing().add("EXIT").parse(), forty_warps()),
                    Contains("no line information"));
}

TEST_CASE("a warp waits once for a batch of loads, and once more for a load that depends on it") {
  const auto code = Listing()
                        .add("LDG.E R0, [R2]", 5, {.stall = 2, .write_barrier = 0})
                        .add("LDG.E R1, [R4]", 0, {.stall = 2, .write_barrier = 1})
                        .add("IADD3 R6, R0, R1, RZ", 0, {.stall = 4, .wait = 0b01})
                        .add("IADD3 R6, R6, R1, RZ", 0, {.stall = 4, .wait = 0b10})
                        .add("LDS R7, [R6]", 0, {.stall = 2, .write_barrier = 0})
                        .add("BAR.SYNC.DEFER_BLOCKING 0x0", 0, {.stall = 3})
                        .add("IADD3 R7, R7, R7, RZ", 0, {.stall = 4, .wait = 0b01})
                        .add("EXIT", 0, {.stall = 5})
                        .parse();
  KernelCounts counts = forty_warps();
  add_loads(counts, 5, 80, 80, 40);
  const WarpChain chain = count_instructions(code, counts).chain;
  CHECK(chain.issue_clocks == Approx(2 + 2 + 4 + 4 + 2 + 3 + 4 + 5).epsilon(1e-3));
  CHECK(chain.of(WaitKind::global).batches == Approx(1).epsilon(1e-3));
  CHECK(chain.of(WaitKind::global).covered ==
        Approx(4).epsilon(1e-3));  // of the first load; the second follows
  CHECK(chain.of(WaitKind::shared).batches == Approx(1).epsilon(1e-3));
  CHECK(chain.of(WaitKind::shared).covered == Approx(5).epsilon(1e-3));
  CHECK(chain.of(WaitKind::special).batches == Approx(0).margin(1e-3));
  CHECK(chain.barriers == Approx(1).epsilon(1e-3));
  CHECK(chain.clocks({0, 0, 30, 500}) == Approx(26 + 496 + 25).epsilon(1e-3));
}

TEST_CASE("a wait in a later block belongs to the load and counts once per turn of the loop") {
  // The load of the next turn is issued before the sum of this one: a pipeline of two.
  const auto code = Listing()
                        .add("LDG.E R0, [R2]", 5, {.stall = 2, .write_barrier = 0})
                        .label(".L_x_0")
                        .add("MOV R3, R0", 0, {.stall = 4, .wait = 0b1})
                        .add("LDG.E R0, [R2]", 25, {.stall = 2, .write_barrier = 0})
                        .add("IADD3 R5, R5, R3, RZ", 0, {.stall = 4})
                        .add("@P0 BRA `(.L_x_0)", 0, {.stall = 5})
                        .add("EXIT", 0, {.stall = 5})
                        .parse();
  KernelCounts counts = forty_warps();
  add_loads(counts, 5, 40, 40, 40);
  add_loads(counts, 25, 400, 400, 40);
  const WarpChain chain = count_instructions(code, counts).chain;
  CHECK(chain.of(WaitKind::global).batches == Approx(10).epsilon(1e-3));
  CHECK(chain.issue_clocks == Approx(2 + 10 * 15 + 5).epsilon(1e-3));
}

TEST_CASE("a load is waited for however many branches are in between") {
  Listing listing;
  listing.add("LDG.E R0, [R2]", 5, {.stall = 2, .write_barrier = 0});
  constexpr int branches = 20;
  for (int i = 0; i < branches; ++i) {
    const std::string label = ".L_x_" + std::to_string(i);
    listing.add("@P0 BRA `(" + label + ")", 0, {.stall = 5}).label(label);
  }
  listing.add("MOV R3, R0", 0, {.stall = 4, .wait = 0b1}).add("EXIT", 0, {.stall = 5});
  KernelCounts counts = forty_warps();
  add_loads(counts, 5, 40, 40, 40);
  const WarpChain chain = count_instructions(listing.parse(), counts).chain;
  CHECK(chain.of(WaitKind::global).batches == Approx(1).epsilon(1e-3));
  CHECK(chain.of(WaitKind::global).covered == Approx(2 + branches * 5).epsilon(1e-3));
}

TEST_CASE("the chain is that of the slowest warp, unless hardly any block has such a one") {
  Listing listing;
  listing.add("LDG.E R0, [R2]", 5, {.stall = 2}).add("@P0 BRA `(.L_x_0)", 0, {.stall = 5});
  listing.add("LDG.E R0, [R2]", 25, {.stall = 2});
  for (int i = 0; i < 10; ++i) listing.add("IADD3 R5, R5, R3, RZ", 0, {.stall = 4});
  const auto code = listing.label(".L_x_0").add("EXIT", 0, {.stall = 5}).parse();
  const auto clocks = [&](u64 blocks, u64 warps_with_more) {
    KernelCounts counts = forty_warps();
    counts.blocks = blocks;
    add_loads(counts, 5, 4 * blocks, 4 * blocks, 4 * blocks);
    add_loads(counts, 25, warps_with_more, warps_with_more, warps_with_more);
    return count_instructions(code, counts).chain.issue_clocks;
  };
  const double all = 2 + 5 + 5, more = 2 + 10 * 4;
  CHECK(clocks(10, 40) == Approx(all + more).epsilon(1e-3));        // every warp
  CHECK(clocks(10, 10) == Approx(all + more).epsilon(1e-3));        // one of each block
  CHECK(clocks(10, 1) == Approx(all + more).epsilon(1e-3));         // one of ten blocks
  CHECK(clocks(100, 1) == Approx(all + more / 400).epsilon(1e-3));  // one of a hundred: the mean
}

TEST_CASE("a fence waits as long as a load, for what nobody waits for otherwise") {
  const auto chain_of = [](const char* fence) {
    const auto code = Listing().add("STG.E [R2], R0", 5).add(fence).add("EXIT").parse();
    KernelCounts counts = forty_warps();
    AccessSite site;
    site.path = "/b/kernel.h";
    site.line = 5;
    site.operation = MemoryOperation::store;
    site.global.accesses = 40;
    site.global.warp_words = 32 * 40;
    site.warps = site.visits = 40;
    counts.sites.push_back(site);
    return count_instructions(code, counts).chain;
  };
  CHECK(chain_of("MEMBAR.SC.GPU").of(WaitKind::global).batches == Approx(1).epsilon(1e-3));
  CHECK(chain_of("NOP").of(WaitKind::global).batches == 0);
}

TEST_CASE("the dominators and loops of a diamond in a loop") {
  const auto code = Listing()
                        .add("MOV R0, R1")  // block 0
                        .label(".L_x_0")
                        .add("@P0 BRA `(.L_x_1)")  // 1
                        .add("MOV R0, R1")         // 2
                        .label(".L_x_1")
                        .add("@P1 BRA `(.L_x_0)")  // 3
                        .add("EXIT")               // 4
                        .parse();
  const FlowGraph flow = flow_graph(code);
  REQUIRE(flow.blocks.size() == 5);
  REQUIRE(flow.loops.size() == 1);
  CHECK(flow.loops[0].blocks == std::vector<std::size_t>{1, 2, 3});
  CHECK(flow.dominator({2, 3}) == 1);
  CHECK(flow.dominator({4}) == 4);
  CHECK(flow.postdominator({1, 2}) == 3);
  CHECK(flow.postdominator({0, 4}) == 4);
}

TEST_CASE("a machine without disassembler says what to install") {
  setenv("FATHOM_NVDISASM", "/nowhere/nvdisasm", 1);
  CHECK_THROWS_AS(disassemble(std::vector<char>{'x'}), DisassemblerUnavailable);
  CHECK_THROWS_WITH(disassemble(std::vector<char>{'x'}), Contains("nvidia-cuda-nvdisasm"));
  unsetenv("FATHOM_NVDISASM");
}
