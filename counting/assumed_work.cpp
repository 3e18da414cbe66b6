// SPDX-License-Identifier: Apache-2.0
#include <fathom/counting/assumed_work.h>
#include <fathom/counting/multiprocessor/multiprocessor.h>
#include <fathom/counting/work.h>
#include <fathom/device/code/frequencies/lanes.h>
#include <fathom/model/architectures.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace fathom {
namespace {

constexpr double bytes_per_sector = 32, bytes_per_line = 128;

/// An instruction of a warp moves this.
struct CodeAccess {
  enum class Memory { none, global, local, shared, copy, unknown };
  Memory memory = Memory::none;
  bool reads = false, writes = false;
  bool atomic = false;
  double bytes = 4;  ///< of a lane
};

CodeAccess access_of(const MachineInstruction& one) {
  using Memory = CodeAccess::Memory;
  struct Row {
    std::string_view name;
    CodeAccess access;
  };
  static const Row rows[] = {{"LDG", {Memory::global, true, false, false}},
                             {"LD", {Memory::global, true, false, false}},
                             {"STG", {Memory::global, false, true, false}},
                             {"ST", {Memory::global, false, true, false}},
                             {"ATOMG", {Memory::global, true, true, true}},
                             {"ATOM", {Memory::global, true, true, true}},
                             {"REDG", {Memory::global, true, true, true}},
                             {"RED", {Memory::global, true, true, true}},
                             {"LDL", {Memory::local, true, false, false}},
                             {"STL", {Memory::local, false, true, false}},
                             {"LDS", {Memory::shared, true, false, false}},
                             {"STS", {Memory::shared, false, true, false}},
                             {"LDSM", {Memory::shared, true, false, false}},
                             {"STSM", {Memory::shared, false, true, false}},
                             {"ATOMS", {Memory::shared, true, true, true}},
                             {"LDGSTS", {Memory::copy, true, false, false}},
                             {"UBLKCP", {Memory::unknown}},
                             {"UBLKRED", {Memory::unknown}},
                             {"UTMALDG", {Memory::unknown}},
                             {"UTMASTG", {Memory::unknown}},
                             {"UTMAREDG", {Memory::unknown}}};
  const auto row = std::ranges::find(rows, one.name(), &Row::name);
  if (row == std::end(rows)) return {};
  CodeAccess access = row->access;
  for (const auto& [modifier, bytes] : {std::pair{"128", 16.0},
                                        {"64", 8.0},
                                        {"U8", 1.0},
                                        {"S8", 1.0},
                                        {"U16", 2.0},
                                        {"S16", 2.0},
                                        {"M88", 4.0}})
    if (one.has_modifier(modifier)) access.bytes = bytes;
  // Of 8 × 8 matrices, a lane gets or gives a word of each.
  if (one.name() == "LDSM" || one.name() == "STSM")
    access.bytes = one.has_modifier("4") ? 16 : one.has_modifier("2") ? 8 : 4;
  return access;
}

/// Adds what so many executions of an instruction move: adjacent lanes move adjacent bytes, or all the same.
/// Nothing else moves these.
void add(const CodeAccess& access, double executions, double lanes, Work& work) {
  using Memory = CodeAccess::Memory;
  const double bytes = lanes * access.bytes;
  const double lines = std::max(1.0, bytes / bytes_per_line) * executions,
               sectors = std::max(1.0, bytes / bytes_per_sector) * executions;
  if (access.memory == Memory::shared || access.memory == Memory::copy) work.shared_wavefronts += lines;
  if (access.memory == Memory::local) work.global_lines += lines;
  if (access.memory != Memory::global && access.memory != Memory::copy) return;
  work.global_lines += lines;
  if (access.reads) {
    work.lines_read += lines;
    work.sectors_read += sectors;
    work.bytes_read += bytes * executions;
  }
  if (access.writes) {
    work.sectors_written += sectors;
    work.bytes_written += bytes * executions;
  }
  if (access.atomic) {
    work.atomics += executions;
    work.atomic_sectors += sectors;
  }
}

void check_launch(const CubinKernel& kernel, const Architecture& architecture, const LaunchGrid& launch,
                  double shared_bytes) {
  const OccupancyLimits limits = architecture.limits();
  const int most = std::min(kernel.most_threads.value_or(limits.threads_per_block), limits.threads_per_block);
  if (launch.threads() > most)
    throw std::invalid_argument(
        fmt::format("a block has {} threads, where {} allows {}: choose a smaller `block`", launch.threads(),
                    kernel.most_threads ? "the kernel" : "every GPU", most));
  if (shared_bytes > limits.shared_bytes_per_block)
    throw std::invalid_argument(fmt::format(
        "a block has {:.0f} bytes of shared memory, where sm_{} allows {:.0f}: choose less `shared`",
        shared_bytes, architecture.compute_capability, limits.shared_bytes_per_block));
}

// Root mean squares of log(assumed/counted) of the times in data/predictions/machine-code.json, but for
// launches that end at once: of kernels without loops of unknown turns, and of all with these turns told. The
// law's own error is far smaller than the latter.
constexpr LawError error_by_code{.sigma = 0.19, .algorithms = 9},
    error_with_turns{.sigma = 0.83, .algorithms = 28};

const Architecture& architecture_of(const Disassembly& code) {
  const Architecture* found = find_architecture(code.compute_capability);
  if (!found)
    throw std::invalid_argument(
        fmt::format("it is for sm_{}, whose instructions are not known: compile it for {}",
                    code.compute_capability, architecture_choices()));
  return *found;
}

}  // namespace

AssumedWork assumed_work(const CubinKernel& kernel, const Disassembly& code, const LaunchGrid& grid,
                         double dynamic_shared_bytes, std::span<const GivenTurns> given) {
  const Architecture& architecture = architecture_of(code);
  const double shared_bytes = kernel.shared_bytes + dynamic_shared_bytes;
  check_launch(kernel, architecture, grid, shared_bytes);
  const FlowGraph flow = flow_graph(code);
  AssumedFrequencies assumed = assumed_frequencies(code, flow, grid, given);

  // The frequencies of a block do not depend on how many there are, but for those that block 0 has.
  const double blocks = grid.blocks();
  const int threads = grid.warps() * warp_width;
  const KernelInstructions executed =
      executed_instructions(code, flow, assumed.frequencies, u64(blocks), threads);
  Work work = code_work(executed);
  work.barriers = executed.chain.barriers;
  AssumedWork result;
  std::set<std::string> not_counted;
  const double lanes = std::min(double(warp_width), double(grid.threads()));
  Lanes of_lanes(code, flow, grid.block[0] % warp_width == 0);
  double launches_kernels = 0;
  for (std::size_t i = 0; i < code.instructions.size(); ++i) {
    const MachineInstruction& one = code.instructions[i];
    const double executions = assumed.frequencies.blocks[flow.block_of[i]] / blocks;
    if (!flow.blocks[flow.block_of[i]].reachable || executions <= 0) continue;
    const CodeAccess moved = access_of(one);
    const bool same_address = moved.memory != CodeAccess::Memory::none &&
                              moved.memory != CodeAccess::Memory::local && !of_lanes.differ_in_address(i);
    add(moved, executions, same_address ? 1 : lanes, work);
    if (moved.memory == CodeAccess::Memory::unknown) not_counted.insert(std::string(one.name()));
    if (one.name() == "SHFL") work.shuffles += executions;
    if (one.operands.find("cudaLaunchDevice") != std::string::npos) launches_kernels = 1;
  }

  ReportedLaunch& launch = result.launch;
  launch.kernel = short_name(kernel.symbol);
  launch.blocks = blocks;
  launch.threads_per_block = grid.threads();
  launch.registers = kernel.code.registers;
  launch.static_shared_bytes = kernel.shared_bytes;
  launch.dynamic_shared_bytes = dynamic_shared_bytes;
  launch.launches_kernels = launches_kernels;
  launch.tensor = executed.on(Pipe::tensor) / blocks;
  launch.fp64 = executed.on(Pipe::fp64) / blocks;
  for (std::size_t i = 0; i < all_demands.size(); ++i) launch.demands[i] = work.*all_demands[i].value;
  result.loops = std::move(assumed.loops);
  result.halved = assumed.halved;
  for (const auto& [opcode, executions] : executed.unknown) result.unknown_opcodes.push_back(opcode);
  result.not_counted.assign(not_counted.begin(), not_counted.end());
  return result;
}

std::optional<LawError> error_of(const AssumedWork& work) {
  const auto are = [&](AssumedLoop::From from) {
    return std::ranges::count(work.loops, from, &AssumedLoop::from);
  };
  if (are(AssumedLoop::From::assumed) > 0) return std::nullopt;
  return are(AssumedLoop::From::given) > 0 ? error_with_turns : error_by_code;
}

std::vector<std::string> assumptions(const AssumedWork& work) {
  std::vector<std::string> all{
      "Assumed: adjacent lanes access adjacent addresses, each access bytes of its own, and shared memory "
      "has no bank conflicts."};
  if (work.halved > 0)
    all.push_back(fmt::format("Assumed: each way of {} branch{} runs half the time.", work.halved,
                              work.halved == 1 ? "" : "es"));
  std::set<SourceLine> alike;
  for (const AssumedLoop& loop : work.loops)
    if (loop.has_likes && loop.line && loop.from != AssumedLoop::From::code) alike.insert(*loop.line);
  for (const SourceLine& line : alike)
    all.push_back(
        fmt::format("Assumed: each of several loops in the machine code of {}:{} has all the turns of that "
                    "line, as they were not recognised as parts of one.",
                    line.file, line.line));
  if (!work.not_counted.empty())
    all.push_back(fmt::format("Left out: what {} move, of which the code does not say how much.",
                              fmt::join(work.not_counted, ", ")));
  if (!work.unknown_opcodes.empty())
    all.push_back(fmt::format("Unknown instructions, priced by their issue alone: {}.",
                              fmt::join(work.unknown_opcodes, ", ")));
  return all;
}

}  // namespace fathom
