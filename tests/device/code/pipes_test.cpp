// SPDX-License-Identifier: Apache-2.0
// Pipes by NVIDIA's tables of throughputs.
#include <fathom/device/code/pipes.h>

#include <catch2/catch.hpp>

using namespace fathom;

TEST_CASE("an opcode runs on the pipe that its architecture has for it") {
  struct Row {
    const char* opcode;
    int compute_capability;
    Pipe pipe;
  };
  for (const Row& row :
       {Row{"IADD3", 70, Pipe::alu}, Row{"IADD3", 90, Pipe::alu}, Row{"IADD3", 110, Pipe::alu},
        Row{"IADD3", 120, Pipe::fma}, Row{"VIMNMX", 121, Pipe::fma}, Row{"LOP3", 120, Pipe::alu},
        Row{"ISETP", 120, Pipe::alu}, Row{"IMAD", 75, Pipe::fma}, Row{"IMAD", 120, Pipe::fma},
        Row{"UIADD3", 120, Pipe::uniform}, Row{"LDS", 70, Pipe::lsu}, Row{"IADD3", 52, Pipe::alu}}) {
    INFO(row.opcode << " on sm_" << row.compute_capability);
    CHECK(pipe_of(row.opcode, row.compute_capability) == row.pipe);
  }
  for (const char* unknown : {"", "IAD", "IADD33"})
    for (const int architecture : {90, 120}) {
      INFO(unknown << " on sm_" << architecture);
      CHECK_FALSE(pipe_of(unknown, architecture));
    }
}

TEST_CASE("an instruction occupies its pipe for as long as the lanes take") {
  struct Row {
    Pipe pipe;
    int compute_capability, clocks;
  };
  // 32 lanes on a quarter of the units of a multiprocessor.
  for (const Row& row :
       {Row{Pipe::fma, 70, 2}, Row{Pipe::fma, 75, 2}, Row{Pipe::fma, 80, 2}, Row{Pipe::fma, 86, 1},
        Row{Pipe::fma, 90, 1}, Row{Pipe::fma, 120, 1}, Row{Pipe::fp64, 70, 4}, Row{Pipe::fp64, 80, 4},
        Row{Pipe::fp64, 89, 64}, Row{Pipe::fp64, 90, 2}, Row{Pipe::fp64, 100, 2}, Row{Pipe::fp64, 120, 64},
        Row{Pipe::alu, 75, 2}, Row{Pipe::alu, 120, 2}, Row{Pipe::xu, 86, 8}, Row{Pipe::uniform, 90, 2},
        Row{Pipe::lsu, 90, 1}, Row{Pipe::fma, 52, 1}}) {
    INFO(name(row.pipe) << " on sm_" << row.compute_capability);
    CHECK(clocks_on(row.pipe, row.compute_capability) == row.clocks);
  }
}
