#include <fathom/core/interruption.h>
#include <fathom/reports/json/json.h>

#include <fathom/store/json_fields.h>

#include <algorithm>

namespace fathom::reports {
namespace {

// Keeps keys in the order they are written, which is the order of the documentation.
using Json = nlohmann::ordered_json;

Json head(const char* schema) {
  return {{"schema", schema}, {"version", json_version}};
}
std::string printed(const Json& value) {
  return dump(value, 2) + '\n';
}

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}
Json or_null(const std::optional<Interval>& interval) {
  return interval ? Json::array({interval->low, interval->high}) : Json();
}
Json text_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}
Json throughput(double n, double seconds) {
  return seconds > 0 ? Json(n / seconds) : Json();
}

/// A count of elements is written as the integer it is.
Json count(double value) {
  return value == double((long long)value) ? Json((long long)value) : Json(value);
}

template <class Items, class ToJson>
Json list_of(const Items& items, ToJson to_json) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(to_json(item));
  return list;
}

template <class Values>
Json parameters(const Values& values) {
  Json object = Json::object();
  for (const auto& [name, value] : values) object[name] = value;
  return object;
}

Json terms(const ResourceTerms& resources) {
  Json terms = Json::object();
  for (const Resource resource : all_resources) {
    std::string key(name(resource));
    std::ranges::replace(key, '-', '_');
    terms[key + "_s"] = resources.of(resource);
  }
  terms["overlap_s"] = resources.overlap_s;
  terms["launch_s"] = resources.launch_s;
  return terms;
}

Json terms(const Prediction& prediction) {
  if (prediction.resources) return terms(*prediction.resources);
  return {{"global_s", or_null(term_seconds(prediction, Level::global))},
          {"shared_s", or_null(term_seconds(prediction, Level::shared))},
          {"register_s", or_null(term_seconds(prediction, Level::registers))}};
}

Json phase_time(const PhaseTime& phase) {
  return {{"name", phase.phase},
          {"launches", phase.launches},
          {"level", name(phase.level)},
          {"accesses", phase.accesses},
          {"time_s", phase.seconds},
          {"limited_by", phase.limited_by == Limit::bandwidth ? "bandwidth" : "latency"}};
}

std::string bound_name(const Bound& bound) {
  return bound.resource ? std::string(name(*bound.resource)) : "launches";
}

/// What 10 % more of the bound would save.
Json saving(const Bound& bound, double time_s) {
  return {{"time_s", bound.saved_s}, {"share", bound.saved_s / time_s}};
}

Json bottleneck(const Prediction& prediction) {
  if (prediction.bound) return bound_name(*prediction.bound);
  return prediction.bottleneck ? Json(in_words(prediction.bottleneck)) : Json();
}

Json saving(const Prediction& prediction) {
  return prediction.bound ? saving(*prediction.bound, prediction.time_s) : Json();
}

Json kernel_time(const KernelTime& kernel) {
  return {{"name", kernel.kernel},
          {"launches", kernel.launches},
          {"time_s", kernel.seconds},
          {"bound", bound_name(kernel.bound)},
          {"saving", saving(kernel.bound, kernel.seconds)}};
}

Json sensitivity_list(const std::optional<std::vector<Sensitivity>>& sensitivities) {
  if (!sensitivities) return {};
  return list_of(*sensitivities, [](const Sensitivity& one) {
    return Json{{"constant", one.constant}, {"value", one.value}};
  });
}

Json text_or_null(const std::optional<std::string>& text) {
  return text ? Json(*text) : Json();
}

Json candidate(const TuneCandidate& candidate, double n, const Json& tied) {
  return {{"parameters", parameters(candidate.parameters)},
          {"time_s", candidate.prediction.time_s},
          {"interval_s", or_null(candidate.prediction.interval_s)},
          {"throughput", throughput(n, candidate.prediction.time_s)},
          {"bound", bottleneck(candidate.prediction)},
          {"saving", saving(candidate.prediction)},
          {"tied", tied},
          {"measured_s", or_null(candidate.measured_s)}};
}

Json parameter_info(const ParameterInfo& info) {
  return {{"name", info.name},
          {"meaning", info.meaning},
          {"default", info.default_value},
          {"values", info.values}};
}

Json registry_entry(const Algorithm& algorithm) {
  return {{"slug", algorithm.slug},
          {"kind", name(algorithm.kind)},
          {"group", algorithm.group},
          {"source", algorithm.source},
          {"baseline", algorithm.baseline},
          {"formula", algorithm.formula.has_value()},
          {"kernel", bool(algorithm.make_workload)},
          {"stable", algorithm.kind == Kind::sort ? Json(algorithm.stable) : Json()},
          {"types", list_of(algorithm.all_types(), [](const KeyAndValue& type) { return type_text(type); })},
          {"parameters", list_of(algorithm.parameters, parameter_info)}};
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

Json estimate(const Estimate& estimate) {
  return {{"value", estimate.value}, {"interval", or_null(estimate.interval)}};
}

Json algorithm_fit(const AlgorithmFit& fit) {
  return {{"algorithm", fit.algorithm},
          {"factors", {{"work", estimate(fit.factors.work)}, {"waiting", estimate(fit.factors.waiting)}}},
          {"residual", fit.residual},
          {"runs", fit.runs},
          {"dataset", fit.dataset}};
}

Json error_summary(const ErrorSummary& summary) {
  return {{"algorithm", summary.algorithm},
          {"type", summary.type},
          {"law", summary.law},
          {"group", summary.group},
          {"runs", summary.runs},
          {"mean_absolute_relative_error", or_null(summary.mean_absolute_relative_error)},
          {"worst", or_null(summary.worst)},
          {"within_interval", or_null(summary.within_interval)}};
}

Json regret(const Regret& regret) {
  return {{"algorithm", regret.algorithm},
          {"type", regret.type},
          {"n", count(regret.n)},
          {"picked", parameters(regret.picked)},
          {"best", parameters(regret.best)},
          {"picked_s", regret.picked_s},
          {"best_s", regret.best_s},
          {"regret", regret.regret}};
}

Json left_out(const LeftOut& runs) {
  return {{"unchecked", runs.unchecked},
          {"clock_moved", runs.clock_moved},
          {"unknown_algorithm", runs.unknown_algorithm},
          {"baselines", runs.baselines},
          {"without_formula", runs.without_formula},
          {"not_predicted", runs.not_predicted},
          {"fitted", runs.fitted}};
}

Json compared_run(const ComparedRun& compared) {
  const Measurement& run = *compared.run;
  return {{"algorithm", run.algorithm},
          {"type", name(Instantiation(run.problem))},
          {"input", name(run.input)},
          {"n", count(run.problem.n)},
          {"parameters", parameters(run.problem.parameters)},
          {"measured_s", compared.measured_s},
          {"predicted_s", compared.predicted ? Json(compared.predicted->time_s) : Json()},
          {"interval_s", compared.predicted ? or_null(compared.predicted->interval_s) : Json()},
          {"relative_error", or_null(compared.relative_error)},
          {"fitted", compared.fitted}};
}

/// Appends the list of runs of a comparison, as printed() would print it in its place.
void append_runs(std::string& text, const std::vector<ComparedRun>& runs) {
  constexpr std::string_view line = "\n        ";
  text += '[';
  for (const ComparedRun& run : runs) {
    check_interruption();
    text.append(&run == &runs.front() ? "" : ",").append(line);
    for (char c : dump(compared_run(run), 2)) c == '\n' ? text.append(line) : text.append(1, c);
  }
  text += runs.empty() ? "]" : "\n      ]";
}

/// What was asked, but for the parameters.
template <class Report>
Json question(const char* schema, const Report& report) {
  Json result = head(schema);
  result["algorithm"] = report.algorithm;
  result["device"] = report.device;
  result["law"] = name(report.law);
  result["fitted_from"] = text_or_null(report.fitted_from);
  result["what_if"] = report.what_if;
  result["n"] = count(report.problem.n);
  result["type"] = type_text(report.problem);
  if (report.problem.stable) result["stable"] = true;
  result["input"] = name(report.input);
  return result;
}

}  // namespace

std::string json(const PredictionReport& report) {
  const Prediction& prediction = report.prediction;
  Json result = question("fathom.predict", report);
  result["parameters"] = parameters(report.problem.parameters);
  result["time_s"] = prediction.time_s;
  result["interval_s"] = or_null(prediction.interval_s);
  result["throughput"] = throughput(report.problem.n, prediction.time_s);
  result["terms"] = terms(prediction);
  result["bound"] = bottleneck(prediction);
  result["saving"] = saving(prediction);
  result["kernels"] = list_of(prediction.kernels, kernel_time);
  result["phases"] = list_of(prediction.phases, phase_time);
  result["sensitivities"] = sensitivity_list(report.sensitivities);
  return printed(result);
}

std::string json(const PredictionSweep& sweep) {
  Json result = head("fathom.predictions");
  result["algorithm"] = sweep.algorithm;
  result["law"] = name(sweep.law);
  result["what_if"] = sweep.what_if;
  result["input"] = name(sweep.input);
  result["points"] = list_of(sweep.points, [](const SweepPoint& point) {
    const auto& prediction = point.prediction;
    Json entry = {
        {"device", point.device}, {"n", count(point.problem.n)}, {"type", type_text(point.problem)}};
    if (point.problem.stable) entry["stable"] = true;
    entry["parameters"] = parameters(point.problem.parameters);
    entry["time_s"] = prediction ? Json(prediction->time_s) : Json();
    entry["interval_s"] = prediction ? or_null(prediction->interval_s) : Json();
    entry["throughput"] = prediction ? throughput(point.problem.n, prediction->time_s) : Json();
    entry["bound"] = prediction ? bottleneck(*prediction) : Json();
    entry["why_missing"] = text_or_null(point.why);
    return entry;
  });
  return printed(result);
}

std::string json(const TuneReport& report) {
  const double n = report.problem.n;
  const auto tied = [&](std::size_t rank) { return report.tied ? Json(rank < *report.tied) : Json(); };
  Json result = question("fathom.tune", report);
  result["best"] = candidate(report.candidates.at(0), n, tied(0));
  result["tied"] = report.tied ? Json(*report.tied) : Json();
  result["without_work"] = report.without_work;
  result["candidates"] = Json::array();
  for (std::size_t rank = 0; rank < report.candidates.size(); ++rank)
    result["candidates"].push_back(candidate(report.candidates[rank], n, tied(rank)));
  const TuneCandidate* fastest = report.fastest_measured();
  result["fastest_measured"] =
      fastest ? Json{{"parameters", parameters(fastest->parameters)}, {"measured_s", *fastest->measured_s}}
              : Json();
  result["regret"] = or_null(report.regret);
  result["sensitivities"] = sensitivity_list(report.sensitivities);
  return printed(result);
}

std::string json(const std::vector<DeviceEntry>& devices) {
  Json result = head("fathom.devices");
  result["devices"] = list_of(devices, device);
  return printed(result);
}

std::string json(const DeviceProfile& profile) {
  Json result = head("fathom.device");
  result["name"] = profile.name;
  result["origin"] = profile.origin;
  result["gpu"] = text_or_null(profile.provenance.gpu);
  result["clock_hz"] = profile.machine.clock.value;
  result["constants"] = Json::array();
  for (const ConstantRow<double>& row : constants<double>())
    result["constants"].push_back(constant(row, profile));
  return printed(result);
}

std::string json(const std::deque<Algorithm>& algorithms) {
  Json result = head("fathom.algorithms");
  result["algorithms"] = list_of(algorithms, registry_entry);
  return printed(result);
}

std::string json(const std::vector<LawComparison>& comparisons) {
  Json result = head("fathom.validate");
  result["comparisons"] = Json::array();
  for (const auto& [law, comparison] : comparisons) {
    Json entry = {{"law", name(law)}, {"device", comparison.device}};
    entry["measured_on"] = text_or_null(comparison.measured_on);
    entry["other_gpu"] = comparison.other_gpu;
    entry["left_out"] = left_out(comparison.left_out);
    entry["errors"] = list_of(comparison.summaries, error_summary);
    entry["regrets"] = list_of(comparison.regrets, regret);
    entry["runs"] = Json::array();
    result["comparisons"].push_back(std::move(entry));
  }
  // The runs are written one by one: as one tree they would need several times the memory of their text.
  constexpr std::string_view no_runs = "\"runs\": []";
  const std::string text = printed(result);
  std::string with_runs;
  std::size_t from = 0;
  for (const auto& [law, comparison] : comparisons) {
    const std::size_t at = text.find(no_runs, from);
    with_runs.append(text, from, at - from).append("\"runs\": ");
    append_runs(with_runs, comparison.runs);
    from = at + no_runs.size();
  }
  return with_runs.append(text, from);
}

std::string json(const std::vector<AlgorithmFit>& fits, const NotFitted& not_fitted) {
  Json result = head("fathom.fit");
  result["fits"] = list_of(fits, algorithm_fit);
  result["not_fitted"] = {{"unknown_algorithm", not_fitted.unknown_algorithm},
                          {"other_input", not_fitted.other_input},
                          {"unchecked", not_fitted.unchecked},
                          {"clock_moved", not_fitted.clock_moved},
                          {"without_work", not_fitted.without_work},
                          {"not_predicted", not_fitted.not_predicted},
                          {"beyond_most", not_fitted.beyond_most}};
  return printed(result);
}

}  // namespace fathom::reports
