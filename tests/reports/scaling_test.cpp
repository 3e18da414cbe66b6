// SPDX-License-Identifier: Apache-2.0
// Several GPUs over their number: what is drawn of times that are known, and which runs count.
#include "samples.h"

#include <fathom/calls/predicting/scaling.h>
#include <fathom/model/links.h>
#include <fathom/reports/figures/scaling.h>
#include <fathom/store/profile.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>

using namespace fathom;
using namespace fathom::reports;
using Catch::Matchers::Contains;

namespace {

constexpr double ms = 1e-3;

Prediction predicted(double seconds, std::vector<StepTime> steps = {}) {
  Prediction prediction = counted_prediction_of(seconds);  // 0.8 to 1.25 times as long
  for (const StepTime& step : steps)
    if (step.step == "exchange")
      prediction.resources->alone_s[std::size_t(Resource::link)] = step.seconds + step.hidden_s;
  prediction.steps = std::move(steps);
  return prediction;
}

/// 2^20 elements take 8 ms on one GPU, 4 ms on two, and 2.5 ms on four; measured are 8, 5 and, on four,
/// nothing. 2^21 take 8 ms on two, measured 10. Links were measured among two.
Scaling sample() {
  const auto measured = [](double seconds) { return Quartiles{0.9 * seconds, seconds, 1.1 * seconds}; };
  return {
      .algorithm = "sort-gpus",
      .type = "u64",
      .device = "h200",
      .law = LawName::counted,
      .alone = {"radix-msd"},
      .most_linked = 2,
      .points = {{0x1p20, 1, measured(8 * ms), predicted(8 * ms)},
                 {0x1p20, 2, measured(5 * ms),
                  predicted(4 * ms, {{"sort", 3 * ms}, {"exchange", 1 * ms, 0.5 * ms}})},
                 {0x1p20, 4, std::nullopt, predicted(2.5 * ms, {{"sort", 1.5 * ms}, {"exchange", 1 * ms}})},
                 {0x1p21, 2, measured(10 * ms), predicted(8 * ms, {{"sort", 6 * ms}, {"exchange", 2 * ms}}),
                  ExchangeRate{ExchangeKind::all_to_all, 300e9, 0.75}}},
      .totals = {0x1p20},
      .per_gpu = {0x1p20}};
}

std::vector<double> heights(const std::vector<reports::Point>& points) {
  std::vector<double> all;
  for (const reports::Point& point : points) all.push_back(point.y);
  return all;
}
std::vector<const Layer*> layers(const Figure& figure, Style style) {
  std::vector<const Layer*> found;
  for (const Layer& layer : figure.layers)
    if (layer.style == style) found.push_back(&layer);
  return found;
}
const Layer& labelled(const Figure& figure, const std::string& label) {
  const auto found = std::ranges::find(figure.layers, label, &Layer::label);
  REQUIRE(found != figure.layers.end());
  return *found;
}

}  // namespace

TEST_CASE("times over the number of GPUs are dashed beyond the links measured") {
  const Figure figure = scaling_time_figure(sample(), Fixed::n_in_all);
  CHECK(figure.y.label == "time (ms)");
  const Layer& known = labelled(figure, "n = 2^20");
  CHECK(known.dash == 0);
  CHECK_THAT(heights(known.points), Catch::Matchers::Approx(std::vector<double>{8, 4}));
  const auto lines = layers(figure, Style::line);
  REQUIRE(lines.size() == 2);
  CHECK(lines[1]->dash == 1);
  CHECK_THAT(heights(lines[1]->points), Catch::Matchers::Approx(std::vector<double>{4, 2.5}));
  const auto bands = layers(figure, Style::band);
  REQUIRE(bands.size() == 1);
  CHECK(bands[0]->points[1].low == Approx(0.8 * 4));
  CHECK(bands[0]->points[1].high == Approx(1.25 * 4));
  CHECK_THAT(heights(layers(figure, Style::points)[0]->points),
             Catch::Matchers::Approx(std::vector<double>{8, 5}));
  CHECK(labelled(figure, "extrapolated").dash == 1);
}

TEST_CASE("the speed-up is over one GPU, for n on each GPU of elements per second") {
  const Figure in_all = scaling_speed_up_figure(sample(), Fixed::n_in_all);
  CHECK_THAT(heights(labelled(in_all, "n = 2^20").points),
             Catch::Matchers::Approx(std::vector<double>{1, 2}));
  CHECK_THAT(heights(layers(in_all, Style::points)[0]->points),
             Catch::Matchers::Approx(std::vector<double>{1, 8.0 / 5}));
  const auto bands = layers(in_all, Style::band);
  CHECK(bands[0]->points[0].low == 1);  // one GPU is as fast as itself
  CHECK(bands[0]->points[1].low == Approx(2 / 1.25));
  const Figure per_gpu = scaling_speed_up_figure(sample(), Fixed::n_per_gpu);
  CHECK_THAT(heights(labelled(per_gpu, "2^20 per GPU").points),
             Catch::Matchers::Approx(std::vector<double>{1, 2}));
  CHECK_THAT(heights(layers(per_gpu, Style::points)[0]->points),
             Catch::Matchers::Approx(std::vector<double>{1, 2 * 8.0 / 10}));
  CHECK_THAT(heights(labelled(per_gpu, "as many times as GPUs").points),
             Catch::Matchers::Approx(std::vector<double>{1, 2, 4}));
}

TEST_CASE("a speed-up without a time on one GPU is not drawn") {
  Scaling of = sample();
  of.points.erase(of.points.begin());
  CHECK(scaling_speed_up_figure(of, Fixed::n_in_all).layers.empty());
  CHECK_FALSE(scaling_time_figure(of, Fixed::n_in_all).layers.empty());
}

TEST_CASE("steps are stacked to the predicted time") {
  const Figure figure = scaling_steps_figure(sample());
  CHECK_THAT(figure.title, Contains("2^20 per GPU"));
  CHECK_THAT(heights(labelled(figure, "one GPU").points), Catch::Matchers::Approx(std::vector<double>{8, 0}));
  CHECK_THAT(heights(labelled(figure, "sort").points), Catch::Matchers::Approx(std::vector<double>{8, 6}));
  const Layer& exchange = labelled(figure, "exchange");
  CHECK(exchange.points[1].low == Approx(6));
  CHECK(exchange.points[1].high == Approx(8));
  CHECK_THAT(heights(labelled(figure, "measured, quartiles").points),
             Catch::Matchers::Approx(std::vector<double>{8, 10}));
  REQUIRE(figure.labels.size() == 1);
  CHECK(figure.labels[0].text == "exchange 25.0 %");

  Scaling in_all = sample();
  in_all.per_gpu.clear();
  const Figure of_total = scaling_steps_figure(in_all);
  CHECK_THAT(of_total.title, Contains("n = 2^20"));
  CHECK(of_total.labels[0].text == "+ 12.5 % hidden");
}

TEST_CASE("the tables of several GPUs have measured runs alone, and errors by their number") {
  const Table runs = scaling_table({sample()});
  REQUIRE(runs.rows().size() == 2);
  CHECK(runs.rows()[0] == std::vector<std::string>{"sort-gpus", "u64", "2^20", "2", "4.00 ms",
                                                   "3.20 to 5.00 ms", "5.00 ms", "−20.0 %", "2.00", "1.60",
                                                   "37.5 %", "-", "-", "-"});
  CHECK(runs.rows()[1][8] == "-");  // one GPU has no time of 2^21
  CHECK(runs.rows()[1][11] == "all-to-all");
  CHECK(runs.rows()[1][12] == "300 GB/s");
  CHECK(runs.rows()[1][13] == "75.0 %");
  const Table errors = scaling_error_table({sample()});
  REQUIRE(errors.rows().size() == 2);
  CHECK(errors.rows()[1] ==
        std::vector<std::string>{"sort-gpus", "u64", "2", "2", "20.0 %", "20.0 %", "100 %"});

  Scaling unmeasured = sample();
  for (Scaling::Point& point : unmeasured.points) point.measured.reset();
  CHECK(scaling_table({unmeasured}).rows().size() == 3);
  CHECK(scaling_table({unmeasured}).rows()[1][3] == "4 (extrapolated)");
  CHECK(scaling_error_table({unmeasured}).empty());
}

TEST_CASE("curves are drawn for the least, the largest, and a size in the middle") {
  CHECK(spread({1, 2}) == std::vector<double>{1, 2});
  CHECK(spread({1, 2, 3, 4, 5}) == std::vector<double>{1, 3, 5});
  CHECK(spread({}).empty());
}

namespace {

DeviceProfile linked_profile() {
  return read_profile(std::filesystem::path(FATHOM_DATA) / "h200-gpus/links.json");
}

Measurement run_on(int gpus, double n, double seconds) {
  return run_of("reduce-gpus", n, {{"gpus", gpus}}, seconds);
}

calls::ScalingAnswer answer_to(const DeviceProfile& profile, std::vector<Measurement> runs,
                               double smallest_n = 1) {
  const WorkLookup work = shipped_work();
  const Progress no_progress = [](auto&&...) {};
  return calls::scalings({profile, LawName::counted, work, no_progress, smallest_n},
                         {&group_algorithm("reduce-gpus")}, {{{}, std::move(runs)}});
}

}  // namespace

TEST_CASE("of runs, those with default parameters count, with the fastest algorithm of one GPU") {
  const DeviceProfile profile = linked_profile();
  Measurement unchecked = run_on(2, 0x1p27, 1 * ms), other_input = run_on(4, 0x1p26, 1 * ms);
  unchecked.checked = false;
  other_input.input = Input::sorted;
  Measurement baseline = run_of("cub-reduce", 0x1p28, {}, 2.5 * ms);
  baseline.problem.kind = Kind::reduce;
  const calls::ScalingAnswer answer = answer_to(
      profile,
      {run_on(2, 0x1p28, 2 * ms), run_on(0, 0x1p25, 1 * ms), run_on(1000, 0x1p25, 1 * ms), unchecked,
       other_input,
       run_of("reduce-vector", 0x1p28, algorithm("reduce-vector").problem(0x1p28).parameters, 3 * ms),
       baseline, run_of("sort-pairwise", 0x1p28, {}, 1 * ms)});
  CHECK(answer.unpredicted.empty());
  REQUIRE(answer.scalings.size() == 1);
  const Scaling& of = answer.scalings[0];
  CHECK(of.most_linked == 2);
  CHECK(of.alone == std::vector<std::string>{"reduce-vector"});
  CHECK(of.totals == std::vector<double>{0x1p28});
  CHECK(of.per_gpu == std::vector<double>{0x1p27});
  CHECK(find_point(of, 0x1p28, 2)->measured->median == Approx(2 * ms));
  CHECK(find_point(of, 0x1p28, 1)->measured->median == Approx(2.5 * ms));  // CUB's, which has no prediction
  CHECK_FALSE(find_point(of, 0x1p27, 2));
  for (const int gpus : {1, 2, 4, 8})
    for (const double n : {0x1p28, 0x1p27 * gpus}) {
      INFO(n << " on " << gpus);
      REQUIRE(find_point(of, n, gpus));
      const auto& prediction = find_point(of, n, gpus)->predicted;
      REQUIRE(prediction);
      double sum = 0;
      for (const StepTime& step : prediction->steps) sum += step.seconds;
      if (gpus > 1) CHECK(sum == Approx(prediction->time_s));
    }
  CHECK(find_point(of, 0x1p28, 2)->exchange->kind == ExchangeKind::all_gather);
  CHECK_FALSE(find_point(of, 0x1p28, 4)->exchange);  // not measured among four
}

TEST_CASE("one GPU is the algorithm itself where no other was measured") {
  const DeviceProfile profile = linked_profile();
  const calls::ScalingAnswer answer = answer_to(profile, {run_on(2, 0x1p28, 2 * ms)});
  CHECK(answer.scalings.at(0).alone == std::vector<std::string>{"reduce-gpus"});
  CHECK(find_point(answer.scalings[0], 0x1p28, 1)->predicted);
  CHECK(answer_to(profile, {run_on(2, 0x1p28, 2 * ms)}, 0x1p29).scalings.empty());
}

TEST_CASE("the exchange of a sort has the rate of its line, as a share of the largest copies") {
  const DeviceProfile profile = linked_profile();
  const WorkLookup work = shipped_work();
  const Progress no_progress = [](auto&&...) {};
  const double n = 0x1p30;
  Measurement run =
      run_of("sort-gpus", n, group_algorithm("sort-gpus").problem(n, ElementType::u64).parameters, 1);
  run.problem.type = ElementType::u64;
  const auto answer = calls::scalings({profile, LawName::counted, work, no_progress},
                                      {&group_algorithm("sort-gpus")}, {{{}, {run}}});
  const ExchangeRate& exchange = *find_point(answer.scalings.at(0), n, 2)->exchange;
  CHECK(exchange.kind == ExchangeKind::all_to_all);
  // The largest exchange is that of the first of two slices, half of 2^28 keys: the second is exchanged in
  // smaller pieces.
  const double bytes = 0x1p27 * 8, rate = bytes / exchange_time({ExchangeKind::all_to_all, bytes}, 2,
                                                                required_links(profile.machine))
                                                      .seconds;
  CHECK(exchange.bytes_per_second == Approx(rate));
  CHECK(rate == Approx(370e9).epsilon(0.01));
  CHECK(*exchange.share_of_link == Approx(rate / 385e9).epsilon(0.05));
}

TEST_CASE("a profile without links predicts no several GPUs") {
  DeviceProfile profile = linked_profile();
  profile.machine.links.reset();
  CHECK_THROWS_AS(answer_to(profile, {run_on(2, 0x1p28, 2 * ms)}), MissingConstant);
  CHECK_FALSE(calls::has_several_gpus({{{}, {run_of("reduce-vector", 1024, {}, 1)}}}));
  CHECK(calls::has_several_gpus({{{}, {run_on(2, 1024, 1)}}}));
}
