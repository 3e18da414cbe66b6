// SPDX-License-Identifier: Apache-2.0
// Answers about machine code as JSON.
#include <fathom/reports/machine_code.h>

#include <fmt/format.h>

#include "json_parts.h"

namespace fathom::reports {

using namespace json_parts;

namespace {

Json loop_of(const AssumedLoop& loop) {
  return {{"file", loop.line ? Json(loop.line->file) : Json()},
          {"line", loop.line ? Json(loop.line->line) : Json()},
          {"address", fmt::format("{:#x}", loop.address)},
          {"turns", loop.turns},
          {"from", name(loop.from)}};
}

Json work_of(const ReportedLaunch& launch) {
  Json work = Json::object();
  for (std::size_t i = 0; i < all_demands.size(); ++i)
    work[std::string(all_demands[i].name)] = or_null(launch.demands[i]);
  return work;
}

}  // namespace

std::string json(const MachineCodePrediction& predicted) {
  const Prediction& prediction = predicted.prediction;
  Json result = head("fathom.predict-machine-code");
  result["file"] = predicted.file;
  result["kernel"] = predicted.kernel;
  result["architecture"] = predicted.architecture;
  result["device"] = predicted.device;
  result["law"] = name(LawName::counted);
  result["caches"] = name(predicted.caches);
  result["what_if"] = predicted.what_if;
  result["grid"] = predicted.launch.grid;
  result["block"] = predicted.launch.block;
  result["registers"] = predicted.code.registers;
  result["local_bytes"] = predicted.code.local_bytes;
  result["static_shared_bytes"] = or_null(predicted.work.launch.static_shared_bytes);
  result["dynamic_shared_bytes"] = or_null(predicted.work.launch.dynamic_shared_bytes);
  result["resident_blocks"] = predicted.resident;
  result["time_s"] = prediction.time_s;
  result["interval_s"] = or_null(prediction.interval_s);
  result["terms"] = terms(prediction);
  result["bound"] = bottleneck(prediction);
  result["saving"] = saving(prediction);
  result["work"] = work_of(predicted.work.launch);
  result["loops"] = list_of(predicted.work.loops, loop_of);
  result["halved_branches"] = predicted.work.halved;
  result["unknown_opcodes"] = predicted.work.unknown_opcodes;
  result["not_counted"] = predicted.work.not_counted;
  result["assumptions"] = assumptions(predicted);
  result["sensitivities"] = sensitivity_list(predicted.sensitivities);
  return printed(result);
}

}  // namespace fathom::reports
