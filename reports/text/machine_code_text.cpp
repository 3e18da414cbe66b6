// SPDX-License-Identifier: Apache-2.0
// Answers about machine code as text.
#include <fathom/reports/machine_code.h>
#include <fathom/reports/quantities.h>
#include <fathom/reports/text/text_parts.h>

#include <fmt/format.h>

namespace fathom::reports {
namespace {

std::string by(const std::array<int, 3>& sizes) {
  if (sizes[2] > 1) return fmt::format("{} × {} × {}", sizes[0], sizes[1], sizes[2]);
  if (sizes[1] > 1) return fmt::format("{} × {}", sizes[0], sizes[1]);
  return std::to_string(sizes[0]);
}

std::string place(const AssumedLoop& loop) {
  return loop.line ? fmt::format("{}:{}", loop.line->file, loop.line->line)
                   : fmt::format("{:#x}", loop.address);
}

Table loops_table(const std::vector<AssumedLoop>& loops, bool all) {
  Table table({{"loop", left}, {"turns"}, {"", left}, {"to say another number", left}});
  for (const AssumedLoop& loop : loops) {
    const bool in_code = loop.from == AssumedLoop::From::code;
    if (in_code && !all) continue;
    table.add({place(loop), significant(loop.turns),
               in_code ? "the machine code says so" : std::string(name(loop.from)),
               loop.from == AssumedLoop::From::assumed ? fmt::format("--trips {}=N", place(loop)) : ""});
  }
  return table;
}

bool is_in_bytes(const Demand& demand) {
  return demand.kind == DemandKind::bytes || demand.kind == DemandKind::code;
}

Table work_table(const Work& work) {
  Table table({{"of a block", left}, {"amount"}});
  for (const Demand& demand : all_demands)
    if (const double value = work.*demand.value; value > 0)
      table.add({std::string(demand.name), is_in_bytes(demand) ? bytes(value) : significant(value, 4)});
  return table;
}

}  // namespace

std::vector<std::string> assumptions(const MachineCodePrediction& predicted) {
  std::vector<std::string> all = fathom::assumptions(predicted.work);
  if (!predicted.has_lines)
    all.emplace_back("The cubin has no lines of the source: nvcc -lineinfo adds them.");
  return all;
}

std::string text(const MachineCodePrediction& predicted, Verbosity verbosity) {
  const Prediction& prediction = predicted.prediction;
  const bool full = verbosity == Verbosity::full;
  std::string out =
      line(fmt::format("{} of {}, sm_{}, on {}, caches {}", predicted.kernel, predicted.file,
                       predicted.architecture, predicted.device, name(predicted.caches))) +
      line(fmt::format(
          "{} blocks of {} threads, {} registers, {} of shared memory: {} blocks on a "
          "multiprocessor",
          by(predicted.launch.grid), by(predicted.launch.block), predicted.code.registers,
          bytes(*predicted.work.launch.static_shared_bytes + *predicted.work.launch.dynamic_shared_bytes),
          predicted.resident)) +
      line(time(prediction.time_s) + interval(prediction)) +
      line("bottleneck: " + limit_and_saving(prediction)) + what_if_line(predicted.what_if);
  out += section("Loops", loops_table(predicted.work.loops, full));
  if (full)
    out += section("Terms", terms_or_resources_table(prediction)) +
           section("Work", work_table(predicted.demands));
  out += '\n';
  for (const std::string& assumption : assumptions(predicted)) out += line(assumption);
  return out + sensitivities_section(predicted.sensitivities);
}

}  // namespace fathom::reports
