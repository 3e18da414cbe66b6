// SPDX-License-Identifier: Apache-2.0
// Predictions of cubins, which a program in place of nvdisasm lists.
#include "../device/code/listing.h"
#include "../support/programs.h"
#include "run.h"

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <elf.h>

#include <cstring>

using namespace fathom::tests;
using Catch::Matchers::Contains;

namespace {

/// With the kernels none(float*) of at most 128 threads, tiny(float*) and, extern "C", dyn.
const std::string cubin = std::string(FATHOM_SEEDS) + "/cubin/several-kernels.cubin";

/// A warp loads a word, then loads as often as a loop at line 7 turns, and stores.
const std::string a_loop = Listing()
                               .add_own("S2R R0, SR_TID.X", 3)
                               .add_own("LDG.E R4, desc[UR4][R2.64]", 4)
                               .label(".L_x_0")
                               .add_own("IADD3 R2, R2, R0, RZ", 7)
                               .add_own("LDG.E R4, desc[UR4][R2.64]", 8)
                               .add_own("ISETP.GE.AND P0, PT, R2, R6, PT", 7)
                               .add_own("@!P0 BRA `(.L_x_0)", 7)
                               .add_own("IADD3 R8, R0, R0, RZ", 9)
                               .add_own("STG.E desc[UR4][R8.64], R4", 9)
                               .add_own("EXIT", 10)
                               .text();

class Disassembler {
 public:
  explicit Disassembler(const std::string& listing = a_loop) {
    write(folder_ / "listing", listing);
    put_program(folder_ / "nvdisasm", "cat " + folder_.file("listing"));
  }
  Outcome run(const std::string& arguments) const {
    return run_fathom_with("FATHOM_NVDISASM=" + folder_.file("nvdisasm"), "predict " + arguments);
  }
  json answer(const std::string& arguments) const {
    const Outcome outcome = run(arguments + " --json");
    INFO(arguments << '\n' << outcome.err);
    REQUIRE(outcome.code == 0);
    return json::parse(outcome.out);
  }
  std::string error(const std::string& arguments, int code) const {
    const Outcome outcome = run(arguments);
    INFO(arguments);
    CHECK(outcome.code == code);
    CHECK(outcome.out.empty());
    CHECK(std::ranges::count(outcome.err, '\n') == 1);
    return outcome.err;
  }

 private:
  ScratchDirectory folder_;
};

const std::string asked = cubin + " --kernel tiny --grid 1320 --block 256 --device h200 ";

std::string elf_of_the_host() {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_machine = EM_X86_64;
  header.e_shoff = sizeof header;
  header.e_shnum = 1;
  Elf64_Shdr section{};
  return std::string(reinterpret_cast<const char*>(&header), sizeof header)
      .append(reinterpret_cast<const char*>(&section), sizeof section);
}

}  // namespace

TEST_CASE("a cubin is predicted, with the turns of a loop as they are told") {
  const Disassembler disassembler;
  const json once = disassembler.answer(asked), often = disassembler.answer(asked + "--trips 7=100");
  CHECK(once["schema"] == "fathom.predict-machine-code");
  CHECK(once["kernel"] == "tiny");
  CHECK(once["architecture"] == 90);
  CHECK(once["static_shared_bytes"] == 32);
  CHECK(disassembler.answer(asked + "--trips 8=100") == often);  // a line of the loop's body names it, too
  // Eight warps; a load and a store, and a load in each turn.
  CHECK(once["work"]["bytes_read"] == 2 * 1024);
  CHECK(once["work"]["instructions"] == 8 * 9);
  CHECK(often["work"]["bytes_read"].get<double>() == Approx(101 * 1024));
  CHECK(often["work"]["instructions"].get<double>() == Approx(8 * (5 + 4 * 100)));
  CHECK(often["work"]["bytes_written"].get<double>() == Approx(1024));
  CHECK(often["time_s"].get<double>() > 2 * once["time_s"].get<double>());
  double sum = 0;
  for (const auto& [name, seconds] : often["terms"].items()) sum += seconds.get<double>();
  CHECK(sum == Approx(often["time_s"].get<double>()));
  REQUIRE(often["loops"].size() == 1);
  CHECK(often["loops"][0]["line"] == 7);
  CHECK(often["loops"][0]["from"] == "given");
  CHECK(once["loops"][0]["from"] == "assumed");
}

TEST_CASE("a prediction has an interval if nothing is assumed of its loops") {
  const Disassembler disassembler;
  CHECK(disassembler.answer(asked)["interval_s"].is_null());
  const json told = disassembler.answer(asked + "--trips 7=100");
  CHECK(told["interval_s"][0] < told["time_s"]);
  CHECK(told["interval_s"][1] > told["time_s"]);
}

TEST_CASE("the loops that nobody told stand below the prediction") {
  const Disassembler disassembler;
  const Outcome once = disassembler.run(asked);
  CHECK_THAT(once.out,
             Contains("--trips kernel.cu:7=N") && Contains("adjacent lanes") && Contains("bottleneck"));
  CHECK_THAT(disassembler.run(asked + "--trips 7=100").out, !Contains("=N") && Contains("given"));
}

TEST_CASE("what-if and sensitivities are those of other predictions") {
  const Disassembler disassembler;
  const json faster = disassembler.answer(asked + "--trips 7=100 --what-if dram.bandwidth=2x"),
             plain = disassembler.answer(asked + "--trips 7=100 --sensitivities");
  CHECK(faster["time_s"] < plain["time_s"]);
  CHECK(plain["sensitivities"].size() >= 3);
}

TEST_CASE("what cannot be predicted is refused in one line, with the way out") {
  const Disassembler disassembler;
  const ScratchDirectory scratch;
  write(scratch / "fat.cubin", "\x50\xed\x55\xba rest");
  write(scratch / "text.ptx", "//\n// Generated by NVIDIA NVVM Compiler\n//\n.version 8.0\n.target sm_90\n");
  write(scratch / "host.cubin", elf_of_the_host());
  write(scratch / "cut.cubin", content(cubin).substr(0, 3000));
  write(scratch / "other.cubin", "something else");
  struct Case {
    std::string arguments;
    int code;
    std::vector<std::string> says;
  };
  const std::string shape = " --grid 10 --block 64 --device h200";
  const Case cases[] = {
      {cubin + shape, 2, {"3 kernels", "--kernel", "tiny"}},
      {cubin + " --kernel tinny" + shape, 2, {"no kernel 'tinny'", "did you mean 'tiny'"}},
      {cubin + " --kernel tiny --block 64", 2, {"--grid", "missing"}},
      {cubin + " --kernel tiny --grid 0 --block 64", 2, {"--grid", "0 is out of range"}},
      {cubin + " --kernel tiny --grid 1,70000 --block 64", 2, {"--grid", "70000", "65535"}},
      {cubin + " --kernel tiny --grid 1x2 --block 64", 2, {"--grid", "1x2", "64,64"}},
      {cubin + " --kernel tiny --grid 1 --block 64,64", 2, {"4096 threads", "1024"}},
      {cubin + " --kernel none --grid 1 --block 256", 2, {"256 threads", "the kernel allows 128"}},
      {asked + "--trips 9=3", 2, {"no loop at line 9", "kernel.cu:7"}},
      {asked + "--trips 7", 2, {"--trips", "42=1000"}},
      {asked + "--trips other.cu:7=3", 2, {"no loop at other.cu:7"}},
      {asked + "--shared 300000", 2, {"shared memory", "--shared"}},
      {asked + "-n 100", 2, {"-n: omit it"}},
      {asked + "--from h100", 2, {"--from: omit it"}},
      {"sort-pairwise -n 100 --grid 5", 2, {"--grid: omit it"}},
      {scratch.file("fat.cubin") + shape, 2, {"fat binary", "cuobjdump -xelf all"}},
      {scratch.file("text.ptx") + shape, 2, {"PTX", "ptxas -arch"}},
      {scratch.file("host.cubin") + shape, 2, {"for the host", "cuobjdump -xelf all"}},
      {scratch.file("cut.cubin") + shape, 2, {"cut.cubin", "not the machine code"}},
      {scratch.file("other.cubin") + shape, 2, {"not an ELF file", "nvcc -cubin"}},
      {scratch.file("missing.cubin") + shape, 1, {"missing.cubin"}},
  };
  for (const Case& one : cases) {
    const std::string error = disassembler.error(one.arguments, one.code);
    INFO(one.arguments);
    for (const std::string& part : one.says) CHECK_THAT(error, Contains(part));
  }
}

TEST_CASE("code for other architectures, and without nvdisasm, is refused with the way out") {
  const Disassembler unknown(Listing(99).add("EXIT").text());
  CHECK_THAT(unknown.error(asked, 2), Contains("sm_99") && Contains("sm_90"));
  const Outcome without =
      run_fathom_with("FATHOM_NVDISASM=/nowhere/nvdisasm PATH=/nowhere", "predict " + asked);
  if (without.code == 0) return;  // the toolkit's own is found
  CHECK_THAT(without.err, Contains("nvidia-cuda-nvdisasm"));
}

TEST_CASE("arithmetic that the law has no rate of is refused") {
  const Disassembler tensor(Listing().add("HMMA.16816.F32 R0, R4, R8, R0").add("EXIT").text());
  CHECK_THAT(tensor.error(asked, 1), Contains("tensor cores"));
}
