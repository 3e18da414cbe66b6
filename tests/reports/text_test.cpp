// SPDX-License-Identifier: Apache-2.0
// Answers as text, and the quantities and tables that they are made of.
#include "../support/links.h"
#include "samples.h"

#include <fathom/core/text/escape.h>
#include <fathom/reports/quantities.h>
#include <fathom/reports/text/text.h>

#include <catch2/catch.hpp>
#include <sstream>

using namespace fathom;
using namespace fathom::reports;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

TEST_CASE("quantities have three significant digits and a suitable unit") {
  CHECK(reports::time(1.2345e-3) == "1.23 ms");
  CHECK(reports::time(12e-6) == "12.0 µs");
  CHECK(reports::time(0.99999e-3) == "1.00 ms");  // not 1000 µs
  CHECK(reports::time(2) == "2.00 s");
  CHECK(time_range({1.2e-3, 1.3e-3}) == "1.20 to 1.30 ms");
  CHECK(bytes(50 * 0x1p20) == "50 MiB");
  CHECK(bandwidth(4.12e12) == "4120 GB/s");
  CHECK(throughput(8.125e9) == "8.12");
  CHECK(percent(0.0748) == "7.48 %");
  CHECK(significant(9.996) == "10.0");
  CHECK(significant(0.0279) == "0.0279");
}

TEST_CASE("tables align by display width and reject rows of the wrong length") {
  Table table({{"what", Align::left}, {"time"}});
  table.add({"a", "1.00 µs"});
  table.add({"longer", "10.0 µs"});
  CHECK(table.text() == "what       time\n------  -------\na       1.00 µs\nlonger  10.0 µs\n");
  CHECK_THROWS_AS(table.add({"one cell"}), std::invalid_argument);
}

TEST_CASE("text wraps at spaces, but not inside a parameter, and a long word where the line ends") {
  CHECK(wrapped("", 5) == std::vector<std::string>{""});
  CHECK(wrapped("E = 15, t = 128", 8) == std::vector<std::string>{"E = 15,", "t = 128"});
  CHECK(wrapped("t: 64..512 (256)", 4).front() == "t: 6");
  CHECK(wrapped("one two three", 7) == std::vector<std::string>{"one two", "three"});
  CHECK(wrapped("µµµµµ", 2) == std::vector<std::string>{"µµ", "µµ", "µ"});
}

TEST_CASE("a table that is too wide wraps headings and text, or else becomes blocks") {
  Table table({{"a long heading", Align::left}, {"mean error"}, {"remark", Align::left}});
  table.add({"a", "1.00 %", "some words that wrap"});
  table.add({"b", "2.00 %", "none"});
  CHECK(table.text(32) ==
        "a long        mean  remark\n"
        "heading      error\n"
        "--------  --------  ------------\n"
        "a           1.00 %  some words\n"
        "                    that wrap\n"
        "b           2.00 %  none\n");
  CHECK(table.text(20) ==
        "a long heading  a\n"
        "mean error      1.00 %\n"
        "remark          some words\n"
        "                that wrap\n"
        "\n"
        "a long heading  b\n"
        "mean error      2.00 %\n"
        "remark          none\n");
  for (std::size_t width = 31; width < 60; ++width) {
    std::istringstream lines(table.text(width));
    for (std::string line; std::getline(lines, line);) CHECK(display_width(line) <= width);
  }
}

namespace {

PredictionReport sample_report() {
  return {"sort-pairwise",
          "h200",
          LawName::published,
          {.n = 1e6, .parameters = {{"E", 15}, {"t", 128}}},
          prediction_of(6e-5, 4e-5)};
}

}  // namespace

TEST_CASE("a prediction as text") {
  CHECK(text(sample_report()) ==
        "sort-pairwise on h200, law published, n = 1e6 u32: E = 15, t = 128\n"
        "100 µs (95 %: 90.0 to 110 µs), 10.0·10^9 elements/s\n"
        "bottleneck: global bandwidth\n"
        "\nTerms\n\n"
        "term       time   share\n"
        "------  -------  ------\n"
        "global  60.0 µs  60.0 %\n"
        "shared  40.0 µs  40.0 %\n");
  CHECK(text(sample_report(), Verbosity::full) ==
        text(sample_report()) +
            "\nPhases\n\n"
            "phase  launches  level   accesses     time  limited by\n"
            "-----  --------  ------  --------  -------  ----------\n"
            "merge         4  global     2e+06  60.0 µs  bandwidth\n");
}

namespace {

PredictionReport counted_report() {
  Prediction prediction = counted_prediction_of(1e-4);
  prediction.interval_s.reset();
  prediction.bound = Bound{Resource::dram, 5e-6};
  prediction.kernels = {{"MergeTiles", 4, 9e-5, {Resource::dram, 5e-6}}, {"Last", 1, 1e-5, {{}, 1e-6}}};
  return {.algorithm = "sort-pairwise",
          .device = "h200",
          .law = LawName::counted,
          .problem = {.n = 1e6, .parameters = {{"E", 15}, {"t", 128}}},
          .prediction = prediction,
          .input = Input::sorted,
          .what_if = {"dram.bandwidth=1.5x"},
          .sensitivities = std::vector<Sensitivity>{{"dram.read", -0.5}, {"kernel_gap", 0.125}}};
}

}  // namespace

TEST_CASE("predictions of several problems as text: what is common once, what is missing with its reason") {
  PredictionSweep sweep{.algorithm = "sort-pairwise", .law = LawName::counted};
  const PredictionReport one = counted_report();
  sweep.points = {
      {.device = "h200", .problem = {.n = 1e6, .parameters = {{"E", 15}}}, .prediction = one.prediction},
      {.device = "h200", .problem = {.n = 1e12, .parameters = {{"E", 15}}}, .why = "it is too large"}};
  CHECK(text(sweep) ==
        "sort-pairwise, law counted, device h200, type u32, parameters E = 15\n\n"
        "   n  predicted  95 %  10^9 elements/s  bottleneck\n"
        "----  ---------  ----  ---------------  ----------\n"
        " 1e6     100 µs     -             10.0  DRAM\n"
        "1e12          -     -                -  -\n"
        "\nnot predicted: it is too large\n");
}

TEST_CASE("shares of kernels beside exchanges are said to add up to more than the whole") {
  const std::string note = "Exchanges run beside kernels, so that shares add up to more than 100 %.\n";
  PredictionReport report = counted_report();
  CHECK_THAT(text(report), !Contains(note));
  report.prediction.kernels.push_back({"all-to-all", 8, 5e-5, {Resource::link, 5e-6}});
  CHECK_THAT(text(report), Contains("all-to-all         8  50.0 µs  50.0 %") && Contains(note));
}

TEST_CASE("a prediction from counted work as text: the kernels, and in full the resources") {
  const std::string answer =
      "sort-pairwise on h200, law counted, n = 1e6 u32, sorted input: E = 15, t = 128\n"
      "100 µs, 10.0·10^9 elements/s\n"
      "bottleneck: DRAM (10 % faster saves 5.00 µs, 5.00 %)\n"
      "what if: dram.bandwidth=1.5x\n"
      "\nKernels\n\n"
      "kernel      launches     time   share  bottleneck  10 % faster saves\n"
      "----------  --------  -------  ------  ----------  -----------------\n"
      "MergeTiles         4  90.0 µs  90.0 %  DRAM                  5.00 µs\n"
      "Last               1  10.0 µs  10.0 %  launches              1.00 µs\n";
  const std::string terms =
      "\nTerms\n\n"
      "term          time  share of the time\n"
      "--------  --------  -----------------\n"
      "DRAM       70.0 µs             70.0 %\n"
      "ALU        40.0 µs             40.0 %\n"
      "overlap   -20.0 µs            -20.0 %\n"
      "launches   10.0 µs             10.0 %\n";
  const std::string sensitivities =
      "\nSensitivities\n\n"
      "constant    change of the time per 1 % more of it\n"
      "----------  -------------------------------------\n"
      "dram.read                                -0.500 %\n"
      "kernel_gap                               +0.125 %\n";
  CHECK(text(counted_report()) == answer + sensitivities);
  CHECK(text(counted_report(), Verbosity::full) == answer + terms + sensitivities);
}

TEST_CASE("a ranking marks and counts the choices that tie with the best, and names the fastest measured") {
  TuneReport report{
      .algorithm = "sort-pairwise", .device = "h200", .law = LawName::counted, .problem = {.n = 1e6}};
  for (const double microseconds : {100, 101, 110})
    report.candidates.push_back({{{"E", int(microseconds)}}, counted_report().prediction, {}});
  report.tied = 2;
  CHECK_THAT(text(report), StartsWith("sort-pairwise on h200, law counted, n = 1e6 u32\n"
                                      "best: E = 100, 100 µs\n"
                                      "2 choices (=) are within 2.00 % of it, too close to tell which is "
                                      "fastest\n"));
  CHECK_THAT(text(report),
             Contains("\n = 2  E = 101") && Contains("\n   3  E = 110") && !Contains("measured"));
  report.tied = 1;
  report.candidates[0].measured_s = 1.5e-4;
  report.candidates[1].measured_s = 1e-4;
  report.regret = 0.5;
  CHECK_THAT(text(report), !Contains("= 1  ") && !Contains("too close"));
  CHECK_THAT(text(report), Contains("150 µs") && Contains("fastest measured: E = 101, 100 µs\n") &&
                               Contains("50.0 % slower than the fastest measured"));
}

TEST_CASE("where not all choices are priced none is called the best") {
  TuneReport report{.algorithm = "sort-pairwise",
                    .device = "h200",
                    .law = LawName::counted,
                    .problem = {.n = 1e6},
                    .choices = 40,
                    .without_work = 31,
                    .what_counts = "install it"};
  report.candidates.push_back({{{"E", 17}}, counted_report().prediction, {}});
  CHECK_THAT(text(report), Contains("\nfastest of the 9 of 40 choices that are priced: E = 17, 100 µs\n"
                                    "to count the rest: install it\n") &&
                               !Contains("best"));
  TuneReport other = report;
  other.algorithm = "sort-kway";
  other.without_work = 0;
  other.what_counts = "";
  CHECK_THAT(text(TuneRanking{{report, other}, {{"cub-radix", "a baseline"}, {"cub-merge", "a baseline"}}}),
             StartsWith("2 algorithms on h200, law counted, n = 1e6 u32") && Contains("9 of 40\n") &&
                 Contains("all\n") && Contains("2 algorithms (=) are within 2.00 % of it") &&
                 EndsWith("to count the rest: install it\nleft out: cub-radix, cub-merge (a baseline)\n"));
}

TEST_CASE("estimated work is marked, and keeps the first choice from being the best") {
  TuneReport report{.algorithm = "sort-pairwise",
                    .device = "h200",
                    .law = LawName::counted,
                    .problem = {.n = 1e6},
                    .choices = 40,
                    .estimated = 30,
                    .what_counts = "install it"};
  report.candidates.push_back({{{"E", 17}}, counted_report().prediction, {}, true});
  report.candidates.push_back({{{"E", 15}}, counted_report().prediction, {}, false});
  CHECK_THAT(text(report),
             Contains("\nfastest of the 40 choices, 30 of them estimated: E = 17, 100 µs, by estimated work\n"
                      "to count the rest: install it\n") &&
                 Contains("work\n") && Contains("estimated\n") && Contains("counted\n") && !Contains("best"));
  CHECK_THAT(text(TuneRanking{{report}, {}}),
             Contains("counted  estimated\n") && Contains("10 of 40") && Contains("30\n"));
  report.without_work = 5;
  CHECK_THAT(text(report),
             Contains("fastest of the 35 of 40 choices that are priced, 30 of them estimated: "));
}

TEST_CASE("text from files changes neither the lines nor the columns of an answer") {
  const auto texts = [](const std::string& name) {
    const ReportInput input = input_with(name);
    PredictionReport prediction = sample_report();
    prediction.algorithm = prediction.device = name;
    prediction.problem.parameters = {{name, 1}};
    return std::vector{text(prediction),
                       text(input.comparisons),
                       text(input.profile, {}),
                       text(input.datasets[0]),
                       text(input.profile.algorithms, name),
                       text(std::vector<DeviceEntry>{{name, name, name, false, name, 1, 1, {}, {}, {}}}),
                       text(CountReport{name, name, sample_report().problem, Input::random, {}, {}, {}, {}})};
  };
  const std::string name = "a\nb\x1b[2J\u202e\xff";
  const auto hostile = texts(name);
  const auto benign = texts(std::string(display_width(line_for_terminal(name)), 'b'));
  for (std::size_t i = 0; i < hostile.size(); ++i) {
    INFO(hostile[i]);
    CHECK(std::count(hostile[i].begin(), hostile[i].end(), '\n') ==
          std::count(benign[i].begin(), benign[i].end(), '\n'));
    CHECK(for_terminal(hostile[i]) == hostile[i]);
    CHECK_THAT(hostile[i], Contains("a\\x0ab\\x1b[2J\\u202e\\xff"));
  }
  Table table({{"what"}, {"next"}});
  table.add({"\x1b", "1"});
  CHECK(table.text() == "what  next\n----  ----\n\\x1b     1\n");
}

TEST_CASE("types of keys with values are printed, and stability") {
  PredictionReport report = sample_report();
  report.problem.value_type = ElementType::u64;
  CHECK_THAT(text(report), Contains("1e6 u32:u64") && !Contains("stable"));
  report.problem.stable = true;
  CHECK_THAT(text(report), Contains("1e6 u32:u64 stable"));
}

TEST_CASE("algorithms are listed list by list, with where those run that do not run on one GPU") {
  const auto all = all_algorithms();
  CHECK_THAT(text(all), StartsWith("algorithm ") && Contains("u32 u64 ") && Contains("E: 3..47 (17)") &&
                            Contains("\n\nOn several GPUs:\nalgorithm ") &&
                            Contains("\n\nOn data in host memory:\nalgorithm "));
  const auto on_several = of_list(1, all), on_host = of_list(2, all);
  CHECK_THAT(text(on_several), StartsWith("On several GPUs:\nalgorithm ") &&
                                   Contains("scheme: 0..2 (0), pieces: 0..16 (0),") &&
                                   Contains("equal_parts: 0..1 (0), gpus: 1..256 (2)"));
  CHECK_THAT(text(on_several, Verbosity::full), StartsWith("On several GPUs:\nsort-gpus (sort)\n") &&
                                                    Contains("2: split by first bits, exchange, sort"));
  CHECK_THAT(text(on_host), StartsWith("On data in host memory:\nalgorithm ") &&
                                Contains("parts: 1..64 (32), memory: 0..128 (0)"));
}

TEST_CASE("input and output: a sort and a scan move n elements twice, a reduction once and its result") {
  CHECK(input_and_output_bytes({.kind = Kind::sort, .n = 100}) == 800);
  CHECK(input_and_output_bytes({.kind = Kind::scan, .n = 100, .type = ElementType::u64}) == 1600);
  CHECK(input_and_output_bytes({.kind = Kind::reduce, .n = 100}) == 404);
  CHECK(input_and_output_bytes({.kind = Kind::sort, .n = 100, .value_type = ElementType::u64}) == 2400);
}

TEST_CASE("peak bandwidth is B words of 4 bytes per clock on every core, and what is unknown is '-'") {
  const ReportInput input = sample_input();
  CHECK(*bytes_per_second(input.profile.machine, Level::global) == Approx(0.03 * 132 * 128 * 2e9 * 4));
  CHECK_FALSE(bytes_per_second(input.profile.machine, Level::l2));
  CHECK_THAT(text(std::vector<DeviceEntry>{device_entry(DeviceProfile(), "new.json")}), Contains(" - "));
}

TEST_CASE("where time went: each part, and their sum") {
  const std::string spent = text(std::vector<Spent>{{"start of CUDA", 0.5}, {"pipe", 0.25, 0.125, 51}});
  CHECK_THAT(spent, Contains("start of CUDA") && Contains("0.500") && Contains("0.125"));
  CHECK_THAT(spent, Catch::Matchers::Matches("[^]*\\nall +51 +0\\.750 +0\\.125\\n"));
}

TEST_CASE("a profile's text says how much each constant moves predictions, and how little of it is noise") {
  const ReportInput input = sample_input();
  const Influence read{"dram.read", 0.25, 0.5, "reduce-tree u32 2^28", 0.001, 0.0004},
      gap{"kernel_gap", 0.125, 0.75, "scan-naive u32 2^16", {}, {}};
  const std::string said = text(input.profile, {{LawName::counted, 224, {read, gap}}});
  CHECK_THAT(said, Contains("224 typical predictions under the law counted"));
  CHECK_THAT(said, Contains("0.250 %") && Contains("0.500 %") && Contains("± 0.196 %"));
  CHECK_THAT(said, Contains("0.0400 %") && Contains("reduce-tree u32 2^28"));
  CHECK_THAT(text(input.profile, {}), !Contains("typical"));
}

TEST_CASE("a profile's text has the links between GPUs, line by line, and how pairs are linked") {
  DeviceProfile profile;
  profile.machine.links = tests::links();
  const std::string shown = text(profile, {});
  for (const char* row :
       {"all-to-all       2        0 B  16.0 µs  15.0 to 17.0 µs  250 GB/s  200 GB/s to 333 GB/s",
        "all-to-all       2  976.6 KiB  15.0 µs  12.0 to 18.0 µs  200 GB/s  172 GB/s to 238 GB/s",
        "peer-copy        2        0 B  5.00 µs  -                400 GB/s  -"})
    CHECK_THAT(shown, Contains(row));
  CHECK_THAT(shown, !Contains("Linked"));
  std::vector<LinkedPair>& pairs = profile.machine.links->pairs;
  pairs = {{0, 1, LinkType::nvlink}, {0, 2, LinkType::nvlink}};
  CHECK_THAT(text(profile, {}), Contains("Linked: all pairs of GPUs: nvlink\n"));
  pairs.push_back({1, 2, LinkType::host});
  CHECK_THAT(text(profile, {}),
             Contains("Linked: GPUs 0 and 1: nvlink; GPUs 0 and 2: nvlink; GPUs 1 and 2: host\n"));
}

TEST_CASE("errors of all laws are in one row") {
  const Table table = error_table(sample_input().comparisons);
  REQUIRE(table.rows().size() == 1);
  CHECK(table.rows()[0] == std::vector<std::string>{"sort-pairwise", "u32", "all", "10", "10.0 %", "10.0 %",
                                                    "-", "10.0 %", "10.0 %", "-"});
}

TEST_CASE("the table of bottlenecks shows the largest run with default parameters") {
  const Parameters defaults{{"E", 17}, {"t", 256}};
  const std::vector<Measurement> runs{run_of("sort-pairwise", 0x1p20, defaults, 1e-9 * 0x1p20),
                                      run_of("sort-pairwise", 0x1p24, defaults, 1e-9 * 0x1p24),
                                      run_of("sort-pairwise", 0x1p26, {{"E", 15}, {"t", 128}}, 1e-2),
                                      run_of("cub-merge", 0x1p28, {}, 1e-2)};
  const auto compared = [&](LawName law) {
    LawComparison comparison{law, {}};
    for (const Measurement& run : runs) {
      const double seconds = run.seconds[1];
      comparison.comparison.runs.push_back({&run, seconds, {}, {}, false});
      if (run.algorithm == "sort-pairwise")
        comparison.comparison.runs.back().predicted = law == LawName::published
                                                          ? prediction_of(0.6 * seconds, 0.2 * seconds)
                                                          : counted_prediction_of(0.8 * seconds);
    }
    return comparison;
  };
  using Rows = std::vector<std::vector<std::string>>;
  const std::vector<std::string> head{"sort-pairwise", "E = 17, t = 256", "2^24", "13.4 ms", "16.8 ms"};
  const auto row = [&](std::vector<std::string> shares) {
    shares.insert(shares.begin(), head.begin(), head.end());
    return Rows{shares};
  };
  // 2^24 elements at 1 ns take 16.8 ms; 0.6 and 0.2 of that are three quarters and one of the prediction.
  const LawComparison published = compared(LawName::published), counted = compared(LawName::counted);
  CHECK(limits_table(published, Kind::sort).rows() == row({"75.0 %", "25.0 %", "-", "global bandwidth"}));
  CHECK(limits_table(published, Kind::scan).empty());
  CHECK(limits_table(counted, Kind::sort).rows() == row({"-", "-", "70 %", "20 %", "0 %", "10 %"}));
  PredictionReport explained{.algorithm = "sort-pairwise",
                             .device = "h200",
                             .problem = runs[1].problem,
                             .prediction = *counted.comparison.runs[1].predicted};
  explained.prediction.bound = Bound{Resource::dram, 0.05 * explained.prediction.time_s};
  CHECK(limits_table(counted, Kind::sort, {explained}).rows() ==
        row({"DRAM", "5.0 %", "70 %", "20 %", "0 %", "10 %"}));
}

TEST_CASE("runs that do not count are told, and another GPU than the profile's") {
  ReportInput input = sample_input();
  std::vector<LawComparison>& comparisons = input.comparisons;
  CHECK_THAT(text(comparisons), !Contains("Not counted"));
  for (LawComparison& one : comparisons) {
    one.comparison.left_out.unchecked = 1;
    one.comparison.left_out.clock_moved = 2;
  }
  comparisons[1].comparison.left_out.not_predicted["a parameter is missing"] = 3;
  comparisons[0].comparison.other_gpu = true;
  comparisons[0].comparison.measured_on = "GPU A";
  const std::string printed = text(comparisons);
  CHECK_THAT(printed,
             Contains("Not counted: 1 run never checked, 2 runs with a moved clock, 3 runs without a "
                      "published prediction (a parameter is\n  missing)\n"));
  CHECK_THAT(printed, Contains("measured on another GPU than the profile's: GPU A\n"));
}
