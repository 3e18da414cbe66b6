// SPDX-License-Identifier: Apache-2.0
#include <fathom/reports/json/json.h>

#include "json_parts.h"

#include <algorithm>

namespace fathom::reports {

using namespace json_parts;

namespace {

Json phase_time(const PhaseTime& phase) {
  return {{"name", phase.phase},
          {"launches", phase.launches},
          {"level", name(phase.level)},
          {"accesses", phase.accesses},
          {"time_s", phase.seconds},
          {"limited_by", phase.limited_by == Limit::bandwidth ? "bandwidth" : "latency"}};
}

Json candidate(const TuneCandidate& candidate, double n, const Json& tied) {
  return {{"parameters", object_of(candidate.parameters)},
          {"time_s", candidate.prediction.time_s},
          {"interval_s", or_null(candidate.prediction.interval_s)},
          {"throughput", throughput(n, candidate.prediction.time_s)},
          {"bound", bottleneck(candidate.prediction)},
          {"saving", saving(candidate.prediction)},
          {"tied", tied},
          {"estimated", candidate.estimated},
          {"measured_s", or_null(candidate.measured_s)}};
}

Json parameter_info(const ParameterInfo& info) {
  return {{"name", info.name},
          {"meaning", info.meaning},
          {"default", info.default_value},
          {"values", info.values}};
}

Json other_defaults(const Descriptor& algorithm, const OtherDefaults& one) {
  std::vector<std::string> types;
  for (const KeyAndValue& type : algorithm.all_types())
    if (one.apply_to(1, type)) types.push_back(type_text(type));
  return {{"most_n", std::isfinite(one.most_n) ? Json(one.most_n) : Json()},
          {"types", types},
          {"parameters", object_of(one.parameters)}};
}

Json registry_entry(AnyAlgorithm listed) {
  const Descriptor& algorithm = descriptor(listed);
  return {
      {"slug", algorithm.slug},
      {"kind", name(algorithm.kind)},
      {"group", algorithm.group},
      {"source", algorithm.source},
      {"baseline", algorithm.baseline},
      {"formula", algorithm.formula.has_value()},
      {"kernel", has_kernel(listed)},
      {"stable", is_sort(algorithm.kind) ? Json(algorithm.stable) : Json()},
      {"types", list_of(algorithm.all_types(), [](const KeyAndValue& type) { return type_text(type); })},
      {"parameters", list_of(algorithm.parameters, parameter_info)},
      {"other_defaults", list_of(algorithm.other_defaults,
                                 [&](const OtherDefaults& one) { return other_defaults(algorithm, one); })},
      {"options", list_of(algorithm.options(), parameter_info)}};
}

Json device(const DeviceEntry& device) {
  return {{"name", device.name},
          {"where", device.where},
          {"origin", text_or_null(device.origin)},
          {"implausible", device.implausible},
          {"gpu", text_or_null(device.gpu)},
          {"multiprocessors", device.multiprocessors},
          {"cores_per_multiprocessor", device.cores_per_multiprocessor},
          {"clock_hz", or_null(device.clock_hz)},
          {"global_memory_bytes", or_null(device.global_memory_bytes)},
          {"global_bytes_per_second", or_null(device.global_bytes_per_second)}};
}

Json constant(const ConstantRow<double>& constant, const DeviceProfile& profile) {
  const std::string_view unit = suffix(constant.unit);
  return {{"name", constant.name},
          {"meaning", constant.label},
          {"unit", unit.empty() ? Json(nullptr) : Json(unit.substr(1))},
          {"value", or_null(constant.member.of(profile.machine))},
          {"interval", or_null(profile.interval_of(constant.name))},
          {"resource", constant.use.resource    ? Json(name(*constant.use.resource))
                       : constant.use.something ? Json("launches")
                                                : Json(nullptr)}};
}

Json law_influences(const LawInfluences& of) {
  return {{"law", name(of.law)},
          {"predictions", of.predictions},
          {"constants", list_of(of.influences, [](const Influence& one) {
             return Json{{"name", one.constant},
                         {"mean", one.mean},
                         {"largest", one.largest},
                         {"largest_in", one.largest_in},
                         {"sigma_log", or_null(one.sigma)},
                         {"share_of_variance", or_null(one.share)}};
           })}};
}

/// How the law's formula was read; null for a law that has none.
Json reading(const std::optional<Law>& law) {
  if (!law) return nullptr;
  return {{"ceiling", name(law->ceiling)},
          {"compose", text_of(law->composition)},
          {"options", object_of(law->options)}};
}

/// What was asked, but for the parameters.
template <class Report>
Json question(const char* schema, const Report& report) {
  Json result = head(schema);
  result["algorithm"] = report.algorithm;
  result["device"] = report.device;
  result["law"] = name(report.law);
  result["reading"] = reading(report.reading);
  result["fitted_from"] = text_or_null(report.fitted_from);
  result["what_if"] = report.what_if;
  result["n"] = count(report.problem.n);
  result["type"] = type_text(report.problem);
  if (report.problem.stable) result["stable"] = true;
  result["input"] = name(report.input);
  return result;
}

Json left_out(const std::vector<NotCompared>& all) {
  return list_of(all, [](const NotCompared& one) {
    return Json{{"algorithm", one.algorithm}, {"why", one.why}};
  });
}

Json tied_or_null(const std::optional<std::size_t>& tied) {
  return tied ? Json(*tied) : Json();
}

Json prediction(const PredictionReport& report) {
  const Prediction& prediction = report.prediction;
  Json result = question("fathom.predict", report);
  result["parameters"] = object_of(report.problem.parameters);
  result["time_s"] = prediction.time_s;
  result["interval_s"] = or_null(prediction.interval_s);
  result["throughput"] = throughput(report.problem.n, prediction.time_s);
  result["terms"] = terms(prediction);
  result["bound"] = bottleneck(prediction);
  result["saving"] = saving(prediction);
  result["kernels"] = list_of(prediction.kernels, kernel_time);
  result["phases"] = list_of(prediction.phases, phase_time);
  if (prediction.assumptions) result["assumptions"] = prediction.assumptions->sentences;
  result["sensitivities"] = sensitivity_list(report.sensitivities);
  return result;
}

Json tuning(const TuneReport& report) {
  const double n = report.problem.n;
  const auto tied = [&](std::size_t rank) { return report.tied ? Json(rank < *report.tied) : Json(); };
  Json result = question("fathom.tune", report);
  result["best"] = candidate(report.candidates.at(0), n, tied(0));
  result["tied"] = tied_or_null(report.tied);
  result["choices"] = report.choices;
  result["without_work"] = report.without_work;
  result["estimated"] = report.estimated;
  result["what_counts"] = text_or_null(report.what_counts);
  result["candidates"] = Json::array();
  for (std::size_t rank = 0; rank < report.candidates.size(); ++rank)
    result["candidates"].push_back(candidate(report.candidates[rank], n, tied(rank)));
  const TuneCandidate* fastest = report.fastest_measured();
  result["fastest_measured"] =
      fastest ? Json{{"parameters", object_of(fastest->parameters)}, {"measured_s", *fastest->measured_s}}
              : Json();
  result["regret"] = or_null(report.regret);
  if (const auto& assumptions = report.candidates.front().prediction.assumptions)
    result["assumptions"] = assumptions->sentences;
  result["sensitivities"] = sensitivity_list(report.sensitivities);
  return result;
}

}  // namespace

std::string json(const PredictionReport& report) {
  return printed(prediction(report));
}

std::string json(const TuneReport& report) {
  return printed(tuning(report));
}

std::string json(const PredictionRanking& ranking) {
  Json result = head("fathom.predict-ranking");
  result["predictions"] = list_of(ranking.predictions, prediction);
  result["tied"] = tied_or_null(tied(ranking));
  result["left_out"] = left_out(ranking.left_out);
  return printed(result);
}

std::string json(const TuneRanking& ranking) {
  Json result = head("fathom.tune-ranking");
  result["tunings"] = list_of(ranking.tunings, tuning);
  result["tied"] = tied_or_null(tied(ranking));
  result["left_out"] = left_out(ranking.left_out);
  return printed(result);
}

std::string json(const PredictionSweep& sweep) {
  Json result = head("fathom.predictions");
  result["algorithm"] = sweep.algorithm;
  result["law"] = name(sweep.law);
  result["reading"] = reading(sweep.reading);
  result["what_if"] = sweep.what_if;
  result["input"] = name(sweep.input);
  result["points"] = list_of(sweep.points, [](const SweepPoint& point) {
    const auto& prediction = point.prediction;
    Json entry = {
        {"device", point.device}, {"n", count(point.problem.n)}, {"type", type_text(point.problem)}};
    if (point.problem.stable) entry["stable"] = true;
    entry["parameters"] = object_of(point.problem.parameters);
    entry["time_s"] = prediction ? Json(prediction->time_s) : Json();
    entry["interval_s"] = prediction ? or_null(prediction->interval_s) : Json();
    entry["throughput"] = prediction ? throughput(point.problem.n, prediction->time_s) : Json();
    entry["bound"] = prediction ? bottleneck(*prediction) : Json();
    if (prediction && prediction->assumptions) entry["assumptions"] = prediction->assumptions->sentences;
    entry["why_missing"] = text_or_null(point.why);
    return entry;
  });
  return printed(result);
}

std::string json(const std::vector<DeviceEntry>& devices) {
  Json result = head("fathom.devices");
  result["devices"] = list_of(devices, device);
  return printed(result);
}

std::string json(const DeviceProfile& profile, const std::vector<LawInfluences>& influences) {
  Json result = head("fathom.device");
  result["name"] = profile.name;
  result["origin"] = profile.origin;
  result["gpu"] = text_or_null(profile.provenance.gpu);
  result["clock_hz"] = profile.machine.clock.value;
  result["constants"] = Json::array();
  for (const ConstantRow<double>& row : constants<double>())
    result["constants"].push_back(constant(row, profile));
  result["influences"] = list_of(influences, law_influences);
  return printed(result);
}

std::string json(const std::vector<AnyAlgorithm>& algorithms) {
  Json result = head("fathom.algorithms");
  for (std::size_t list = 0; list < algorithm_lists.size(); ++list)
    result[std::string(algorithm_lists[list].json_key)] = list_of(of_list(list, algorithms), registry_entry);
  return printed(result);
}

}  // namespace fathom::reports
