// SPDX-License-Identifier: Apache-2.0
// The input is compared: a dataset with the predictions, or two datasets or two profiles, with a line "---"
// between them, with each other. No page is written: that is report_input's part.
#include <fathom/algorithms/registry.h>
#include <fathom/reports/json/json.h>
#include <fathom/reports/side_by_side.h>
#include <fathom/reports/text/text.h>
#include <fathom/store/json_fields.h>
#include <fathom/store/measurements_in.h>
#include <fmt/format.h>

#include <sstream>

#include "compared.h"
#include "fuzz.h"
#include "stored.h"

namespace fathom {
namespace {

constexpr std::string_view separator = "\n---\n";

std::string kind_of(const std::string& text) {
  std::istringstream document(text);
  return measurements_in(document);
}

const DeviceProfile& usual_profile() {
  static const DeviceProfile profile = built_in_profile("h200");
  return profile;
}

const DeviceProfile& small_profile() {
  static const DeviceProfile profile = built_in_profile("m4000");
  return profile;
}

void compare_with_predictions(const std::vector<Dataset>& datasets, std::string_view input) {
  for (std::size_t i = 0; i < all_laws.size(); ++i) {
    if (!fuzz::is_chosen(input, i, all_laws.size())) continue;
    const Law law{.law = all_laws[i]};
    std::vector<reports::LawComparison> comparisons{
        {law.law, compare(usual_profile(), datasets, find_descriptor, law, 0, {}, fuzz::work_in_tables(90))}};
    fuzz::check(comparisons.front().comparison);
    reports::text(comparisons, reports::Groups::parameters);
    parse_json(reports::json(comparisons), "the comparison");
  }
}

void compare_datasets(const Dataset& before, const Dataset& after) {
  const reports::DatasetChange change = reports::compare(before, after);
  std::size_t compared = 0;
  for (const reports::RunChange& run : change.runs) fuzz::expect_positive(run.ratio(), "a ratio of times");
  for (const reports::AlgorithmChange& one : change.algorithms) {
    compared += one.compared;
    if (one.median_ratio) fuzz::expect_positive(*one.median_ratio, "a median ratio");
    fuzz::expect(one.faster + one.slower <= one.compared, "a run is faster or slower");
  }
  fuzz::expect(compared == change.runs.size(), "a configuration is of one algorithm");
  reports::change_table(change);
  reports::run_change_table(change);
  reports::change_figures(change);
}

std::vector<reports::PredictionReport> predictions(const DeviceProfile& profile, const Algorithm& algorithm,
                                                   LawName law) {
  std::vector<reports::PredictionReport> found;
  try {
    Predictor predictor(profile, algorithm, Law{.law = law},
                        fuzz::work_in_tables(profile.architecture.value_or(90)));
    for (const double n : {0x1p12, 0x1p26}) {
      const Problem problem = algorithm.problem(n);
      found.push_back({.algorithm = algorithm.slug,
                       .device = profile.name,
                       .law = law,
                       .problem = problem,
                       .prediction = predictor(problem)});
    }
  } catch (const MissingConstant&) {
  } catch (const WorkUnavailable&) {
  } catch (const std::invalid_argument&) {  // a block that does not fit on a multiprocessor
  }
  return found;
}

void compare_profiles(DeviceProfile first, DeviceProfile second, std::string_view input) {
  reports::ProfilePair pair{std::move(first), std::move(second)};
  std::size_t choice = 0;
  for (const Algorithm& algorithm : algorithms())
    for (const LawName law : {LawName::counted, LawName::published}) {
      if (!fuzz::is_chosen(input, choice++, 2 * algorithms().size()) || !algorithm.formula) continue;
      pair.law = law;
      pair.of_first = predictions(pair.first, algorithm, law);
      pair.of_second = predictions(pair.second, algorithm, law);
      for (const reports::PredictedRatio& ratio : reports::predicted_ratios(pair))
        for (const auto& [n, seconds] : ratio.seconds) {
          fuzz::expect_positive(seconds.first, "a predicted time");
          fuzz::expect_positive(seconds.second, "a predicted time");
        }
      reports::machine_table(pair);
      reports::constants_table(pair);
      reports::predicted_ratio_table(pair);
      reports::predicted_ratio_figures(pair);
    }
}

/// The same run but for its size.
std::string run_of_size(std::size_t n) {
  return fuzz::replaced(fuzz::run_of("sort-pairwise", R"({"E":17,"t":256})", "[]", "[1e-6]"), "1000000",
                        std::to_string(n + 1));
}

}  // namespace
}  // namespace fathom

using namespace fathom;

std::vector<std::string> fuzz::large_inputs(std::size_t bytes) {
  std::vector<std::string> inputs;
  // Half the size: what has no kind is read three times.
  for (const std::string& json : large_json(bytes / 2))
    inputs.push_back(R"({"schema":"fathom.data","other":)" + json);
  const auto object = [](std::size_t) { return std::string("{}"); };
  inputs.push_back(R"({"other":[)" + listed(object, bytes) + R"(],"schema":"fathom.dataset"})");
  const std::string runs = dataset_of(listed(run_of_size, bytes / 2));
  inputs.push_back(runs);
  inputs.push_back(runs + std::string(separator) + runs);
  inputs.push_back(repeated(separator, bytes));
  return inputs;
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = fuzz::text_of(data, size);
  const std::size_t middle = input.find(separator);
  const std::string first(input.substr(0, middle));
  const std::string second(middle == input.npos ? "" : input.substr(middle + separator.size()));
  const std::string kind = kind_of(first);
  if (kind != "profile")
    if (auto dataset = fuzz::accepted([&] { return parse_dataset(first, "first"); })) {
      fuzz::expect(kind == "dataset", "a dataset is known as one");
      std::vector<Dataset> datasets{*std::move(dataset)};
      if (auto other = fuzz::accepted([&] { return parse_dataset(second, "second"); })) {
        compare_datasets(datasets.front(), *other);
        datasets.push_back(*std::move(other));
      }
      compare_with_predictions(datasets, input);
    }
  if (kind != "dataset")
    if (auto profile = fuzz::accepted([&] { return parse_profile(first, "first"); })) {
      fuzz::expect(kind == "profile", "a profile is known as one");
      auto other = fuzz::accepted([&] { return parse_profile(second, "second"); });
      compare_profiles(*std::move(profile), other ? *std::move(other) : small_profile(), input);
    }
  return 0;
}
