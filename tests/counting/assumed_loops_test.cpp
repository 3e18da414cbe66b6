// SPDX-License-Identifier: Apache-2.0
// Loops that the compiler unrolls, from machine code alone: what a block reads, and the instructions that
// further turns take, beside what the source says.
#include "../support/skip.h"

#include <fathom/algorithms/cuda_kernel.h>
#include <fathom/counting/assumed_work.h>
#include <fathom/device/cuda/cuda_executor.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace fathom;

namespace {

struct Kernel {
  std::string name;
  std::string loop;    ///< a part of its line
  double read_a_turn;  ///< bytes, by a thread
  std::string text;
  /// Turns whose accesses are made under guards, by code that runs if there is at least one of them: all
  /// count.
  double guarded = 0;
};

/// x[first], x[first + 1024], … by each thread.
std::string columns(const std::string& type, const std::string& pragma, const std::string& statement) {
  return "__global__ void kernel(const " + type + "* x, const " + type + "* y, " + type +
         "* out, int n) {\n"
         "  const int first = blockIdx.x * blockDim.x + threadIdx.x;\n  " +
         type + " sum = 0;\n" + pragma + "\n  for (int k = 0; k < n; ++k)\n    " + statement +
         "\n  out[first] = sum;\n}\n";
}

/// A row by each warp, whose lanes read neighbouring elements.
std::string rows(const std::string& type, const std::string& pragma, const std::string& statement) {
  return "__global__ void kernel(const " + type + "* x, const " + type + "* y, " + type +
         "* out, int n, int width) {\n"
         "  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;\n"
         "  if (row >= n) return;\n  " +
         type + " sum = 0;\n" + pragma +
         "\n  for (int k = lane; k < width; k += 32) {\n    const long long i = (long long)row * width + "
         "k;\n    " +
         statement + "\n  }\n  out[row * 32 + lane] = sum;\n}\n";
}

/// A grid whose threads take elements in turn.
std::string strided(const std::string& type, const std::string& statement) {
  return "__global__ void kernel(const " + type + "* x, const " + type + "* y, " + type +
         "* out, int n) {\n  " + type +
         " sum = 0;\n"
         "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)\n    " +
         statement + "\n  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;\n}\n";
}

std::vector<Kernel> kernels() {
  const char* const k = "for (int k";
  const char* const i = "for (int i";
  const std::string f32 = "float", u32 = "unsigned", u64 = "unsigned long long";
  const std::string sum = "sum += x[i];", dot = "sum += x[i] * y[i];", most = "if (x[i] > sum) sum = x[i];";
  const std::string column = "sum += x[k * 1024 + first];",
                    columns_dot = "sum += x[k * 1024 + first] * y[k * 1024 + first];";
  return {
      {"sum of rows, f32", k, 4, rows(f32, "", sum)},
      {"sum of rows, u32", k, 4, rows(u32, "", sum)},
      {"sum of rows, u64", k, 8, rows(u64, "", sum)},
      {"sum of rows by 1", k, 4, rows(f32, "#pragma unroll 1", sum)},
      {"sum of rows by 4", k, 4, rows(u32, "#pragma unroll 4", sum)},
      {"sum of rows by 8", k, 4, rows(f32, "#pragma unroll 8", sum)},
      {"dot product of rows, f32", k, 8, rows(f32, "", dot)},
      {"dot product of rows, u64", k, 16, rows(u64, "", dot)},
      {"greatest of rows, f32", k, 4, rows(f32, "", most)},
      {"greatest of rows, u32", k, 4, rows(u32, "", most)},
      {"sum of columns, f32", k, 4, columns(f32, "", column)},
      {"sum of columns, u64", k, 8, columns(u64, "", column)},
      {"sum of columns by 8", k, 4, columns(u32, "#pragma unroll 8", column)},
      {"dot product of columns, f32", k, 8, columns(f32, "", columns_dot)},
      {"dot product of columns, u64", k, 16, columns(u64, "", columns_dot), 3},
      {"strided sum, f32", i, 4, strided(f32, sum)},
      {"strided dot product, u32", i, 8, strided(u32, dot)},
      {"halving", "while (n", 4,
       "__global__ void kernel(const float* x, float* out, int n) {\n"
       "  float sum = 0;\n"
       "  while (n > 0) {\n"
       "    sum += x[n * 1024 + threadIdx.x];\n"
       "    n /= 2;\n"
       "  }\n"
       "  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;\n}\n"},
  };
}

struct Compiled {
  CubinKernel kernel;
  Disassembly code;
};

Compiled compiled(const std::string& text, int architecture) try {
  const std::vector<char> cubin = compile_cuda(text, "kernel", architecture).cubin;
  const CubinKernel kernel = kernels_of(cubin).front();
  return {kernel, disassemble(cubin, kernel.index)};
} catch (const DisassemblerUnavailable& unavailable) {
  tests::skip(unavailable.what());
}

/// Ten blocks of eight warps.
constexpr LaunchGrid launch{{10, 1, 1}, {256, 1, 1}};

AssumedWork assumed(const Compiled& of, const std::vector<std::pair<int, double>>& turns_at_lines) {
  std::vector<GivenTurns> given;
  for (const auto& [line, turns] : turns_at_lines) {
    GivenTurns& one = given.emplace_back();
    one.line = line;
    one.turns = turns;
  }
  return assumed_work(of.kernel, of.code, launch, 0, given);
}

}  // namespace

TEST_CASE("a loop that the compiler unrolls reads once for each of its turns in the source") {
  tests::need_compiler();
  for (const int architecture : {80, 90, 120})
    for (const Kernel& one : kernels()) {
      const Compiled kernel = compiled(one.text, architecture);
      const int line = line_with(one.text, one.loop);
      for (const double turns : {0, 1, 2, 3, 4, 5, 7, 8, 11, 12, 15, 16, 17, 31, 100, 1003}) {
        CAPTURE(architecture, one.name, turns);
        const AssumedWork work = assumed(kernel, {{line, turns}});
        const double read = *work.launch.demand(&Work::bytes_read) / (256 * one.read_a_turn);
        CHECK(read >= Approx(turns).margin(1e-9));
        CHECK(read <= Approx(turns + std::max(0.0, one.guarded - 1)).margin(1e-9));
        CHECK(work.loops.size() == 1);
      }
    }
}

TEST_CASE("further turns are done by the most unrolled loop") {
  tests::need_compiler();
  for (const int architecture : {80, 90, 120})
    for (const Kernel& one : kernels()) {
      CAPTURE(architecture, one.name);
      const Compiled kernel = compiled(one.text, architecture);
      const int line = line_with(one.text, one.loop);
      const FlowGraph flow = flow_graph(kernel.code);
      double size = 0, bytes = 0;  // of the largest loop
      for (const Loop& loop : flow.loops) {
        double own_size = 0, own_bytes = 0;
        for (const std::size_t block : loop.blocks)
          for (std::size_t i = flow.blocks[block].first; i < flow.blocks[block].last; ++i) {
            const MachineInstruction& instruction = kernel.code.instructions[i];
            own_size += 1;
            if (instruction.name() == "LDG") own_bytes += instruction.has_modifier("64") ? 8 : 4;
          }
        if (own_bytes > bytes) std::tie(size, bytes) = std::pair(own_size, own_bytes);
      }
      // 64 is a multiple of all factors by which loops are unrolled. A block has eight warps.
      const auto instructions = [&](double turns) {
        return *assumed(kernel, {{line, turns}}).launch.demand(&Work::instructions);
      };
      CHECK(instructions(1064) - instructions(1000) == Approx(8 * size * 64 * one.read_a_turn / bytes));
    }
}

TEST_CASE("loops within each other, each unrolled by the compiler") {
  tests::need_compiler();
  const std::string text =
      "__global__ void kernel(const float* x, float* out, int rows, int columns) {\n"
      "  float sum = 0;\n"
      "  for (int r = 0; r < rows; ++r) {\n"
      "    const float* const row = x + r * columns * 1024;\n"
      "    for (int c = 0; c < columns; ++c)\n"
      "      sum += row[c * 1024 + threadIdx.x];\n"
      "  }\n"
      "  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;\n}\n";
  const int rows = line_with(text, "for (int r"), columns = line_with(text, "for (int c");
  for (const int architecture : {80, 90, 120}) {
    const Compiled kernel = compiled(text, architecture);
    for (const double r : {1, 7, 64})
      for (const double c : {1, 3, 16, 31, 100}) {
        CAPTURE(architecture, r, c);
        const AssumedWork work = assumed(kernel, {{rows, r}, {columns, c}});
        const double turns = *work.launch.demand(&Work::bytes_read) / 1024;
        // The last of three turns that an unrolled loop leaves over may be made under a guard.
        CHECK(turns >= Approx(r * c));
        CHECK(turns <= Approx(r * (c + 1)));
      }
  }
}

TEST_CASE("a loop with constant bounds needs no turns") {
  tests::need_compiler();
  for (const int architecture : {80, 90, 120})
    for (const int turns : {12, 64}) {
      CAPTURE(architecture, turns);
      const std::string text =
          "__global__ void kernel(const float* x, float* out) {\n"
          "  float sum = 0;\n"
          "  for (int k = 0; k < " +
          std::to_string(turns) +
          "; ++k) sum += x[k * 1024 + threadIdx.x];\n"
          "  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;\n}\n";
      const AssumedWork work = assumed(compiled(text, architecture), {});
      CHECK(*work.launch.demand(&Work::bytes_read) == Approx(1024 * turns));
      for (const AssumedLoop& loop : work.loops) CHECK(loop.from == AssumedLoop::From::code);
    }
}

TEST_CASE("a mean of turns is that of warps with the whole numbers around it") {
  tests::need_compiler();
  for (const int architecture : {80, 90, 120}) {
    CAPTURE(architecture);
    const std::string text = rows("unsigned", "", "sum += x[i];");
    const Compiled kernel = compiled(text, architecture);
    const int line = line_with(text, "for (int k");
    for (const Demand& demand : all_demands) {
      if (demand.value != &Work::bytes_read && demand.value != &Work::instructions) continue;
      const auto amount = [&](double turns) {
        return *assumed(kernel, {{line, turns}}).launch.demand(demand.value);
      };
      for (const double turns : {0.25, 3.25, 15.25, 31.25, 1000.25}) {
        CAPTURE(demand.name, turns);
        CHECK(amount(turns) == Approx(0.75 * amount(turns - 0.25) + 0.25 * amount(turns + 0.75)));
      }
    }
  }
}
