#include "samples.h"

#include <fathom/core/text/escape.h>
#include <fathom/reports/figures/machine/memory_machines.h>
#include <fathom/reports/figures/sweeps.h>
#include <fathom/reports/figures/throughput.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>

using namespace fathom;
using namespace fathom::reports;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

Figure small_figure() {
  return {.id = "small",
          .title = "a_b^c & <d> 'e'",
          .x = {.label = "x"},
          .y = {.label = "y"},
          .layers = {{.label = "l", .points = {{1, 1}, {2, 4}}}}};
}

/// Sets an environment variable for its lifetime.
struct Environment {
  const char* name;
  std::optional<std::string> before;
  Environment(const char* variable, const std::string& now) : name(variable) {
    if (const char* value = std::getenv(name)) before = value;
    setenv(name, now.c_str(), 1);
  }
  ~Environment() { before ? setenv(name, before->c_str(), 1) : unsetenv(name); }
};

/// A program called gnuplot, first in PATH, for its lifetime.
struct FakeGnuplot {
  fs::path folder = fs::temp_directory_path() / ("fathom-fake-gnuplot-" + std::to_string(std::rand()));
  explicit FakeGnuplot(const std::string& script) {
    fs::create_directories(folder);
    std::ofstream(folder / "gnuplot") << "#!/bin/sh\n" << script << '\n';
    fs::permissions(folder / "gnuplot", fs::perms::owner_all);
  }
  ~FakeGnuplot() { fs::remove_all(folder); }
  Environment path{"PATH", folder.string() + ":" + std::getenv("PATH")};
};

std::string first_bytes(const fs::path& file, std::size_t count) {
  std::ifstream in(file, std::ios::binary);
  std::string bytes(count, '\0');
  in.read(bytes.data(), std::streamsize(count));
  return bytes;
}

}  // namespace

TEST_CASE("the file's extension selects the format") {
  const fs::path folder = fs::temp_directory_path() / ("fathom-figures-" + std::to_string(std::rand()));
  fs::create_directories(folder);
  for (const auto& [ending, magic] : {std::pair{".png", "\x89PNG"}, {".pdf", "%PDF"}, {".svg", "<svg"}}) {
    const fs::path file = folder / (std::string("it's") + ending);
    draw(small_figure(), file);
    CHECK(first_bytes(file, 4) == magic);
  }
  CHECK_THROWS_WITH(draw(small_figure(), folder / "a.gif"), Contains(".svg, .png or .pdf"));
  fs::remove_all(folder);
}

TEST_CASE("an SVG has an escaped title and its own ids") {
  const std::string text = svg(small_figure());
  CHECK_THAT(text, Contains("<title id=\"small-title\">a_b^c &amp; &lt;d&gt; &#39;e&#39;</title>"));
  CHECK_THAT(text, Contains("role=\"img\""));
  CHECK_THAT(text, Contains("id='small-gpPt0'") && !Contains("id='gpPt0'") && !Contains("'#gpPt"));
}

TEST_CASE("without gnuplot the error names its package") {
  const Environment nothing("PATH", "/nonexistent");
  CHECK_THROWS_WITH(svg(small_figure()), Contains("gnuplot-nox"));
}

TEST_CASE("a figure's id, title and labels from files stay text in its SVG") {
  Figure figure = small_figure();
  figure.id = figure.title = figure.description = figure.x.label = figure.layers[0].label = hostile_text;
  const std::string text = svg(figure);
  CHECK_THAT(text, !Contains("<img") && !Contains("<svg onload") && !Contains("\x1b") && !Contains("\xff"));
  CHECK_THAT(text, Contains("id='" + identifier(hostile_text) + "-gpPt0'"));
  CHECK_THAT(text,
             Contains("`id` id='q' href=\"#q\" url(#q)"));  // a label, not prefixed with the figure's id
  for (const char* label :
       {"'", "'; print 1", "a''; system \"touch fathom-was-here\"; b''", "'''", "\\'\\", "a]]>b"}) {
    figure.title = figure.layers[0].label = label;
    INFO(label);
    const std::string drawn = svg(figure);
    CHECK_THAT(drawn, !Contains("]]>"));  // which is not XML
    const std::string shown = std::regex_replace(drawn, std::regex("<[^>]*>"), "");
    CHECK(occurrences(std::regex_replace(shown, std::regex("&gt;"), ">"), label) >= 2);  // title and legend
  }
  CHECK_FALSE(fs::exists("fathom-was-here"));
}

TEST_CASE("figures of one kind have different ids, of letters, digits and '-'") {
  ReportInput input;
  input.datasets.emplace_back();
  // The first and the last two would have the same id, and overwrite each other's file.
  for (const char* algorithm : {"a", "a-u32", "../b", "..-b"})
    for (const char* type : {"u32", "u32:u32"})
      for (const int t : {128, 192, 256, 512}) {
        Measurement run = run_of(algorithm, 1024, {{"t", t}}, 1e-6);
        run.problem.type = ElementType::u32;
        if (std::string_view(type) != "u32") run.problem.value_type = ElementType::u32;
        input.datasets[0].runs.push_back(run);
      }
  std::set<std::string> ids;
  const auto all = figures(input, FigureKind::sweep);
  for (const auto& one : all) {
    const std::string& id = std::get<Figure>(one).id;
    INFO(id);
    CHECK(identifier(id) == id);
    ids.insert(id);
  }
  CHECK(all.size() == 8);
  CHECK(ids.size() == 8);
}

TEST_CASE("gnuplot's failure is one line in our words, and none of its text") {
  for (const auto& [script, says] : {std::pair{"echo SECRET; echo SECRET >&2; exit 3", "exit status 3"},
                                     {"kill -SEGV $$", "signal 11"},
                                     {"exit 0", "drew nothing"},
                                     {"echo SECRET", "no SVG"}}) {
    const FakeGnuplot gnuplot(script);
    INFO(script);
    CHECK_THROWS_AS(svg(small_figure()), GnuplotError);
    CHECK_THROWS_WITH(svg(small_figure()), Contains(says) && Contains("a_b^c & <d> 'e'") &&
                                               Contains("gnuplot 5") && !Contains("SECRET") &&
                                               !Contains("\n"));
  }
}

TEST_CASE("gnuplot runs with default signals, and without its user's start-up files") {
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  sigprocmask(SIG_BLOCK, &blocked, &before);
  const auto ignored = std::signal(SIGINT, SIG_IGN);
  {
    // glibc itself ignores signals 32 and 33 in the child.
    const FakeGnuplot gnuplot(
        "test \"$1\" = -d && grep -q '^SigBlk:.0*$' /proc/self/status &&"
        " grep -q '^SigIgn:.*[08]0000000$' /proc/self/status && exit 7");
    CHECK_THROWS_WITH(svg(small_figure()), Contains("exit status 7"));
  }
  CHECK(std::signal(SIGINT, ignored) == SIG_IGN);
  sigset_t after;
  sigprocmask(SIG_SETMASK, &before, &after);
  CHECK(sigismember(&after, SIGTERM) == 1);
}

TEST_CASE("drawing leaves no file") {
  const fs::path folder = fs::temp_directory_path() / ("fathom-no-files-" + std::to_string(std::rand()));
  fs::create_directories(folder);
  {
    const Environment temporary("TMPDIR", folder.string());
    const fs::file_time_type before = fs::last_write_time(folder);
    CHECK_FALSE(svg(small_figure()).empty());
    CHECK(fs::last_write_time(folder) == before);
  }
  fs::remove_all(folder);
}

TEST_CASE("a figure without points is refused") {
  Figure figure = small_figure();
  figure.layers[0].points = {{NAN, 1}};
  CHECK_THROWS_AS(svg(figure), std::invalid_argument);
}

TEST_CASE("axes of any range have a few ticks") {
  for (Scale scale : {Scale::log2, Scale::log10})
    for (double low : {1e-299, 1e-3, 1e298})
      for (std::optional<double> end : {std::optional<double>(), std::optional<double>(INFINITY)}) {
        Figure figure = small_figure();
        figure.x.scale = figure.y.scale = scale;
        figure.x.high = figure.y.high = end;
        figure.layers[0].points = {{low, low}, {1e299, 1e299}, {1e306, 1}};
        CAPTURE(low);
        CHECK(svg(figure).size() < 100'000);
      }
  Figure beyond = small_figure();
  beyond.y.scale = Scale::log10;
  beyond.layers[0].points = {{1, 1e306}};
  CHECK_THROWS_WITH(svg(beyond), Contains("has no points"));
}

TEST_CASE("without data every kind says what is missing and which command produces it") {
  for (FigureKind kind :
       {FigureKind::throughput, FigureKind::algorithms, FigureKind::sweep, FigureKind::saturation,
        FigureKind::footprint, FigureKind::conflicts, FigureKind::parity, FigureKind::terms,
        FigureKind::machines, FigureKind::tradeoff, FigureKind::inputs, FigureKind::types}) {
    CHECK(parse_figure_kind(name(kind)) == kind);
    const auto all = figures({}, kind);
    REQUIRE_FALSE(all.empty());
    for (const auto& one : all) {
      REQUIRE(std::holds_alternative<Missing>(one));
      CHECK_THAT(std::get<Missing>(one).command, Contains("fathom "));
    }
  }
  CHECK_THROWS_WITH(parse_figure_kind("pie"), Contains("parity"));
}

TEST_CASE("reductions and scans share a figure, and each kind with several algorithms has its own") {
  ReportInput input;
  input.datasets.emplace_back();
  for (const char* algorithm : {"reduce-tree", "cub-reduce", "scan-naive"})
    for (const double n : {1024., 4096.})
      input.datasets[0].runs.push_back(run_of(algorithm, n, {{"t", 256}}, n * 1e-9));
  const auto all = figures(input, FigureKind::algorithms);
  REQUIRE(all.size() == 2);
  const Figure& both = std::get<Figure>(all[0]);
  CHECK(both.id == "algorithms-reduce-and-scan-u32");
  std::set<std::string> labels;
  for (const Layer& layer : both.layers)
    if (!layer.label.empty()) labels.insert(layer.label);
  CHECK(labels == std::set<std::string>{"cub-reduce", "reduce-tree", "scan-naive"});
  CHECK(std::get<Figure>(all[1]).id == "algorithms-reduce-u32");
}

TEST_CASE("saturation is X/τ over X·I") {
  const auto all = figures(sample_input(), FigureKind::saturation);
  const Figure& global = std::get<Figure>(all[0]);
  // Layers go line, markers per I: the markers of I = 1 come second. X = 0.25: τ = L = 700 clocks.
  const auto& measured = global.layers[1].points;
  REQUIRE(measured.size() == 4);
  CHECK(measured[0].x == 0.25);
  CHECK(measured[0].y == Approx(0.25 / 700));
  CHECK(std::holds_alternative<Missing>(all[1]));
}

TEST_CASE("footprints: bytes per second of a pass, without launch overhead") {
  ReportInput input;
  input.profile.machine.launch_overhead = 2e-6;
  input.profile.machine.kernel_gap = 1e-6;
  input.profile.machine.l2_half_reading = 3e7;
  // 2 µs and four launches of 1 + 10 µs: 40 MB in 10 µs.
  input.profile.series = {{"footprint-read", {{"bytes", 4e7}, {"launches", 4}}, "s", {46e-6}, 1e9, false}};
  const auto all = figures(input, FigureKind::footprint);
  REQUIRE(all.size() == 1);
  const auto& layers = std::get<Figure>(all[0]).layers;
  REQUIRE(layers.size() == 2);
  CHECK(layers[0].label == "read");
  REQUIRE(layers[0].points.size() == 1);
  CHECK(layers[0].points[0].x == 4e7);
  CHECK(layers[0].points[0].y == Approx(4000));
  CHECK(layers[0].points[0].high == Approx(4000));
  CHECK(layers[1].points[0].x == 3e7);
}

TEST_CASE("memory machines: a figure for each kind, memory and variable; over n per element") {
  ReportInput input;
  const std::vector<MachinePoint> points{{1024, 2048, 512}, {4096, 4096, 2048}};
  for (const char* algorithm : {"scan-naive", "scan-interval", "reduce-tree"})
    for (const char* variable : {"n", "l"})
      input.machine_sweeps.push_back({algorithm, MachineKind::umm, variable, points});
  input.machine_sweeps.push_back({"scan-interval", MachineKind::dmm, "n", points});
  std::map<std::string, Figure> drawn;
  for (const auto& one : figures(input, FigureKind::machines))
    drawn.emplace(std::get<Figure>(one).id, std::get<Figure>(one));
  CHECK(drawn.size() == 5);
  const auto& scans = drawn.at("machines-scan-umm-n").layers;
  REQUIRE(scans.size() == 5);  // line and markers for each, and the legend
  // 4 and 2 times the cost: √8 times it fits best.
  CHECK(scans[0].points[0].y == Approx(std::sqrt(8.) * 512 / 1024));
  CHECK(scans[1].points[0].y == Approx(2));
  CHECK(scans[1].points[1].y == Approx(1));
  CHECK_THAT(scans[1].label, Contains("scan-naive"));
  CHECK(drawn.at("machines-reduce-umm-latency").layers[1].points[0].y == 2048);
  CHECK(drawn.contains("machines-scan-dmm-n"));
}

TEST_CASE("memory machines over a parameter are labelled by the registry if the algorithms agree") {
  const std::vector<MachinePoint> points{{4, 2048, 512}, {8, 4096, 2048}};
  const auto axis = [&](std::vector<MachineSweep> sweeps) {
    return machine_figure("id", "title", sweeps.front().variable, sweeps).x.label;
  };
  const MachineSweep matrix{"scan-matrix", MachineKind::dmm, "alpha", points};
  CHECK(axis({matrix}) == "alpha, rows of a tile");
  const MachineSweep scan{"scan-naive", MachineKind::umm, "t", points},
      reduction{"reduce-tree", MachineKind::umm, "t", points};
  CHECK(axis({scan}) == "t, threads per block");
  CHECK(axis({scan, reduction}) == "t");
  CHECK(axis({{"scan-naive", MachineKind::umm, "w", points}}) == "w, banks");
}

TEST_CASE("each type has its own figures, with ids without special characters") {
  ReportInput input;
  input.datasets.emplace_back();
  for (const double n : {1024., 4096.}) {
    for (const char* algorithm : {"sort-pairwise", "cub-merge"}) {
      Measurement run = run_of(algorithm, n, {}, n * 1e-9);
      input.datasets[0].runs.push_back(run);
      run.problem.value_type = ElementType::u64;
      input.datasets[0].runs.push_back(run);
      run.problem.stable = true;
      input.datasets[0].runs.push_back(run);
    }
  }
  std::set<std::string> ids;
  for (const auto& one : figures(input, FigureKind::algorithms)) ids.insert(std::get<Figure>(one).id);
  CHECK(ids == std::set<std::string>{"algorithms-sort-u32", "algorithms-sort-u32-u64",
                                     "algorithms-sort-u32-u64-stable"});
}

TEST_CASE("a sweep marks both optima") {
  const auto all = figures(sample_input(), FigureKind::sweep);
  REQUIRE(all.size() == 1);
  const auto& layers = std::get<Figure>(all[0]).layers;
  CHECK(layers[layers.size() - 2].label == "best predicted: 15");
  CHECK(layers[layers.size() - 1].label == "best measured: 15");
}

namespace {

const Layer* find_layer(const Figure& figure, const std::string& label) {
  for (const Layer& layer : figure.layers)
    if (layer.label == label) return &layer;
  return nullptr;
}

}  // namespace

TEST_CASE("the legend names the laws of the curves that have predictions") {
  const Measurement run = run_of("sort-pairwise", 1024, {{"E", 15}, {"t", 128}}, 1e-3);
  const Prediction prediction = prediction_of(1e-3, 0);
  const auto curve_with = [&](std::map<LawName, const Prediction*> predicted) {
    const Configuration one{&run, 1024, {{"E", 15}, {"t", 128}}, std::move(predicted)};
    return sweep_curve("E", {{"t", 128}}, {&one});
  };
  const SweepCurve measured = curve_with({}), counted = curve_with({{LawName::counted, &prediction}}),
                   published = curve_with({{LawName::published, &prediction}});
  const auto legend = [](const Figure& figure) {
    std::string laws;
    for (const Layer& layer : figure.layers)
      if (layer.label.starts_with("predicted, ")) laws += layer.label;
    return laws;
  };
  const auto over_parameter = [&](const std::vector<SweepCurve>& curves) {
    return legend(sweep_figure("id", "title", {.label = "E"}, curves));
  };
  CHECK(over_parameter({measured}) == "");
  CHECK(over_parameter({measured, counted}) == "predicted, counted");
  CHECK(over_parameter({measured, published, measured}) == "predicted, published");
  CHECK(over_parameter({counted, published}) == "predicted, published or counted");

  const auto over_n = [&](const std::vector<SweepCurve>& curves) {
    std::vector<ThroughputCurve> all;
    for (const SweepCurve& curve : curves) {
      all.push_back({curve.label, {}, curve.measured, 0});
      if (!curve.predicted.empty()) all.back().predicted = {{curve.law, curve.predicted}};
    }
    return legend(throughput_figure("id", "title", all));
  };
  CHECK(over_n({measured, measured}) == "");
  CHECK(over_n({measured, counted}) == "predicted, counted");
  CHECK(over_n({counted, published, measured}) == "predicted, published or counted");
}

TEST_CASE(
    "where the time goes, law counted: launches, then the largest part; what exceeds the time is overlap") {
  const auto all = figures(sample_input(), FigureKind::terms);
  REQUIRE(all.size() == 2);
  const Figure& over_n = std::get<Figure>(all[0]);
  const auto span = [&](const std::string& label) {
    const Layer* layer = find_layer(over_n, label);
    REQUIRE(layer);
    return std::pair(layer->points[0].low, layer->points[0].high);
  };
  CHECK(span("launches").second == Approx(10));
  CHECK(span("DRAM").first == Approx(10));
  CHECK(span("DRAM").second == Approx(80));
  CHECK(span("ALU").second == Approx(120));
  CHECK(span("overlap: faded").first == Approx(100));
  CHECK(span("overlap: faded").second == Approx(120));
  CHECK_FALSE(find_layer(over_n, "FMA"));
  CHECK_FALSE(find_layer(over_n, "other"));

  const Figure& over_E = std::get<Figure>(all[1]);
  // 5 measured values of E at 2^22 elements, of which E = 7 takes 0.9 of 500 µs.
  const Layer* dram = find_layer(over_E, "DRAM");
  REQUIRE(dram);
  REQUIRE(dram->points.size() == 5);
  CHECK(dram->points[0].high - dram->points[0].low == Approx(0.7 * 450));
}

TEST_CASE("where the time goes, law published: the levels, whose sum is the time") {
  ReportInput input = sample_input();
  input.comparisons.erase(input.comparisons.begin());
  const Figure figure = std::get<Figure>(figures(input, FigureKind::terms)[0]);
  const Layer* shared = find_layer(figure, "shared");
  REQUIRE(shared);
  CHECK(shared->points[0].low == Approx(700. / 9));
  CHECK(shared->points[0].high == Approx(100));
  CHECK_FALSE(find_layer(figure, "overlap: faded"));
}

TEST_CASE("small parts of the time are shown together") {
  ReportInput input = sample_input();
  for (ComparedRun& run : input.comparisons[0].comparison.runs)
    if (run.predicted)
      for (std::size_t i = 0; i < all_resources.size(); ++i)
        run.predicted->resources->alone_s[i] = (i + 1.) / 100 * run.predicted->time_s;
  const Figure figure = std::get<Figure>(figures(input, FigureKind::terms)[0]);
  // Launches take 10 % and resources 1 to 11 %: seven parts remain.
  const Layer* other = find_layer(figure, "other");
  REQUIRE(other);
  CHECK(other->points[0].high - other->points[0].low == Approx(1 + 2 + 3 + 4 + 5));
}

TEST_CASE("where the time goes names the bottleneck of each range of sizes if it is known") {
  ReportInput input;
  input.profile.name = "h200";
  for (int k = 10; k <= 13; ++k) {
    PredictionReport report{.algorithm = "sort-pairwise",
                            .device = "h200",
                            .law = LawName::counted,
                            .problem = {.n = std::exp2(k)},
                            .prediction = counted_prediction_of(1e-5)};
    report.prediction.bound = k < 12 ? Bound{{}, 1e-6} : Bound{Resource::dram, 5e-7};
    input.predictions.push_back(report);
  }
  const Figure figure = std::get<Figure>(figures(input, FigureKind::terms)[0]);
  CHECK_THAT(figure.description,
             Contains("The bottleneck is launches up to n = 2^11, then DRAM: there, at n = "
                      "2^13, 10 % faster saves 5.00 %."));
}

TEST_CASE("predictions come with the interval of the first law, and points without work are counted") {
  ReportInput input = sample_input();
  const auto throughput = [&] { return std::get<Figure>(figures(input, FigureKind::throughput)[0]); };
  CHECK(find_layer(throughput(), "95 % interval")->colour ==
        find_layer(throughput(), "predicted, counted")->colour);
  CHECK(find_layer(throughput(), "predicted, published"));
  CHECK(throughput().note.empty());
  auto& lost = input.comparisons[0].comparison.runs[0];
  REQUIRE(lost.run->algorithm == "sort-pairwise");
  lost.predicted.reset();
  input.unpredicted.push_back({.algorithm = "sort-pairwise",
                               .law = LawName::counted,
                               .problem = lost.run->problem,
                               .measured = true,
                               .why = "install it"});
  CHECK_THAT(throughput().note, Contains("1 point without a prediction"));
  CHECK(find_layer(throughput(), "predicted, counted")->points.size() == 6);
  CHECK_THAT(svg(throughput()), Contains("1 point without a prediction"));
  const auto parity = figures(input, FigureKind::parity);
  CHECK_THAT(std::get<Figure>(parity[0]).note, Contains("1 point"));
  CHECK(std::get<Figure>(parity[1]).note.empty());
}

TEST_CASE("only the law that is fitted to runs shows which may be fitted") {
  ReportInput input = sample_input();
  const auto has_hollow = [&] {
    const Figure figure = std::get<Figure>(figures(input, FigureKind::parity)[0]);
    return find_layer(figure, "hollow: may be fitted") != nullptr;
  };
  CHECK_FALSE(has_hollow());
  input.comparisons[0].law = LawName::fitted;
  CHECK(has_hollow());
}

TEST_CASE("inputs stand side by side at the size with the most runs, with one set of parameters each") {
  ReportInput input;
  input.datasets.emplace_back();
  auto& runs = input.datasets[0].runs;
  const auto add = [&](const char* algorithm, double n, int t, Input pattern, double seconds) {
    runs.push_back(run_of(algorithm, n, t > 0 ? Parameters{{"t", t}} : Parameters{}, seconds));
    runs.back().input = pattern;
  };
  add("sort-pairwise", 1e6, 128, Input::random, 1e-3);
  add("sort-pairwise", 1e6, 128, Input::zipf, 2e-3);
  add("sort-pairwise", 1e6, 256, Input::random, 1e-4);  // faster, but of one input only
  add("cub-merge", 1e6, 0, Input::random, 5e-4);
  add("cub-merge", 2e6, 0, Input::random, 5e-4);
  const auto all = figures(input, FigureKind::inputs);
  REQUIRE(all.size() == 1);
  const Figure& figure = std::get<Figure>(all[0]);
  CHECK(figure.title == "sort, u32 by input, n = 1e6, on ");
  REQUIRE(figure.x.ticks.size() == 2);
  CHECK(figure.x.ticks[0].label == "random");
  CHECK(figure.x.ticks[1].label == "zipf");
  const Layer* pairwise = find_layer(figure, "sort-pairwise");
  REQUIRE(pairwise->points.size() == 2);
  CHECK(pairwise->points[0].y == Approx(1));
  CHECK(pairwise->points[1].y == Approx(0.5));
  CHECK(pairwise->points[1].x - pairwise->points[0].x == Approx(1));
  CHECK(find_layer(figure, "cub-merge")->points.size() == 1);
  CHECK_FALSE(find_layer(figure, "predicted"));
}

TEST_CASE("types stand side by side, keys before pairs before stable pairs, each with its fastest run") {
  ReportInput input;
  input.datasets.emplace_back();
  auto& runs = input.datasets[0].runs;
  const auto add = [&](ElementType key, std::optional<ElementType> value, bool stable, double seconds) {
    runs.push_back(run_of("sort-pairwise", 1e6, {{"t", int(1e5 * seconds)}}, seconds));
    runs.back().problem.type = key;
    runs.back().problem.value_type = value;
    runs.back().problem.stable = stable;
  };
  add(ElementType::u32, ElementType::u32, true, 4e-3);
  add(ElementType::u32, ElementType::u32, false, 2e-3);
  add(ElementType::f64, {}, false, 2e-3);
  add(ElementType::f64, {}, false, 1e-3);
  LawComparison compared{LawName::counted, {}};
  compared.comparison.runs = {{&runs[3], 1e-3, counted_prediction_of(2e-3), {}, false}};
  input.comparisons = {compared};
  const Figure figure = std::get<Figure>(figures(input, FigureKind::types)[0]);
  std::vector<std::string> labels;
  for (const Tick& tick : figure.x.ticks) labels.push_back(tick.label);
  CHECK(labels == std::vector<std::string>{"f64", "u32:u32", "u32:u32 stable"});
  CHECK(find_layer(figure, "sort-pairwise")->points[0].y == Approx(1));
  const auto& predicted = figure.layers[0];
  CHECK(predicted.hollow);
  REQUIRE(predicted.points.size() == 1);
  CHECK(predicted.points[0].y == Approx(0.5));
  CHECK_THAT(svg(figure), Contains("u32:u32 stable"));
}
