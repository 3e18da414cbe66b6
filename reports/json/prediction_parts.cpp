// SPDX-License-Identifier: Apache-2.0
// What predictions of all kinds have in JSON.
#include "json_parts.h"

#include <algorithm>

namespace fathom::reports::json_parts {
namespace {

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

std::string bound_name(const Bound& bound) {
  return bound.resource ? std::string(name(*bound.resource)) : "launches";
}

/// What 10 % more of the bound would save.
Json saving(const Bound& bound, double time_s) {
  return {{"time_s", bound.saved_s}, {"share", bound.saved_s / time_s}};
}

}  // namespace

Json terms(const Prediction& prediction) {
  if (prediction.resources) return terms(*prediction.resources);
  return {{"global_s", or_null(term_seconds(prediction, Level::global))},
          {"shared_s", or_null(term_seconds(prediction, Level::shared))},
          {"register_s", or_null(term_seconds(prediction, Level::registers))}};
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

}  // namespace fathom::reports::json_parts
