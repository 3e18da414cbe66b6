// SPDX-License-Identifier: Apache-2.0
#include <fathom/model/architectures.h>
#include <fathom/reports/json/json.h>

#include "json_parts.h"

#include <cmath>

namespace fathom::reports {

using namespace json_parts;

namespace {

constexpr MemoryOperation all_operations[] = {MemoryOperation::load, MemoryOperation::store,
                                              MemoryOperation::atomic};

Json global(const GlobalAccesses& counts) {
  return {{"accesses", counts.accesses},        {"words", counts.words}, {"warp_words", counts.warp_words},
          {"sectors", counts.sectors},          {"lines", counts.lines}, {"l2_sectors", counts.l2_sectors},
          {"useful_bytes", counts.useful_bytes}};
}

Json shared(const SharedAccesses& counts) {
  return {{"accesses", counts.accesses},
          {"words", counts.words},
          {"warp_words", counts.warp_words},
          {"wavefronts", counts.wavefronts},
          {"conflict", counts.accesses ? Json(counts.conflict()) : Json()}};
}

Json site(const AccessSite& site) {
  const bool is_shared = site.shared.accesses > 0;
  return {{"function", site.function},
          {"file", site.file},
          {"line", site.line},
          {"memory", is_shared ? "shared" : "global"},
          {"operation", name(site.operation)},
          {"counts", is_shared ? shared(site.shared) : global(site.global)}};
}

Json kernel(const KernelCounts& kernel) {
  Json result = {{"kernel", kernel.kernel},
                 {"phase", kernel.kernel},
                 {"launches", kernel.launches},
                 {"blocks", kernel.blocks},
                 {"threads_per_block", kernel.threads_per_block},
                 {"shared_bytes_per_block", kernel.shared_bytes_per_block},
                 {"footprint_bytes", kernel.footprint_bytes},
                 {"read_bytes", kernel.read_bytes},
                 {"written_bytes", kernel.written_bytes},
                 {"fresh_read_bytes", kernel.fresh_read_bytes},
                 {"fresh_written_bytes", kernel.fresh_written_bytes}};
  for (MemoryOperation operation : all_operations)
    result["global"][name(operation)] = global(kernel.global(operation));
  for (MemoryOperation operation : all_operations)
    result["shared"][name(operation)] = shared(kernel.shared(operation));
  for (Instruction instruction : all_instructions)
    result["instructions"][name(instruction)] = kernel.count(instruction);
  result["sites"] = list_of(kernel.sites, site);
  return result;
}

Json audit_entry(const AuditEntry& entry) {
  return {{"level", name(entry.level)},
          {"formula_words", or_null(entry.formula)},
          {"counted_words", or_null(entry.counted)},
          {"ratio", or_null(entry.ratio())}};
}

Json audit(const std::vector<AuditEntry>& entries) {
  return list_of(entries, audit_entry);
}

Json anchor(const Anchor& anchor) {
  return {{"file", anchor.line.file},
          {"line", anchor.line.line},
          {"what", anchor.what},
          {"counted", anchor.counted},
          {"solved", anchor.solved}};
}

Json simulated(const SimulatedKernel& one) {
  Json result = {{"kernel", one.kernel},
                 {"alone_clocks", one.alone.clocks},
                 {"resident_blocks", one.resident},
                 {"steady_clocks", one.steady.clocks}};
  for (Port port : all_ports)
    if (port != Port::none) result["busy_clocks"][name(port)] = one.steady.on(port);
  return result;
}

Json instructions(const KernelInstructions& one) {
  const Architecture* on = find_architecture(one.compute_capability);
  Json result = {{"kernel", one.kernel},
                 {"architecture", "sm_" + std::to_string(one.compute_capability)},
                 {"checked", on && on->checked},
                 {"launches", one.launches},
                 {"blocks", one.blocks},
                 {"warps", one.warps},
                 {"issued", one.issued},
                 {"most_issued", std::isnan(one.most_issued) ? Json() : Json(one.most_issued)}};
  for (Pipe pipe : all_pipes) result["pipes"][name(pipe)] = one.on(pipe);
  result["opcodes"] = one.by_opcode;
  result["unknown_opcodes"] = one.unknown;
  Json& chain =
      result["chain"] = {{"issue_clocks", one.chain.issue_clocks}, {"barriers", one.chain.barriers}};
  for (WaitKind kind : all_wait_kinds)
    chain[name(kind)] = {{"batches", one.chain.of(kind).batches},
                         {"covered_clocks", one.chain.of(kind).covered}};
  const Anchor* worst = one.worst_anchor();
  result["worst_anchor"] = worst ? anchor(*worst) : Json();
  result["counted_without_code"] = list_of(one.without_code, anchor);
  result["loose_loops"] = list_of(one.loose_loops, [](const LooseLoop& loop) {
    return Json{{"address", loop.address}, {"file", loop.line.file}, {"line", loop.line.line}};
  });
  result["converged"] = one.converged;
  return result;
}

Json ratio(u64 counted, double stated) {
  return stated > 0 ? Json(double(counted) / stated) : Json();
}

/// The stated value and the ratio of the counted cost to it; null if no source states one.
Json stated(const MachineCosts& counted, const std::optional<StatedCosts>& stated) {
  if (!stated) return {};
  if (const u64* units = std::get_if<u64>(&counted)) {
    const double cost = std::get<double>(*stated);
    return {{"time_units", cost}, {"ratio", ratio(*units, cost)}};
  }
  const auto& costs = std::get<AgpuCosts>(counted);
  const auto& cost = std::get<asymptotic::AgpuCost>(*stated);
  return {{"time", cost.time},
          {"time_ratio", ratio(costs.time, cost.time)},
          {"io", cost.io},
          {"io_ratio", ratio(costs.io, cost.io)}};
}

Json counted(const MachineChoice& choice, const MachineCosts& costs) {
  if (const auto* memory = std::get_if<MemoryMachineChoice>(&choice))
    return {{"machine", memory->kind == MachineKind::dmm ? "dmm" : "umm"},
            {"width", memory->width},
            {"latency", memory->latency},
            {"threads", memory->threads},
            {"time_units", std::get<u64>(costs)}};
  const auto& agpu = std::get<AgpuChoice>(choice);
  const auto& cost = std::get<AgpuCosts>(costs);
  return {{"machine", "agpu"},
          {"width", agpu.width},
          {"threads", agpu.cores},
          {"memory_words", agpu.shared_words},
          {"time", cost.time},
          {"io", cost.io},
          {"global_words", cost.global_words},
          {"shared_words", cost.shared_words},
          {"multiplicity", or_null(cost.multiplicity)}};
}

Json machine(const MachineReport& report) {
  Json result = counted(report.machine, report.counted);
  result["asymptotic"] = stated(report.counted, report.asymptotic);
  result["lower_bound"] = stated(report.counted, report.lower_bound);
  result["least_work_space_words"] = or_null(report.least_work_space);
  return result;
}

/// The problem that was counted.
Json problem(const CountReport& report) {
  Json json = {{"algorithm", report.algorithm}, {"device", report.device},
               {"n", u64(report.problem.n)},    {"type", type_text(report.problem)},
               {"input", name(report.input)},   {"parameters", object_of(report.problem.parameters)}};
  if (report.problem.stable) json["stable"] = true;
  return json;
}

}  // namespace

std::string json(const CountReport& report) {
  Json result = head("fathom.count");
  result.update(problem(report));
  result["kernels"] = list_of(report.kernels, kernel);
  if (!report.instructions.empty()) result["machine_code"] = list_of(report.instructions, instructions);
  if (!report.simulated.empty()) result["multiprocessor"] = list_of(report.simulated, simulated);
  result["audit"] = audit(report.audit);
  result["machines"] = list_of(report.machines, machine);
  return printed(result);
}

std::string json(const std::vector<CountReport>& reports) {
  Json result = head("fathom.audit");
  result["counts"] = Json::array();
  for (const CountReport& report : reports) {
    Json entry = problem(report);
    entry["audit"] = audit(report.audit);
    result["counts"].push_back(std::move(entry));
  }
  return printed(result);
}

}  // namespace fathom::reports
