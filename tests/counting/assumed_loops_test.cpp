// SPDX-License-Identifier: Apache-2.0
// Loops that the compiler unrolls, from machine code alone: what a block reads, and the instructions that
// further turns take, beside what the source says.
#include "../support/skip.h"

#include <fathom/algorithms/cuda_kernel.h>
#include <fathom/counting/assumed_work.h>
#include <fathom/device/cuda/cuda_executor.h>

#include <catch2/catch.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace fathom;

namespace {

struct Kernel {
  std::string name;
  std::string loop;    ///< a part of its line
  double read_a_turn;  ///< bytes, by a thread
  std::string text;
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
  std::vector<Kernel> all;
  const auto add = [&](const std::string& name, const std::string& loop, double bytes,
                       const std::string& text) {
    all.push_back({name, loop, bytes, text});
  };
  for (const auto& [type, bytes] :
       {std::pair("float", 4.0), std::pair("unsigned", 4.0), std::pair("unsigned long long", 8.0)}) {
    for (const char* pragma : {"", "#pragma unroll 1", "#pragma unroll 2", "#pragma unroll 4",
                               "#pragma unroll 8", "#pragma unroll 16"}) {
      const std::string of = std::string(type) + " " + pragma;
      add("sum of columns, " + of, "for (int k", bytes, columns(type, pragma, "sum += x[k * 1024 + first];"));
      add("sum of rows, " + of, "for (int k", bytes, rows(type, pragma, "sum += x[i];"));
      add("norm of rows, " + of, "for (int k", bytes, rows(type, pragma, "sum += x[i] * x[i];"));
      add("dot product of rows, " + of, "for (int k", 2 * bytes, rows(type, pragma, "sum += x[i] * y[i];"));
    }
    const std::string of = type;
    add("dot product of columns, " + of, "for (int k", 2 * bytes,
        columns(type, "", "sum += x[k * 1024 + first] * y[k * 1024 + first];"));
    add("greatest of columns, " + of, "for (int k", bytes,
        columns(type, "", "if (x[k * 1024 + first] > sum) sum = x[k * 1024 + first];"));
    add("greatest of rows, " + of, "for (int k", bytes, rows(type, "", "if (x[i] > sum) sum = x[i];"));
    add("strided sum, " + of, "for (int i", bytes, strided(type, "sum += x[i];"));
    add("strided dot product, " + of, "for (int i", 2 * bytes, strided(type, "sum += x[i] * y[i];"));
  }
  return all;
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
      for (const double turns :
           {0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 8.0, 11.0, 12.0, 15.0, 16.0, 17.0, 31.0, 100.0, 1003.0}) {
        CAPTURE(architecture, one.name, turns);
        const AssumedWork work = assumed(kernel, {{line, turns}});
        CHECK(*work.launch.demand(&Work::bytes_read) == Approx(256 * one.read_a_turn * turns).margin(1e-6));
      }
    }
}
