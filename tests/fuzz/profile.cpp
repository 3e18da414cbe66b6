// SPDX-License-Identifier: Apache-2.0
// Profiles: what parse_profile() accepts is written and read back unchanged, and predicts finite positive
// times.
#include <fathom/algorithms/registry.h>
#include <fathom/calibration/fit.h>
#include <fathom/calibration/predictor.h>
#include <fathom/model/constants.h>
#include <fmt/format.h>

#include <cmath>

#include "fuzz.h"
#include "stored.h"

namespace fathom {
namespace {

void check_round_trip(const DeviceProfile& profile) {
  const std::string text = to_json(profile);
  const DeviceProfile again = parse_profile(text, "again");
  fuzz::expect(to_json(again) == text, "a profile that was written reads back the same");
  std::vector<std::optional<double>> before, after;
  for_each_constant(profile.machine, [&](std::string_view, const auto& value) { before.push_back(value); });
  for_each_constant(again.machine, [&](std::string_view, const auto& value) { after.push_back(value); });
  fuzz::expect(before == after, "constants survive the round trip");
}

void check_prediction(const DeviceProfile& profile, const Descriptor& algorithm, const Problem& problem,
                      LawName law) {
  try {
    const Prediction prediction =
        Predictor(profile, algorithm, Law{.law = law}, fuzz::work_in_tables(90))(problem);
    fuzz::expect_positive(prediction.time_s, "a predicted time");
    if (prediction.interval_s) {
      fuzz::expect_positive(prediction.interval_s->low, "the low end of an interval");
      fuzz::expect_positive(prediction.interval_s->high, "the high end of an interval");
    }
    // Where levels overlap, the shorter one takes no time of its own (Phase::overlap).
    for (const PhaseTime& phase : prediction.phases)
      fuzz::expect(std::isfinite(phase.seconds) && phase.seconds >= 0,
                   "a phase's time is finite, and at least 0");
  } catch (const MissingConstant&) {
  } catch (const WorkUnavailable&) {
  } catch (const std::invalid_argument&) {  // a block that does not fit on a multiprocessor
  }
}

/// Of all GPUs and bytes that a program may ask for, measured or not.
void check_exchanges(const Links& known) {
  Links links = known;
  for (const LinkCurve& curve : known.curves)
    for (const int on_each :
         {1, 2, curve.gpus / curve.hosts, curve.gpus / curve.hosts + 1, 4096 / curve.hosts + 1})
      for (const double bytes : {0.0, curve.most_bytes, 0x1p40}) {
        links.hosts = curve.hosts;
        const int gpus = on_each * curve.hosts;
        const ExchangeTime time = exchange_time({curve.kind, bytes}, gpus, links);
        fuzz::expect(std::isfinite(time.seconds) && time.seconds >= 0,
                     "the time of an exchange is finite, and at least 0");
        if (time.interval_s)
          fuzz::expect(time.interval_s->low <= time.interval_s->high, "an interval is in order");
      }
}

}  // namespace
}  // namespace fathom

using namespace fathom;

std::vector<std::string> fuzz::large_inputs(std::size_t bytes) {
  std::vector<std::string> inputs;
  const std::string good = to_json(built_in_profile("m4000"));
  for (const std::string& json : large_json(bytes)) {
    inputs.push_back(json);
    inputs.push_back(replaced(good, "\"m4000\"", json));
    inputs.push_back(replaced(good, "\"quality\": {}", "\"quality\": " + json));
    inputs.push_back(replaced(good, "269.5", json));
  }
  const auto level = [](std::size_t i) {
    return fmt::format(
        R"("{}":{{"mean_relative_error":0,"worst_relative_error":0,"knee_accesses_per_core":1}})", i);
  };
  inputs.push_back(replaced(good, "\"quality\": {}", "\"quality\": {" + listed(level, bytes) + "}"));
  const auto warning = [](std::size_t) { return std::string("\"\""); };
  inputs.push_back(replaced(good, "\"warnings\": [", "\"warnings\": [" + listed(warning, bytes) + ","));
  const auto series = [](std::size_t i) {
    return fmt::format(
        R"({{"question":"global-copy","at":{{"X":{}}},"unit":"s","clock_hz":null,"clock_moved":false,)"
        R"("samples":[1e-6]}})",
        i);
  };
  inputs.push_back(replaced(good, "\"series\": []", "\"series\": [" + listed(series, bytes) + "]"));
  const auto fit = [](std::size_t i) {
    return fmt::format(R"({{"algorithm":"sort-pairwise","factors":{{"work":{{"value":1,"interval":null}},)"
                       R"("waiting":{{"value":1,"interval":null}}}},"covariance_log":[0,0,0,0],)"
                       R"("residual_log":0,"runs":{},"dataset":""}})",
                       i);
  };
  inputs.push_back(replaced(good, "\"algorithms\": []", "\"algorithms\": [" + listed(fit, bytes) + "]"));
  return inputs;
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const auto profile = fuzz::accepted([&] { return parse_profile(std::string(text), "profile"); });
  if (!profile) return 0;
  check_round_trip(*profile);
  if (profile->machine.links) check_exchanges(*profile->machine.links);
  std::size_t number = 0;
  for (const Algorithm& algorithm : algorithms())
    if (fuzz::is_chosen(text, number++, algorithms().size()) && algorithm.formula)
      for (double n : {1000.0, 0x1p28})
        for (LawName law : all_laws) check_prediction(*profile, algorithm, algorithm.problem(n), law);
  return 0;
}
