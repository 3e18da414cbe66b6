// SPDX-License-Identifier: Apache-2.0
// Answers about launches from a profiler's report as JSON.
#include <fathom/reports/launches.h>

#include "json_parts.h"

namespace fathom::reports {

using namespace json_parts;

namespace {

Json lacking_list(const std::vector<Lacking>& lacking) {
  return list_of(lacking, [](const Lacking& one) {
    return Json{{"what", one.what}, {"metrics", one.metrics}};
  });
}

Json not_predicted_list(const std::vector<NotPredicted>& all) {
  return list_of(all, [](const NotPredicted& one) {
    return Json{{"kernel", one.kernel}, {"launches", one.launches}, {"why", one.why}};
  });
}

Json own_gpu(const std::optional<OnReportsGpu>& own) {
  if (!own) return nullptr;
  return {{"device", own->profile},
          {"measured_s", own->measured_s},
          {"predicted_s", own->predicted_s},
          {"scale", own->measured_s / own->predicted_s}};
}

}  // namespace

std::string json(const ImportReport& imported) {
  const LaunchReport& report = imported.launches;
  const std::vector<Lacking> lacks = lacking(report);
  Json result = head("fathom.import");
  result["report"] = imported.report;
  result["file"] = imported.file;
  result["gpu"] = text_or_null(report.provenance.gpu);
  result["launches"] = report.launches.size();
  result["not_predicted"] = not_predicted_list(not_predicted(report));
  result["lacking"] = lacking_list(lacks);
  result["profiler_command"] = lacks.empty() ? Json() : Json(profiler_command(lacks));
  return printed(result);
}

std::string json(const LaunchesPrediction& predicted) {
  const Prediction& prediction = predicted.prediction;
  Json kernels = Json::array();
  for (std::size_t i = 0; i < prediction.kernels.size(); ++i) {
    kernels.push_back(kernel_time(prediction.kernels[i]));
    kernels.back()["measured_s"] = or_null(predicted.measured_s[i]);
  }
  Json result = head("fathom.predict-launches");
  result["file"] = predicted.file;
  result["gpu"] = text_or_null(predicted.gpu);
  result["device"] = predicted.device;
  result["law"] = name(LawName::counted);
  result["caches"] = name(predicted.caches);
  result["what_if"] = predicted.what_if;
  result["launches"] = predicted.launches;
  result["time_s"] = prediction.time_s;
  result["interval_s"] = or_null(prediction.interval_s);
  result["scaled_from"] = own_gpu(predicted.own);
  result["terms"] = terms(prediction);
  result["bound"] = bottleneck(prediction);
  result["saving"] = saving(prediction);
  result["kernels"] = std::move(kernels);
  result["not_predicted"] = not_predicted_list(predicted.not_predicted);
  result["assumptions"] = predicted.assumptions;
  result["lacking"] = lacking_list(predicted.lacking);
  result["sensitivities"] = sensitivity_list(predicted.sensitivities);
  return printed(result);
}

}  // namespace fathom::reports
