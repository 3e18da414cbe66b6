// SPDX-License-Identifier: Apache-2.0
// One multiprocessor, simulated: how long blocks of a kernel take on its pipes if memory answers after given
// clocks. Warps follow the machine code as often as its blocks ran, and everything is deterministic.
//
// Each of the schedulers issues one instruction per clock at most, of the oldest warp that can go on: whose
// stall count has passed, whose scoreboards are released, and whose pipe is free. Registers of one parity are
// read one after another. Shared memory, shuffles and lines of global memory pass one queue, in the order of
// their issue.
#pragma once

#include <fathom/device/code/frequencies/frequencies.h>
#include <fathom/device/code/pipes.h>
#include <fathom/model/architectures.h>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

/// The parts of a multiprocessor that instructions keep busy.
enum class Port { issue, alu, fma, fp64, xu, uniform, lsu, barriers, none };
inline constexpr std::array all_ports{Port::issue,   Port::alu, Port::fma,      Port::fp64, Port::xu,
                                      Port::uniform, Port::lsu, Port::barriers, Port::none};
std::string_view name(Port port);  ///< "issue", …

/// A kernel as the simulator runs it.
struct MultiprocessorCode {
  /// When the result of an instruction is there, and what it passes on the way.
  enum class Result : std::uint8_t {
    on_time,  ///< the stall count says so
    special,  ///< special functions, constants, special registers
    near,     ///< shared memory, shuffles: behind the queue of the load/store unit
    far,      ///< global memory: behind that queue, and its latency
    fence     ///< the warp itself waits until its stores can be seen
  };
  struct Instruction {
    Port port = Port::none;
    Result result = Result::on_time;
    std::uint8_t clocks = 1;                  ///< that it occupies its pipe
    std::array<std::uint8_t, 2> registers{};  ///< that it reads of each bank
    std::uint8_t stall = 1, waits = 0;
    std::int8_t writes = -1, reads = -1;  ///< scoreboards
    std::uint8_t words = 1;               ///< that an access moves per lane
    int barrier = -1;                     ///< number of a barrier of the block
    std::uint8_t expected = 0;            ///< warps that pass that barrier; 0: all of the block
    bool arrives_only = false;            ///< at the barrier, and goes on
    bool enters_copies = false;           ///< LDGSTS: no scoreboard of its own, LDGDEPBAR collects them
    bool collects_copies = false;
    std::int8_t leaves_copies = -1;  ///< DEPBAR: waits until so many collections are left
    double passes = 0;               ///< through the load/store unit, in the mean
  };

  static constexpr std::uint32_t nowhere = ~0u;
  struct Edge {
    std::uint32_t to = nowhere;           ///< a block; nowhere: the warp ends
    bool taken = false;                   ///< not to the next instruction
    std::vector<std::uint32_t> enters{};  ///< loops
  };
  /// Outcomes, rarest first. Each is taken with a probability, given that none before it was.
  struct Outcome {
    double probability = 0;
    int edge = 0, later = -1;  ///< lanes that go the other way follow `later` when the others wait for them
  };
  struct Choice {
    bool of_block = false;  ///< all warps of a block decide alike
    int within = -1;        ///< the choice on one of whose ways it lies
    std::vector<Outcome> outcomes;
    std::uint32_t state = 0;  ///< of the first outcome
  };
  /// A warp chooses the way out of a loop, and after how many turns it leaves, when it enters the loop.
  struct Exit {
    double probability = 0;  ///< given that it is none of those before
    double turns = 1;        ///< visits to the branch that leaves
  };
  struct Loop {
    bool of_block = false;
    int within = -1;                   ///< as of a choice
    std::vector<Exit> exits;           ///< the last is taken if no other is
    bool may_leave_otherwise = false;  ///< by no exit of its own; that is the last then
    double patience = 0;               ///< visits to branches that may leave, after which any of them does
    std::uint32_t state = 0;  ///< of the first exit; one for the choice and one for the turns of each
  };
  struct Block {
    enum class End : std::uint8_t { goes_on, chooses, leaves_loop, opens, converges, calls, returns };
    std::uint32_t first = 0, last = 0;
    End end = End::goes_on;
    std::vector<Edge> edges;
    std::uint32_t choice = 0;                ///< or loop
    int exit = 0, leaving = 0, staying = 0;  ///< of leaves_loop: number of the exit, edges
    double both = 0;                         ///< share of the stays in which other lanes leave
    std::uint32_t both_state = 0;
    std::vector<std::uint32_t> partners;  ///< of converges
  };

  std::string kernel;
  int warps_per_block = 1;
  std::vector<Instruction> instructions;
  std::vector<Block> blocks;
  std::vector<Choice> choices;
  std::vector<Loop> loops;
  std::vector<std::uint32_t> enters_at_start{};  ///< loops
  std::uint32_t states = 0;                      ///< that a warp, and a block, keeps of choices and loops
  double instructions_per_warp = 0;
  std::map<std::string, double> unknown{};  ///< opcodes that are only issued: executions per block
};

/// `counts` are those of the frequencies.
MultiprocessorCode multiprocessor_code(const Disassembly& code, const FlowGraph& flow,
                                       const Frequencies& frequencies, const KernelCounts& counts);

enum class IssuePolicy { oldest_first, round_robin };

struct MultiprocessorOptions {
  IssuePolicy policy = IssuePolicy::oldest_first;
  MultiprocessorClocks clocks{};
  int global_latency = 0;  ///< clocks from a line's pass through the load/store unit to its data
  bool register_banks = true;
  int block_start = 0;     ///< clocks between the starts of two blocks
  int turnover = 0;        ///< clocks from the end of a block to the start of the next in its place
  std::uint32_t fast = 0;  ///< bit u: all_ports[u] takes no time
  bool barriers_hold = true;
  bool has(Port port) const { return !(fast >> unsigned(port) & 1); }
};

struct SimulatedClocks {
  double clocks = 0;
  /// Clocks of each port that a block keeps busy, of a multiprocessor: an instruction on one of its four ALUs
  /// for two clocks makes half a clock. Instructions that occupy none are under `none`.
  std::array<double, all_ports.size()> busy{};
  double instructions_per_block = 0;
  /// How often each block of the code ran: as its frequency says, if all blocks have ended.
  std::vector<std::uint64_t> executions{};
  std::uint64_t instructions = 0;     ///< simulated in all
  std::uint64_t cut_short = 0;        ///< warps that ran many times longer than the mean and were ended
  std::uint64_t broken_barriers = 0;  ///< that no warp was left to come to

  double on(Port port) const { return busy[std::size_t(port)]; }
};

/// From the start to the end of `blocks` blocks, of which `resident` run at a time.
SimulatedClocks simulate(const MultiprocessorCode& code, int blocks, int resident,
                         const MultiprocessorOptions& options = {});
/// The same if all of them start together.
inline SimulatedClocks together(const MultiprocessorCode& code, int blocks,
                                const MultiprocessorOptions& options = {}) {
  return simulate(code, blocks, blocks, options);
}
/// Clocks per block if so many are resident, and the next starts when one ends.
SimulatedClocks steady(const MultiprocessorCode& code, int resident,
                       const MultiprocessorOptions& options = {});

/// These are the clocks of a block on the pipes alone, with memory that answers at once.
struct ClocksOfPipes {
  SimulatedClocks alone, steady;  ///< together() of one block; steady() of the resident ones
};
ClocksOfPipes clocks_of_pipes(const MultiprocessorCode& code, int resident,
                              const MultiprocessorClocks& clocks);

}  // namespace fathom
