// SPDX-License-Identifier: Apache-2.0
// Counts as text: the work of each kernel, its accesses by source location, and the formula's error.
#include <fathom/model/architectures.h>
#include <fathom/reports/quantities.h>
#include <fathom/reports/text/text.h>
#include <fathom/reports/text/text_parts.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fathom::reports {
namespace {

constexpr MemoryOperation all_operations[] = {MemoryOperation::load, MemoryOperation::store,
                                              MemoryOperation::atomic};

std::string conflict(const SharedAccesses& shared) {
  return shared.accesses ? fmt::format("{:.3f}", shared.conflict()) : "-";
}

/// Useful over moved bytes: at most 1, because useful bytes are counted once per warp access.
std::string efficiency(const GlobalAccesses& global) {
  return global.sectors ? percent(double(global.useful_bytes) / global.moved_bytes()) : "-";
}

Table global_table(const std::vector<KernelCounts>& kernels) {
  Table table({{"kernel", left}, {"", left}, {"warp accesses"}, {"words"}, {"sectors"}, {"useful bytes"}});
  for (const KernelCounts& kernel : kernels)
    for (MemoryOperation operation : all_operations)
      if (const GlobalAccesses counts = kernel.global(operation); counts.accesses > 0)
        table.add({kernel.kernel, std::string(name(operation)), fmt::format("{}", counts.accesses),
                   fmt::format("{}", counts.words), fmt::format("{}", counts.sectors), efficiency(counts)});
  return table;
}

Table shared_table(const std::vector<KernelCounts>& kernels) {
  Table table({{"kernel", left}, {"", left}, {"warp accesses"}, {"words"}, {"wavefronts"}, {"β"}});
  for (const KernelCounts& kernel : kernels)
    for (MemoryOperation operation : all_operations)
      if (const SharedAccesses counts = kernel.shared(operation); counts.accesses > 0)
        table.add({kernel.kernel, std::string(name(operation)), fmt::format("{}", counts.accesses),
                   fmt::format("{}", counts.words), fmt::format("{}", counts.wavefronts), conflict(counts)});
  return table;
}

Table kernels_table(const std::vector<KernelCounts>& kernels) {
  Table table(
      {{"kernel", left}, {"launches"}, {"blocks"}, {"threads"}, {"shared memory"}, {"footprint per launch"}});
  for (const KernelCounts& kernel : kernels)
    table.add({kernel.kernel, fmt::format("{}", kernel.launches), fmt::format("{}", kernel.blocks),
               fmt::format("{}", kernel.threads_per_block), bytes(kernel.shared_bytes_per_block),
               bytes(double(kernel.footprint_bytes) / double(kernel.launches))});
  return table;
}

/// Only of instructions that some kernel executes.
Table warp_instructions_table(const std::vector<KernelCounts>& kernels) {
  std::vector<Instruction> executed;
  for (const Instruction instruction : all_instructions)
    if (std::ranges::any_of(kernels, [&](const auto& kernel) { return kernel.count(instruction) > 0; }))
      executed.push_back(instruction);
  std::vector<Table::Column> columns{{"kernel", left}};
  for (const Instruction instruction : executed) columns.push_back({std::string(name(instruction))});
  Table table(columns);
  if (executed.empty()) return table;
  for (const KernelCounts& kernel : kernels) {
    std::vector<std::string> cells{kernel.kernel};
    for (const Instruction instruction : executed)
      cells.push_back(fmt::format("{}", kernel.count(instruction)));
    table.add(cells);
  }
  return table;
}

Table sites_table(const std::vector<KernelCounts>& kernels) {
  Table table({{"kernel", left},
               {"source", left},
               {"function", left},
               {"", left},
               {"warp accesses"},
               {"sectors or wavefronts"},
               {"β"}});
  for (const KernelCounts& kernel : kernels)
    for (const AccessSite& site : kernel.sites) {
      const bool is_shared = site.shared.accesses > 0;
      table.add({kernel.kernel, fmt::format("{}:{}", site.file, site.line), site.function,
                 fmt::format("{} {}", is_shared ? "shared" : "global", name(site.operation)),
                 fmt::format("{}", is_shared ? site.shared.accesses : site.global.accesses),
                 fmt::format("{}", is_shared ? site.shared.wavefronts : site.global.sectors),
                 conflict(site.shared)});
    }
  return table;
}

std::string executed(double count) {
  return fmt::format("{:.0f}", count);
}

Table pipes_table(const std::vector<KernelInstructions>& kernels) {
  std::vector<Table::Column> columns{{"kernel", left}, {"issued"}};
  for (Pipe pipe : all_pipes) columns.push_back({std::string(name(pipe))});
  columns.push_back({"unknown"});
  columns.push_back({"at most"});
  Table table(columns);
  for (const KernelInstructions& kernel : kernels) {
    std::vector<std::string> cells{kernel.kernel, executed(kernel.issued)};
    double unknown = 0;
    for (Pipe pipe : all_pipes) cells.push_back(executed(kernel.on(pipe)));
    for (const auto& [opcode, count] : kernel.unknown) unknown += count;
    cells.push_back(executed(unknown));
    cells.push_back(std::isnan(kernel.most_issued) ? "-" : executed(kernel.most_issued));
    table.add(cells);
  }
  return table;
}

Table chain_table(const std::vector<KernelInstructions>& kernels) {
  std::vector<Table::Column> columns{{"kernel", left}, {"issue clocks"}, {"barriers"}};
  for (auto kind = all_wait_kinds.rbegin(); kind != all_wait_kinds.rend(); ++kind) {
    columns.push_back({fmt::format("waits, {}", name(*kind))});
    columns.push_back({"covered clocks"});
  }
  Table table(columns);
  for (const KernelInstructions& kernel : kernels) {
    std::vector<std::string> cells{kernel.kernel, fmt::format("{:.1f}", kernel.chain.issue_clocks),
                                   fmt::format("{:.2f}", kernel.chain.barriers)};
    for (auto kind = all_wait_kinds.rbegin(); kind != all_wait_kinds.rend(); ++kind) {
      cells.push_back(fmt::format("{:.2f}", kernel.chain.of(*kind).batches));
      cells.push_back(fmt::format("{:.1f}", kernel.chain.of(*kind).covered));
    }
    table.add(cells);
  }
  return table;
}

/// The port that is busy for the largest share of the clocks.
Port busiest(const SimulatedClocks& clocks) {
  return *std::ranges::max_element(all_ports, {},
                                   [&](Port port) { return port == Port::none ? 0 : clocks.on(port); });
}

Table simulated_table(const std::vector<SimulatedKernel>& kernels) {
  Table table(
      {{"kernel", left}, {"a block alone"}, {"resident"}, {"per block"}, {"busiest", left}, {"busy"}});
  for (const SimulatedKernel& kernel : kernels) {
    const Port port = busiest(kernel.steady);
    table.add({kernel.kernel, fmt::format("{:.0f}", kernel.alone.clocks), fmt::format("{}", kernel.resident),
               fmt::format("{:.0f}", kernel.steady.clocks), std::string(name(port)),
               fmt::format("{:.0f} %", 100 * kernel.steady.on(port) / kernel.steady.clocks)});
  }
  return table;
}

/// What a reader of the instructions must know: opcodes without a pipe, loops without a count, counts not
/// met.
std::string instruction_notes(const std::vector<KernelInstructions>& kernels) {
  std::string notes;
  const int on = kernels.front().compute_capability;
  if (const Architecture* known = find_architecture(on); !known || !known->checked)
    notes += line(
        fmt::format("The counts of sm_{} are unchecked: no GPU of this architecture has confirmed them", on));
  for (const KernelInstructions& kernel : kernels) {
    for (const auto& [opcode, count] : kernel.unknown)
      notes += line(fmt::format("{}: {} has no known pipe; it is counted as issued, {:.0f} times",
                                kernel.kernel, opcode, count));
    for (const LooseLoop& loop : kernel.loose_loops)
      notes +=
          line(fmt::format("{}: nothing is counted in the loop at {:#x} ({}:{}); it is taken to run once",
                           kernel.kernel, loop.address, loop.line.file, loop.line.line));
    if (const Anchor* worst = kernel.worst_anchor(); worst && std::abs(worst->mismatch()) > 0.5)
      notes += line(fmt::format("{}: furthest from its count: {} at {}:{}, {:.0f} instead of {:.0f}",
                                kernel.kernel, worst->what, worst->line.file, worst->line.line, worst->solved,
                                worst->counted));
    if (!kernel.converged)
      notes += line(fmt::format("{}: no frequencies fit the counts; the instructions are not to be believed",
                                kernel.kernel));
  }
  return notes;
}

std::string words(const std::optional<double>& count) {
  return known(count, [](double value) { return fmt::format("{:.0f}", value); });
}

std::string ratio(const AuditEntry& entry) {
  return known(entry.ratio(), [](double value) { return fmt::format("{:.3f}", value); });
}

std::string machine_line(const MachineChoice& choice, const MachineCosts& costs) {
  if (const auto* memory = std::get_if<MemoryMachineChoice>(&choice))
    return fmt::format("{}: {} time units (w = {}, l = {}, p = {})",
                       memory->kind == MachineKind::dmm ? "DMM, accesses to shared memory"
                                                        : "UMM, accesses to global memory",
                       std::get<u64>(costs), memory->width, memory->latency, memory->threads);
  const auto& agpu = std::get<AgpuChoice>(choice);
  const auto& cost = std::get<AgpuCosts>(costs);
  return fmt::format(
      "AGPU: time {}, I/O {}, global words {}, shared words {}, multiplicity {} (p = {}, b = {}, M = {})",
      cost.time, cost.io, cost.global_words, cost.shared_words,
      known(cost.multiplicity, [](double value) { return significant(value); }), agpu.cores, agpu.width,
      agpu.shared_words);
}

std::optional<double> ratio(u64 counted, double stated) {
  return stated > 0 ? std::optional(double(counted) / stated) : std::nullopt;
}

/// A cost that a source states, and the counted one over it; dashes if no source states one.
std::vector<std::string> stated_cells(u64 counted, const std::optional<double>& stated) {
  const auto number = [](double value) { return significant(value); };
  return {known(stated, number), known(stated ? ratio(counted, *stated) : std::nullopt, number)};
}

std::vector<std::string> stated_cells(const MachineCosts& counted, const std::optional<StatedCosts>& stated) {
  if (const u64* units = std::get_if<u64>(&counted))
    return stated_cells(*units, stated ? std::optional(std::get<double>(*stated)) : std::nullopt);
  const auto& costs = std::get<AgpuCosts>(counted);
  std::optional<double> time, io;
  if (stated) {
    time = std::get<asymptotic::AgpuCost>(*stated).time;
    io = std::get<asymptotic::AgpuCost>(*stated).io;
  }
  std::vector<std::string> cells = stated_cells(costs.time, time);
  for (std::string& cell : stated_cells(costs.io, io)) cells.push_back(std::move(cell));
  return cells;
}

Table stated_table(const MachineReport& report) {
  std::vector<Table::Column> columns{{"", left}};
  const bool agpu = std::holds_alternative<AgpuCosts>(report.counted);
  for (const char* cost : agpu ? std::vector{"time", "I/O"} : std::vector{"time units"}) {
    columns.push_back({cost});
    columns.push_back({"counted/stated"});
  }
  Table table(columns);
  const auto add = [&](const char* name, const std::optional<StatedCosts>& stated) {
    std::vector<std::string> cells = stated_cells(report.counted, stated);
    cells.insert(cells.begin(), name);
    table.add(cells);
  };
  add("asymptotic cost", report.asymptotic);
  add("lower bound", report.lower_bound);
  return table;
}

}  // namespace

Table audit_table(const std::vector<CountReport>& reports) {
  Table table({{"algorithm", left},
               {"parameters", left},
               {"n"},
               {"type", left},
               {"level", left},
               {"formula, words"},
               {"counted, words"},
               {"counted/formula"}});
  for (const CountReport& report : reports)
    for (const AuditEntry& entry : report.audit)
      table.add({report.algorithm, parameters(report.problem.parameters), elements(report.problem.n),
                 name(Instantiation(report.problem)), std::string(name(entry.level)), words(entry.formula),
                 words(entry.counted), ratio(entry)});
  return table;
}

std::string text(const CountReport& report, Verbosity verbosity) {
  std::string out =
      line(fmt::format("{}, {} {}, {} input, {}, grid of {}", report.algorithm, elements(report.problem.n),
                       name(Instantiation(report.problem)), name(report.input),
                       parameters(report.problem.parameters), report.device));
  out += section("Kernels", kernels_table(report.kernels));
  out += section("Warp instructions", warp_instructions_table(report.kernels));
  out += section("Global memory", global_table(report.kernels));
  out += section("Shared memory", shared_table(report.kernels));
  if (verbosity == Verbosity::full)
    out += section("Accesses by source location", sites_table(report.kernels));
  if (!report.instructions.empty()) {
    const std::string architecture = fmt::format("sm_{}", report.instructions.front().compute_capability);
    out += section("Warp instructions by pipe, " + architecture, pipes_table(report.instructions));
    out +=
        section("A warp alone: clocks, and how often it waits for a batch", chain_table(report.instructions));
    if (!report.simulated.empty())
      out += section("One multiprocessor, simulated with memory that answers at once: clocks",
                     simulated_table(report.simulated));
    if (const std::string notes = instruction_notes(report.instructions); !notes.empty()) out += "\n" + notes;
  }
  out += section("Formula against count", audit_table({report}));
  if (!report.machines.empty()) out += "\nMachines\n\n";
  for (const MachineReport& machine : report.machines) {
    out += line(machine_line(machine.machine, machine.counted)) + "\n" + stated_table(machine).text();
    if (machine.least_work_space)
      out += "\n" + line(fmt::format(
                        "least work space: {:.0f} words; more changes the cost by a constant factor only",
                        *machine.least_work_space));
  }
  return out;
}

std::string text(const std::vector<CountReport>& reports) {
  return audit_table(reports).text();
}

}  // namespace fathom::reports
