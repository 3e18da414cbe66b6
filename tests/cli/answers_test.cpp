// SPDX-License-Identifier: Apache-2.0
// Answers of predict and tune, and of the commands about commands. Texts and structures are compared with
// tests/cli/golden/, with results masked: their values are tested where they are computed.
// FATHOM_WRITE_GOLDEN=1 rewrites the files, so that changes can be reviewed.
#include <fathom/algorithms/registry.h>
#include <fathom/reports/text/table.h>
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <regex>
#include <set>
#include <sstream>

#include "run.h"

using Catch::Contains;

namespace {
/// Numbers with their sign, point and exponent become #, except in names and powers ("u32", "10^9"), in
/// requested values ("t = 256"), and in the 95 % of an interval.
std::string without_results(const std::string& text) {
  static const std::regex word(R"(([A-Za-z_^]|= )[-.\w^]*|95 %|\d+\^\d+|-?\d+(\.\d+)?(e[-+]?\d+)?)");
  std::string out;
  auto end = text.begin();
  for (std::sregex_iterator at(text.begin(), text.end(), word), none; at != none; ++at) {
    out.append(end, (*at)[0].first);
    const std::string found = at->str();
    const bool is_result = std::isdigit(static_cast<unsigned char>(found[found[0] == '-'])) &&
                           found.find_first_of("^%") == found.npos;
    out += is_result ? "#" : found;
    end = (*at)[0].second;
  }
  return out.append(end, text.end());
}

/// Also masks units and the spaces and rules that align results.
std::string masked(const std::string& text) {
  const std::string numbers = without_results(text);
  const std::string units = std::regex_replace(numbers, std::regex(R"(# (s|ms|µs|ns)\b)"), "# TIME");
  return std::regex_replace(units, std::regex(R"( +|-{3,}|─+)"), " ");
}

void check_text(const std::string& name, const std::string& text) {
  const std::filesystem::path file = std::filesystem::path(FATHOM_GOLDEN) / (name + ".txt");
  if (std::getenv("FATHOM_WRITE_GOLDEN")) write(file, text);
  CHECK(text == content(file));
}
void check_golden(const std::string& name, const std::string& arguments) {
  const Outcome outcome = run_fathom(arguments);
  INFO("fathom " << arguments << "\n" << outcome.err);
  REQUIRE(outcome.code == 0);
  check_text(name, masked(outcome.out));
}

/// Every path to a value of the answer, "kernels.sites.file", once.
void add_keys(const json& value, const std::string& path, std::set<std::string>& paths) {
  if (value.is_array())
    for (const json& one : value) add_keys(one, path, paths);
  else if (value.is_object())
    for (const auto& [name, one] : value.items())
      add_keys(one, path.empty() ? name : path + "." + name, paths);
  else
    paths.insert(path + "\n");
}

const std::string on_m4000 = " --device m4000 --law published ";

/// The shipped profile with round rates, so that answers stay when the GPU is calibrated again.
std::string with_round_rates(const ScratchDirectory& scratch) {
  json profile = json::parse(content(std::filesystem::path(FATHOM_PROFILES) / "h200.json"));
  std::istringstream rates(R"(
      dram.read 4.6e12 dram.write 3.9e12 dram.copy 4.2e12 dram.scattered 5e10 dram.resumed 1.5e10
      l2.read 7e12 l2.write 5e12 l2.copy 6e12 l2.scattered 1.5e11
      atomics.line 2e9 atomics.kib 4e9 atomics.64_kib 8e10
      pipe.alu 2 pipe.fma 4 pipe.issue 4 pipe.wavefronts 1 pipe.barriers 0.5
      wait.dram 750 wait.l2 280 wait.shared 30 wait.barrier 30 wait.loaded 1500 wait.turnover 350
      fetch 4 sleep 1.6 overlap 5.5 knee 2.5 phase.share 0.6 phase.decay 1.5)");
  std::string name;
  for (double value; rates >> name >> value;)
    for (auto& [key, field] : profile["constants"].at(name).items())
      field = key.starts_with("value") ? json(value) : json();
  write(scratch / "h200.json", profile.dump());
  return " --device " + scratch.file("h200.json") + " ";
}

constexpr const char* commands[] = {"devices", "algorithms", "calibrate",  "predict", "import",
                                    "tune",    "bench",      "count",      "fit",     "validate",
                                    "plot",    "report",     "completion", "manual"};

void check_columns(const std::string& arguments) {
  const Outcome outcome = run_fathom(arguments);
  INFO("fathom " << arguments << "\n" << outcome.err);
  CHECK((outcome.code == 0 || outcome.err.find("nowhere-near") != std::string::npos));
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) {
    INFO(line);
    CHECK(fathom::reports::display_width(line) <= 120);
  }
}

std::string offered_by(const std::filesystem::path& script, const std::string& words, int current) {
  const ScratchDirectory scratch;
  const std::string command =
      fmt::format("bash -c '. {}; COMP_WORDS=({}); COMP_CWORD={}; _fathom; echo \"${{COMPREPLY[*]}}\"' > {}",
                  script.string(), words, current, scratch.file("answer"));
  CHECK(std::system(command.c_str()) == 0);
  return content(scratch / "answer");
}

}  // namespace

TEST_CASE("--version prints the version and the commit that was built") {
  const Outcome version = run_fathom("--version");
  CHECK(version.code == 0);
  static const std::regex expected(R"(\d+\.\d+\.\d+ \(([0-9a-f]{7,40}(-dirty)?|unknown)\)\n)");
  INFO(version.out);
  CHECK(std::regex_match(version.out, expected));
}

TEST_CASE("golden texts mask results, and keep names, powers and requested values") {
  CHECK(masked("1e8 u32 on m4000: 1.5 ms, 12 % of 2^20 (95 %), E = 15, t = 256, 4.1·10^9/s, a.h:41, -3") ==
        "# u32 on m4000: # TIME, # % of 2^20 (95 %), E = 15, t = 256, #·10^9/s, a.h:#, #");
}

TEST_CASE("answers match the golden files") {
  check_golden("predict", "predict sort-pairwise -n 1e8" + on_m4000);
  check_golden("count", "count scan-matrix -n 10000 --machine dmm --latency 100 --device h200 -v");
  check_golden("tune", "tune sort-pairwise -n 1e8 --top 3" + on_m4000);
  const ScratchDirectory scratch;
  check_golden("predict-counted",
               "predict sort-pairwise -n 1e8 -v --what-if dram.bandwidth=1.5x" + with_round_rates(scratch));
}

TEST_CASE("a count in JSON has every key") {
  std::set<std::string> keys;
  for (const char* machine : {"dmm --latency 100", "agpu"})
    add_keys(answer("count scan-matrix -n 10000 --device h200 --machine " + std::string(machine)), "", keys);
  std::string text;
  for (const std::string& key : keys) text += key;
  check_text("count-keys", text);
}

TEST_CASE("the law of counted work is the default, and its terms add up") {
  const ScratchDirectory scratch;
  const std::string profile = with_round_rates(scratch);
  const json prediction = answer("predict sort-pairwise -n 1e8" + profile);
  CHECK(prediction["law"] == "counted");
  CHECK(prediction["fitted_from"].is_null());
  double sum = 0;
  for (const auto& [name, seconds] : prediction["terms"].items()) sum += seconds.get<double>();
  CHECK(sum == Approx(prediction["time_s"].get<double>()));
  CHECK(all_of(prediction["kernels"], "name") ==
        std::set<std::string>{"BlockSort", "MergePathPartition", "MergeTiles"});
  CHECK(answer("tune sort-pairwise -n 1e8" + profile)["law"] == "counted");
}

TEST_CASE("under the law fitted, answers name the runs that its factors were fitted to") {
  const std::string question = "predict sort-pairwise -n 1e8 --device h200 --sensitivities --law ";
  const json prediction = answer(question + "fitted"), counted = answer(question + "counted");
  CHECK(prediction["law"] == "fitted");
  CHECK_THAT(prediction["fitted_from"].get<std::string>(), Contains("sort-grid.json"));
  CHECK(counted["fitted_from"].is_null());
  CHECK(prediction["time_s"] != counted["time_s"]);
  CHECK(prediction["interval_s"].size() == 2);
  CHECK(prediction["kernels"].size() == 3);
  CHECK_FALSE(prediction["sensitivities"].empty());
  CHECK_THAT(run_fathom(question + "fitted").out, Contains("sort-grid.json"));
  const json tuned =
      answer("tune sort-pairwise -n 1e8 --device h200 --law fitted --what-if dram.bandwidth=1.5x");
  CHECK(tuned["law"] == "fitted");
  CHECK(tuned["tied"].get<int>() >= 1);
}

TEST_CASE("sorted input takes another time, of sorts only") {
  const ScratchDirectory scratch;
  const std::string profile = with_round_rates(scratch);
  const auto time = [&](const std::string& question) {
    return answer("predict " + question + profile)["time_s"].get<double>();
  };
  CHECK(time("sort-pairwise -n 1e8 --input conflict-heavy") > 1.1 * time("sort-pairwise -n 1e8"));
  CHECK(time("scan-lookback -n 1e8 --input sorted") == time("scan-lookback -n 1e8"));
  const json tuned =
      answer("tune sort-pairwise -n 1e8 --set E=17 --set t=256 --input conflict-heavy" + profile);
  CHECK(tuned["input"] == "conflict-heavy");
  CHECK(tuned["best"]["time_s"].get<double>() > time("sort-pairwise -n 1e8"));
}

TEST_CASE("faster constants take less time, and sensitivities say how much") {
  const ScratchDirectory scratch;
  const std::string question = "predict sort-pairwise -n 1e8" + with_round_rates(scratch);
  const json asked = answer(question + "--sensitivities"),
             faster = answer(question + "--what-if dram.copy=1.001x --what-if clock=1x");
  CHECK(faster["what_if"] == json{"dram.copy=1.001x", "clock=1x"});
  const double ratio = faster["time_s"].get<double>() / asked["time_s"].get<double>();
  for (const json& one : asked["sensitivities"])
    if (one["constant"] == "dram.copy")
      CHECK(std::log(ratio) / std::log(1.001) == Approx(one["value"].get<double>()).epsilon(0.01));
  CHECK(all_of(asked["sensitivities"], "constant").contains("dram.copy"));
}

TEST_CASE("tune ranks every choice within --set, fastest first, and tells which tie with the best") {
  const ScratchDirectory scratch;
  const json tuned = answer("tune sort-pairwise -n 1e8 --top 0 --set t=128" + with_round_rates(scratch));
  REQUIRE(tuned["candidates"].size() > 10);
  CHECK(tuned["best"]["parameters"] == tuned["candidates"][0]["parameters"]);
  CHECK(tuned["regret"].is_null());
  const double best = tuned["best"]["time_s"];
  double before = 0;
  std::size_t rank = 0;
  for (const json& candidate : tuned["candidates"]) {
    const double seconds = candidate["time_s"];
    const bool tied = rank++ < tuned["tied"];
    CHECK(candidate["parameters"]["t"] == 128);
    CHECK(seconds >= before);
    CHECK((seconds <= 1.02 * best) == tied);
    CHECK(candidate["tied"] == tied);
    before = seconds;
  }
  CHECK(tuned["tied"] < tuned["candidates"].size());
  CHECK(answer("tune sort-pairwise -n 1e8" + on_m4000)["tied"].is_null());
}

TEST_CASE("an array shorter than the mean list is one list, of few elements by the kernels of short lists") {
  const auto times = [](const std::string& options) {
    std::vector<double> seconds;
    const json answered = answer("predict sort-segments --device h200 " + options);
    if (!answered.contains("points")) return std::vector{answered["time_s"].get<double>()};
    for (const json& point : answered["points"]) seconds.push_back(point["time_s"]);
    return seconds;
  };
  const double few = times("-n 20")[0], many = times("-n 2^24")[0];
  CHECK(few == times("-n 20 --set length=16")[0]);  // the mean length is 1000 by default
  CHECK(few < times("-n 500")[0]);
  CHECK(std::abs(times("-n 2^24 --set length=16")[0] / many - 1) > 0.05);
  CHECK(times("-n 20,2^24") == std::vector{few, many});
}

TEST_CASE("a block per tile is the fastest scan of few elements, blocks with several tiles of many") {
  const auto fastest = [](const std::string& n) {
    return answer("predict scan --device h200 -n " + n)["predictions"][0]["algorithm"].get<std::string>();
  };
  CHECK(fastest("2^16") == "scan-lookback");
  CHECK(fastest("2^28") == "scan-stream");
}

TEST_CASE("several algorithms, or all of a kind, are ranked by predicted time") {
  struct Row {
    const char *question, *list, *names;
  };
  // cub-radix is a baseline.
  for (const Row& row : {Row{"predict sort", "predictions", "radix-lsd sort-bitonic"},
                         Row{"predict scan", "predictions", "scan-lookback"},
                         Row{"predict reduce", "predictions", "reduce-cascading"},
                         Row{"predict radix-msd,sort-kway", "predictions", "radix-msd sort-kway"},
                         Row{"tune scan", "tunings", "scan-lookback"}}) {
    INFO(row.question);
    const json ranking = answer(std::string(row.question) + " -n 2^20 --device h200");
    const auto names = all_of(ranking[row.list], "algorithm");
    std::istringstream wanted(row.names);
    for (std::string name; wanted >> name;) CHECK(names.contains(name));
    CHECK(names.size() == ranking[row.list].size());  // each once
    CHECK(!names.contains("cub-radix"));
    double before = 0;
    for (const json& one : ranking[row.list]) {
      const double seconds = one.contains("best") ? one["best"]["time_s"] : one["time_s"];
      CHECK(seconds >= before);
      before = seconds;
    }
  }
  const json stable = answer("predict sort -n 2^20 --type u32:u32 --stable --device h200");
  CHECK(all_of(stable["predictions"], "algorithm").contains("radix-lsd"));
  CHECK(!all_of(stable["predictions"], "algorithm").contains("sort-bitonic"));
  CHECK(all_of(stable["left_out"], "algorithm").contains("cub-radix"));
  CHECK(all_of(stable["left_out"], "algorithm").contains("sort-bitonic"));
  CHECK_THAT(run_fathom("predict sort -n 2^20 --stable --device h200").err,
             Contains("equal u32 keys without values cannot be told apart"));
}

TEST_CASE("of a kind algorithms are left out that do not have what is asked for, with the reason") {
  const json tuned = answer("tune scan -n 2^20 --device h200 --set t=128");
  CHECK(all_of(tuned["tunings"], "algorithm").contains("scan-naive"));
  for (const json& one : tuned["tunings"]) CHECK(one["best"]["parameters"]["t"] == 128);
  const auto why = [](const json& ranking, const char* algorithm) {
    for (const json& one : ranking["left_out"])
      if (one["algorithm"] == algorithm) return one["why"].get<std::string>();
    return std::string();
  };
  CHECK_THAT(why(tuned, "scan-stream"), Contains("t of scan-stream cannot be '128'"));
  const json predicted = answer("predict scan -n 2^20 --device h200 --set E=16");
  CHECK(all_of(predicted["predictions"], "algorithm").contains("scan-lookback"));
  CHECK_THAT(why(predicted, "scan-naive"), Contains("no parameter 'E'"));
  // Not of those that are named, and not all.
  CHECK_THAT(run_fathom("tune scan,scan-stream -n 2^20 --device h200 --set t=128").err,
             Contains("t of scan-stream cannot be '128'"));
  CHECK_THAT(run_fathom("tune scan -n 2^20 --device h200 --set q=128").err, Contains("no parameter 'q'"));
}

TEST_CASE("an algorithm takes the same time in a comparison as alone") {
  const json both = answer("predict sort-kway,radix-msd -n 1e7 --device h200");
  for (const json& one : both["predictions"])
    CHECK(one == answer("predict " + one["algorithm"].get<std::string>() + " -n 1e7 --device h200"));
}

TEST_CASE("tune leaves out choices whose work cannot be had, and says so") {
  // The shipped table has radix-onesweep with digits of 4 and 8 bits.
  const std::string question = "tune radix-onesweep -n 2^20 --device h200 --set t=256 --set E=8 ";
  const std::string no_tools = "FATHOM_NVDISASM=/nonexistent PATH=/nonexistent";
  const Outcome outcome = run_fathom_with(no_tools, question + "--json");
  REQUIRE(outcome.code == 0);
  CHECK_THAT(outcome.err, Contains("the work of 3 of 5 choices is in no table and cannot be counted: "));
  const json tuned = json::parse(outcome.out);
  CHECK(tuned["choices"] == 5);
  CHECK(tuned["without_work"] == 3);
  CHECK(tuned["estimated"] == 0);
  CHECK(tuned["what_counts"].get<std::string>() != "");
  const Outcome words = run_fathom_with(no_tools, question);
  CHECK_THAT(words.out, Contains("fastest of the 2 of 5 choices that are priced: ") && !Contains("best"));
  CHECK(tuned["candidates"].size() == 2);
  const Outcome none = run_fathom_with(no_tools, question + "--set d=5,6");
  CHECK(none.code == 1);
  CHECK_THAT(none.err, Contains("the work of 2 of 2 choices is in no table"));
}

TEST_CASE("algorithms lists those that are named, or all") {
  const json named = answer("algorithms radix-msd sort-kway")["algorithms"];
  REQUIRE(named.size() == 2);
  CHECK(named[0]["slug"] == "radix-msd");
  CHECK(named[1]["slug"] == "sort-kway");
  CHECK(answer("algorithms")["algorithms"].size() > 20);
}

TEST_CASE("tune estimates choices of a type that is in no table from those of one that is, and says so") {
  const std::string question = "tune sort-kway -n 2^20 --type i32 --device h200 ";
  const std::string no_tools = "FATHOM_NVDISASM=/nonexistent PATH=/nonexistent";
  const Outcome outcome = run_fathom_with(no_tools, question + "--top 0 --json");
  REQUIRE(outcome.code == 0);
  const json tuned = json::parse(outcome.out);
  CHECK(tuned["without_work"] == 0);
  // The defaults, which depend on n, are in the tables.
  const std::size_t defaults =
      fathom::algorithm("sort-kway").all_default_parameters({fathom::ElementType::i32, {}}).size();
  CHECK(tuned["estimated"] == tuned["choices"].get<std::size_t>() - defaults);
  CHECK(tuned["what_counts"].get<std::string>() != "");
  const json words = answer("tune sort-kway -n 2^20 --type u32 --device h200");  // whose work is that of i32
  CHECK(words["estimated"] == 0);
  CHECK(words["what_counts"].is_null());
  CHECK(tuned["best"]["estimated"] == true);
  CHECK(tuned["best"]["parameters"] == words["best"]["parameters"]);
  CHECK(tuned["best"]["time_s"].get<double>() == Approx(words["best"]["time_s"].get<double>()).epsilon(0.1));
  const auto width = [](const json& best) {
    return best["interval_s"][1].get<double>() / best["interval_s"][0].get<double>();
  };
  CHECK(width(tuned["best"]) > width(words["best"]));
  CHECK_THAT(tuned["assumptions"][0].get<std::string>(), Contains("estimated from that of sort-kway u32"));
}

TEST_CASE("several sizes, types, parameters and devices are predicted at once, each as if asked alone") {
  const json sweep = answer(
      "predict sort-pairwise -n 2^20,2^24,2^50 --type u32,u64 --set E=15,17 --device m4000,k40m --law "
      "published");
  CHECK(sweep["schema"] == "fathom.predictions");
  REQUIRE(sweep["points"].size() == 3 * 2 * 2 * 2);
  std::set<std::string> asked;
  for (const json& point : sweep["points"]) {
    const std::string n = point["n"].dump(), type = point["type"], device = point["device"];
    asked.insert(n + type + device + point["parameters"].dump());
    const bool impossible = point["n"] == 1LL << 50;
    CHECK(point["time_s"].is_null() == impossible);
    CHECK((point["why_missing"].dump().find("choose a smaller n") != std::string::npos) == impossible);
  }
  CHECK(asked.size() == sweep["points"].size());
  const json& point = sweep["points"][4];  // the second size with E = 17
  CHECK(point["time_s"] ==
        answer(fmt::format("predict sort-pairwise -n {} --type {} --set E={} --law published --device {}",
                           point["n"].dump(), point["type"].get<std::string>(),
                           point["parameters"]["E"].dump(), point["device"].get<std::string>()))["time_s"]);
  check_refused("predict sort-pairwise -n 2^20,2^21 --sensitivities --device h200", 2, "--sensitivities");
}

TEST_CASE("the composition rule and the ceiling can be chosen") {
  const auto time = [](const std::string& rule) {
    return answer("predict sort-pairwise -n 1e8" + on_m4000 + rule)["time_s"].get<double>();
  };
  CHECK(time("--compose max") < time("--compose 2"));
  CHECK(time("--compose 2") < time("--compose sum"));
  CHECK(time("--ceiling never") <= time("--ceiling always"));
}

TEST_CASE("every command's help has an example, and no line has more than 120 columns") {
  for (const std::string command : commands) {
    check_columns(command + " --help");
    if (command == "completion" || command == "manual") continue;
    const std::string help = run_fathom(command + " --help").out;
    CHECK(std::regex_search(help, std::regex("Examples?: fathom " + command)));
    CHECK_THAT(help, Contains("--json"));
  }
}

TEST_CASE("no command prints a line of more than 120 columns") {
  const std::string data = FATHOM_DATA "/h200-validation/scan.json ",
                    far = ",/nowhere-near/" + std::string(90, 'x') + ".json";
  const ScratchDirectory scratch;
  for (const std::string& arguments :
       {std::string("--help"), std::string("devices"), std::string("algorithms -v"),
        "predict sort-pairwise -n 1e8 -v" + on_m4000,
        "predict sort-kway -n 2^20,1e13 --type u32,u64:u64 --set E=23,47 --device h200,m4000" + far,
        "tune sort-multiway -n 1e8 --top 3" + on_m4000,
        std::string("count scan-matrix -n 10000 --machine agpu --device h200"), "validate " + data,
        "validate " + data + "--by type", "validate " + data + "--by n",
        "validate " + data + "--by parameters",
        "fit " + data + "--profile h200 -o " + scratch.file("p.json")})
    check_columns(arguments);
}

TEST_CASE("completion of bash offers commands, options, algorithms and values") {
  const ScratchDirectory scratch;
  const std::filesystem::path script = scratch / "completion";
  REQUIRE(run_fathom("completion bash -o " + script.string()).code == 0);
  CHECK(offered_by(script, "fathom pre", 1) == "predict\n");
  CHECK(offered_by(script, "fathom predict radix-o", 2) == "radix-onesweep\n");
  CHECK(offered_by(script, "fathom predict radix-lsd --sens", 3) == "--sensitivities\n");
  CHECK(offered_by(script, "fathom predict radix-lsd --law pu", 4) == "published\n");
  CHECK(offered_by(script, "fathom tune radix-lsd --device m", 4) == "m4000\n");
  CHECK(run_fathom("completion zsh").out.starts_with("#compdef fathom\n"));
  CHECK(run_fathom("completion tcsh").code == 2);
}

TEST_CASE("the manual page has every command and option") {
  const std::string page = run_fathom("manual").out;
  CHECK(page.starts_with(".TH FATHOM 1 "));
  std::istringstream script(run_fathom("completion fish").out);
  std::size_t options = 0;
  for (std::string line; std::getline(script, line);) {
    std::smatch name;
    if (!std::regex_search(line, name, std::regex(" -l ([a-z-]+)"))) continue;
    INFO(line);
    CHECK(page.find(std::regex_replace("--" + name[1].str(), std::regex("-"), "\\-")) != std::string::npos);
    ++options;
  }
  CHECK(options > 60);
}

TEST_CASE("-o writes the answer to a file and nothing to stdout") {
  const ScratchDirectory scratch;
  const std::string file = scratch.file("prediction.json");
  CHECK(run_fathom("predict sort-pairwise -n 1e6 --json -o " + file + on_m4000).out.empty());
  CHECK(json::parse(content(file))["schema"] == "fathom.predict");
}

TEST_CASE("devices and algorithms list what there is, baselines included") {
  const auto devices = all_of(answer("devices")["devices"], "name"),
             slugs = all_of(answer("algorithms")["algorithms"], "slug");
  for (const char* name : {"m4000", "gtx770", "k40m"}) CHECK(devices.contains(name));
  for (const char* slug :
       {"sort-pairwise", "sort-multiway", "sort-mms", "scan-matrix", "cub-merge", "cub-scan"})
    CHECK(slugs.contains(slug));
}

TEST_CASE("the shipped profile of a measured GPU is found by the name that the driver gives it") {
  for (const std::string device : {"h100", "h200"}) {
    const std::string runs = "validate " FATHOM_DATA "/" + device + "-judgement/reduce.json --law counted";
    CHECK(answer(runs)["comparisons"][0]["device"] == device);
  }
}

TEST_CASE("devices lists measured profiles before all others") {
  bool before = true;
  int measured = 0;
  const json devices = answer("devices")["devices"];
  for (const json& device : devices) {
    if (device["where"] != "built in") continue;
    const bool is_measured = device["origin"] == "measured";
    INFO(device["name"]);
    CHECK((before || !is_measured));
    before = is_measured;
    measured += is_measured;
  }
  CHECK(measured > 0);
}

TEST_CASE("devices with a name lists every constant with its unit, interval and resource") {
  const json device = answer("devices h200");
  CHECK(device["schema"] == "fathom.device");
  std::map<std::string, json> constants;
  for (const json& constant : device["constants"]) constants[constant["name"]] = constant;
  CHECK(constants.at("dram.copy")["unit"] == "bytes_per_s");
  CHECK(constants.at("dram.copy")["resource"] == "dram");
  CHECK(constants.at("dram.copy")["interval"].size() == 2);
  CHECK(constants.at("fetch")["resource"] == "launches");
  CHECK(constants.at("overlap")["unit"] == nullptr);
  const std::string text = run_fathom("devices h200").out;
  for (const auto& [name, constant] : constants)
    if (name.find('.') == name.npos || name.starts_with("pipe.") || name.starts_with("wait.")) {
      INFO(name);
      CHECK((constant["value"] == nullptr || text.find(name) != text.npos));
    }
  CHECK(answer("devices m4000")["constants"].size() == device["constants"].size());
}

TEST_CASE("devices with a name says how much each constant moves typical predictions") {
  const json device = answer("devices h200");
  std::map<std::string, std::map<std::string, json>> of_laws;
  for (const json& of : device["influences"])
    for (const json& constant : of["constants"]) of_laws[of["law"]][constant["name"]] = constant;
  const auto& counted = of_laws.at("counted");
  // A large sum of 8-byte words is one read of DRAM; a small one is launches.
  CHECK(counted.at("dram.read")["largest"] > 0.95);
  CHECK(counted.at("dram.read")["largest"] < 1.001);
  CHECK(counted.at("dram.read")["largest_in"].get<std::string>().starts_with("reduce-"));
  CHECK(counted.at("kernel_gap")["largest_in"].get<std::string>().ends_with(" 2^16"));
  double shares = 0;
  for (const auto& [name, constant] : counted) {
    INFO(name);
    CHECK(constant["mean"] <= constant["largest"]);
    shares += constant["share_of_variance"].get<double>();
  }
  CHECK(shares < 0.05);  // calibration is not what makes predictions uncertain
  // The published law knows levels, not rates, and no interval of its predictions.
  CHECK(of_laws.at("published").contains("global.bandwidth"));
  CHECK_FALSE(of_laws.at("published").contains("dram.read"));
  CHECK(of_laws.at("published").at("global.bandwidth")["share_of_variance"] == nullptr);
  // A GPU with published constants alone.
  const json published = answer("devices m4000")["influences"];
  REQUIRE(published.size() == 1);
  CHECK(published[0]["law"] == "published");
}
